// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/stream.h"

#include <utility>

#include "tidemark/operator/deduplicate.h"
#include "tidemark/operator/watermark_assigner.h"

namespace tidemark::api_detail {

StreamHandle add_operator(const StreamHandle& from, std::string name, SchemaPtr output,
                          std::function<std::unique_ptr<Operator>()> make) {
  StreamNode node;
  node.name = std::move(name);
  node.output = std::move(output);
  node.inputs = {from.as_input()};
  node.make_operator = std::move(make);
  return {from.graph, from.graph->add(std::move(node))};
}

StreamHandle add_timestamps(const StreamHandle& from, TimeExtractor extract,
                            WatermarkStrategy strategy) {
  if (strategy.idle_after != 0)
    from.graph->fail("idle_after is for sources: give the strategy to Environment::source");
  const SchemaPtr schema = from.graph->node(from.node).output;
  const StreamHandle timed =
      add_operator(from, "timestamps", schema,
                   [extract = std::move(extract)] { return make_timestamp_operator(extract); });
  return add_operator(timed, "watermarks", schema, [strategy = std::move(strategy)] {
    return make_watermark_assigner({.strategy = strategy});
  });
}

StreamHandle add_union(const std::vector<StreamHandle>& inputs, SchemaPtr output) {
  StreamNode node;
  node.kind = StreamNode::Kind::kUnion;
  node.name = "union";
  node.output = std::move(output);
  const std::shared_ptr<StreamGraph>& graph = inputs.front().graph;
  for (const StreamHandle& input : inputs) {
    if (input.graph != graph) graph->fail("union_with a stream of another environment");
    node.inputs.push_back(input.as_input());
  }
  return {graph, graph->add(std::move(node))};
}

void add_sink(const StreamHandle& from, std::string name, SinkPtr sink) {
  StreamNode node;
  node.kind = StreamNode::Kind::kSink;
  node.name = std::move(name);
  node.inputs = {from.as_input()};
  node.sink = std::move(sink);
  from.graph->add(std::move(node));
}

void add_table_sink(const StreamHandle& from, const TableSink& table) {
  StreamNode node;
  node.kind = StreamNode::Kind::kTableSink;
  node.name = table.name;
  node.inputs = {from.as_input()};
  node.table = table.name;
  node.table_options = table.options;
  from.graph->add(std::move(node));
}

StreamHandle find_side_output(const StreamHandle& from, const SideOutput& wanted) {
  const StreamNode& node = from.graph->node(from.node);
  for (std::size_t i = 0; i < node.side_outputs.size(); ++i) {
    const SideOutput& side = node.side_outputs[i];
    if (side.name == wanted.name && *side.schema == *wanted.schema)
      return {from.graph, from.node, static_cast<OutputIndex>(i + 1)};
  }
  from.graph->fail("operator '" + node.uid + "' has no side output '" + wanted.name + "' of " +
                   to_string(*wanted.schema));
  return from;
}

SchemaPtr append_key_fields(const Schema& row, std::vector<Field> key) {
  std::vector<Field> fields = row.fields;
  for (Field& field : key) {
    // A record may have a member called "key" of its own; columns are used by position.
    while (Schema{fields}.index_of(field.name)) field.name = "_" + field.name;
    fields.push_back(std::move(field));
  }
  return make_schema(std::move(fields));
}

StreamNode describe_keyed_process(const std::vector<StreamHandle>& inputs,
                                  const std::vector<std::vector<std::size_t>>& columns,
                                  SchemaPtr output, std::vector<SideOutput> sides) {
  StreamNode node;
  node.name = "process";
  node.output = std::move(output);
  node.side_outputs = std::move(sides);
  const std::shared_ptr<StreamGraph>& graph = inputs.front().graph;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].graph != graph) graph->fail("connect a stream of another environment");
    StreamInput input = inputs[i].as_input();
    input.keyed = !columns[i].empty();
    input.broadcast = columns[i].empty();
    input.key_columns = columns[i];
    node.inputs.push_back(std::move(input));
  }
  return node;
}

void check_window(StreamGraph& graph, const WindowSettings& settings) {
  const WindowDescription& window = settings.description.window;
  const Status status = validate(window);
  if (!status.ok()) return graph.fail(status.error().message);
  const bool merges = window.slide != window.size || settings.description.updating;
  if (merges && !settings.mergeable)
    graph.fail(settings.description.updating
                   ? "windows that take back what they said copy accumulators by merging them: "
                     "their aggregate needs merge()"
                   : "windows that overlap are made of slices: their aggregate needs merge()");
}

StreamHandle add_late_rows(const StreamHandle& window, const SchemaPtr& input,
                           const SchemaPtr& row) {
  StreamHandle late = window;
  late.output = 1;
  if (*input == *row) return late;
  return add_operator(late, "late", row, [row] { return make_prefix_operator(row); });
}

StreamHandle add_deduplicate(const StreamHandle& from, const std::vector<std::size_t>& columns,
                             const SchemaPtr& key, const SchemaPtr& row, Millis ttl,
                             const DeduplicateOptions& options) {
  StreamGraph& graph = *from.graph;
  if (ttl <= 0) graph.fail("deduplicate() needs a time to live above 0");
  if (!(options.false_positive_rate > 0 && options.false_positive_rate < 1))
    graph.fail("deduplicate(): false_positive_rate is a share between 0 and 1");
  DeduplicateDescription description{.key_columns = columns,
                                     .key_schema = key_schema_text(*key),
                                     .ttl = ttl,
                                     .clock = options.clock,
                                     .false_positive_rate = options.false_positive_rate,
                                     .expected_keys = options.expected_keys};
  for (const Field& field : key->fields) description.key_types.push_back(field.type);
  StreamNode node;
  node.name = "deduplicate";
  node.output = graph.node(from.node).output;
  node.inputs = {from.as_input()};
  node.inputs[0].keyed = true;
  node.inputs[0].key_columns = columns;
  node.make_operator = [description = std::move(description)] {
    return make_deduplicate_operator(description);
  };
  const SchemaPtr output = node.output;
  const StreamHandle first{from.graph, graph.add(std::move(node))};
  if (*output == *row) return first;
  return add_operator(first, "row", row, [row] { return make_prefix_operator(row); });
}

}  // namespace tidemark::api_detail
