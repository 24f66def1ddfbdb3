// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "tidemark/graph/job_graph.pb.h"

// Job graphs for tests, built by hand.

namespace tidemark::sample {

inline void add_field(proto::Schema* schema, const std::string& name, proto::DataType::Kind kind,
                      std::uint32_t precision = 0) {
  proto::Field* field = schema->add_fields();
  field->set_name(name);
  field->mutable_type()->set_kind(kind);
  field->mutable_type()->set_precision(precision);
}

inline void set_column(proto::Expression* expression, std::uint32_t column,
                       proto::DataType::Kind kind, std::uint32_t precision = 0) {
  expression->set_kind(proto::Expression::COLUMN);
  expression->set_column(column);
  expression->mutable_type()->set_kind(kind);
  expression->mutable_type()->set_precision(precision);
}

inline proto::Node* add_node(proto::JobGraph* graph, std::uint32_t id, const std::string& uid,
                             const std::string& name) {
  proto::Node* node = graph->add_nodes();
  node->set_id(id);
  node->set_uid(uid);
  node->set_name(name);
  return node;
}

inline proto::Edge* add_edge(proto::JobGraph* graph, std::uint32_t from, std::uint32_t to) {
  proto::Edge* edge = graph->add_edges();
  edge->set_from(from);
  edge->set_to(to);
  return edge;
}

/// flights -> calc (delay, origin, at) -> window by origin -> sink.
inline proto::JobGraph flights() {
  using proto::DataType;
  proto::JobGraph graph;
  graph.set_name("flights");

  proto::Node* source = add_node(&graph, 1, "flights-1", "Source flights");
  for (proto::Schema* schema :
       {source->mutable_output(), source->mutable_source()->mutable_physical()}) {
    add_field(schema, "at", DataType::TIMESTAMP, 3);
    add_field(schema, "origin", DataType::STRING);
    add_field(schema, "delay", DataType::INT);
  }
  source->mutable_source()->set_table("flights");
  auto& options = *source->mutable_source()->mutable_options();
  options["connector"] = "filesystem";
  options["path"] = "flights.csv";
  options["format"] = "csv";
  source->mutable_source()->set_rowtime(0);
  proto::WatermarkSpec* watermark = source->mutable_source()->mutable_watermark();
  watermark->set_strategy(proto::WatermarkSpec::BOUNDED_OUT_OF_ORDERNESS);
  watermark->set_bound_millis(7'200'000);

  proto::Node* calc = add_node(&graph, 2, "calc-2", "Calc");
  add_field(calc->mutable_output(), "delay_minutes", DataType::INT);
  add_field(calc->mutable_output(), "origin", DataType::STRING);
  add_field(calc->mutable_output(), "at", DataType::TIMESTAMP, 3);
  set_column(calc->mutable_calc()->add_projection(), 2, DataType::INT);
  set_column(calc->mutable_calc()->add_projection(), 1, DataType::STRING);
  set_column(calc->mutable_calc()->add_projection(), 0, DataType::TIMESTAMP, 3);
  add_edge(&graph, 1, 2);

  proto::Node* window = add_node(&graph, 3, "window-3", "Window");
  proto::WindowAggregateSpec* spec = window->mutable_window_aggregate();
  spec->set_time_column(2);
  spec->mutable_time_type()->set_kind(DataType::TIMESTAMP);
  spec->mutable_time_type()->set_precision(3);
  spec->mutable_window()->set_size_millis(3'600'000);
  spec->mutable_window()->set_slide_millis(3'600'000);
  spec->add_keys(1);
  proto::AggregateCall* count = spec->add_aggregates();
  count->set_function("COUNT");
  count->set_name("flights");
  proto::AggregateCall* max = spec->add_aggregates();
  max->set_function("MAX");
  max->add_arguments(0);
  max->set_name("worst");
  const auto add_result = [](proto::Schema* schema) {
    add_field(schema, "origin", DataType::STRING);
    add_field(schema, "flights", DataType::BIGINT);
    add_field(schema, "worst", DataType::INT);
    for (const char* name : {"window_start", "window_end", "window_time"})
      add_field(schema, name, DataType::TIMESTAMP, 3);
  };
  add_result(window->mutable_output());
  proto::Edge* keyed = add_edge(&graph, 2, 3);
  keyed->set_partitioning(proto::Edge::HASH);
  keyed->add_key_columns(1);

  proto::Node* sink = add_node(&graph, 4, "hourly-4", "Sink hourly");
  sink->mutable_sink()->set_table("hourly");
  add_result(sink->mutable_sink()->mutable_schema());
  (*sink->mutable_sink()->mutable_options())["connector"] = "filesystem";
  (*sink->mutable_sink()->mutable_options())["path"] = "out";
  add_edge(&graph, 3, 4);
  return graph;
}

}  // namespace tidemark::sample
