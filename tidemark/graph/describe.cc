// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tidemark/data/schema.h"
#include "tidemark/expr/proto.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/graph/lookup.h"

namespace tidemark {
namespace {

/// 5400000 -> "90 min": the largest unit that divides it.
std::string duration(std::int64_t millis) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "min"}, {1'000, "s"}};
  for (const auto& [unit, name] : kUnits)
    if (millis != 0 && millis % unit == 0) return fmt::format("{} {}", millis / unit, name);
  return fmt::format("{} ms", millis);
}

std::string expression(const proto::Expression& message, const Schema& columns) {
  const auto parsed = from_proto(message);
  return parsed.ok() ? to_string(**parsed, columns) : fmt::format("<{}>", parsed.error().message);
}

std::string column(std::uint32_t index, const proto::Schema& schema) {
  return index < static_cast<std::uint32_t>(schema.fields_size())
             ? schema.fields(static_cast<int>(index)).name()
             : fmt::format("#{}", index);
}

template <typename Indexes>
std::string column_list(const Indexes& indexes, const proto::Schema& schema) {
  std::vector<std::string> names;
  for (const std::uint32_t index : indexes) names.push_back(column(index, schema));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// "x + 1 AS y", and "x" where the name says nothing new.
std::string named(const std::string& text, const std::string& name) {
  return text == name ? text : fmt::format("{} AS {}", text, name);
}

template <typename Options>
std::string table_options(const Options& options) {
  std::string text;
  for (const char* key : {"connector", "path", "format"})
    // A connector of the engine's own (the result of a SELECT) says nothing to a reader.
    if (const auto option = options.find(key);
        option != options.end() && !option->second.starts_with("__"))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", option->second);
  return text.empty() ? text : fmt::format(" ({})", text);
}

std::string watermark(const proto::WatermarkSpec& spec, const Schema& columns) {
  std::string text = spec.strategy() == proto::WatermarkSpec::EXPRESSION
                         ? expression(spec.expression(), columns)
                         : fmt::format("max - {}", duration(spec.bound_millis()));
  if (spec.emit_on_event()) text += " on each event";
  if (spec.idle_after_millis() != 0)
    text += fmt::format(", idle after {}", duration(spec.idle_after_millis()));
  return text;
}

Schema as_schema(const proto::Schema& message) {
  auto parsed = from_proto(message);
  return parsed.ok() ? **parsed : Schema{};
}

std::string describe_source(const proto::SourceSpec& spec, const proto::Node& node) {
  // Computed columns stand behind the physical ones in the node's output.
  const Schema columns = as_schema(node.output());
  std::string text = fmt::format("read {}{} {}", spec.table(), table_options(spec.options()),
                                 to_string(as_schema(spec.physical())));
  for (int i = 0; i < spec.computed_size(); ++i)
    text += fmt::format(", {}",
                        named(expression(spec.computed(i), columns),
                              column(static_cast<std::uint32_t>(spec.physical().fields_size() + i),
                                     node.output())));
  if (spec.has_rowtime())
    text += fmt::format(", rowtime {}", column(spec.rowtime(), node.output()));
  if (spec.has_watermark()) text += ", watermark " + watermark(spec.watermark(), columns);
  return text;
}

std::string describe_calc(const proto::CalcSpec& spec, const proto::Node& node,
                          const Schema& input) {
  std::vector<std::string> parts;
  if (spec.has_filter()) parts.push_back("where " + expression(spec.filter(), input));
  if (spec.project_all()) {
    parts.push_back("select *");
  } else {
    std::vector<std::string> columns;
    for (int i = 0; i < spec.projection_size(); ++i)
      columns.push_back(named(expression(spec.projection(i), input),
                              column(static_cast<std::uint32_t>(i), node.output())));
    parts.push_back(fmt::format("select [{}]", fmt::join(columns, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string aggregate(const proto::AggregateCall& call, const proto::Schema& input) {
  std::vector<std::string> arguments;
  for (const std::uint32_t argument : call.arguments())
    arguments.push_back(column(argument, input));
  std::string text =
      fmt::format("{}({}{})", call.function(), call.distinct() ? "DISTINCT " : "",
                  arguments.empty() ? "*" : fmt::to_string(fmt::join(arguments, ", ")));
  if (call.has_filter()) text += fmt::format(" FILTER (WHERE {})", column(call.filter(), input));
  return call.name().empty() ? text : named(text, call.name());
}

std::string window(const proto::WindowSpec& spec) {
  const auto size = [&] { return duration(spec.size_millis()); };
  const auto slide = [&] { return duration(spec.slide_millis()); };
  std::string text;
  if (spec.kind() == proto::WindowSpec::SESSION)
    return fmt::format("SESSION({})", duration(spec.gap_millis()));
  if (spec.kind() == proto::WindowSpec::CUMULATING) {
    text = fmt::format("CUMULATE({}, {}", slide(), size());
  } else if (spec.slide_millis() == spec.size_millis()) {
    text = fmt::format("TUMBLE({}", size());
  } else {
    text = fmt::format("HOP({}, {}", slide(), size());
  }
  if (spec.offset_millis() != 0) text += ", offset " + duration(spec.offset_millis());
  return text + ")";
}

std::string describe_window(const proto::WindowAggregateSpec& spec, const proto::Schema& input) {
  std::vector<std::string> aggregates;
  for (const auto& call : spec.aggregates()) aggregates.push_back(aggregate(call, input));
  std::string text = fmt::format("{} on {}, keys {}, aggregates [{}]", window(spec.window()),
                                 column(spec.time_column(), input), column_list(spec.keys(), input),
                                 fmt::join(aggregates, ", "));
  if (spec.allowed_lateness_millis() != 0)
    text += ", lateness " + duration(spec.allowed_lateness_millis());
  if (spec.emit_late_side_output()) text += ", late rows to output 1";
  if (spec.updating()) text += ", updating";
  if (spec.updating() && spec.early_fire_delay_millis() >= 0)
    text += ", early results after " + duration(spec.early_fire_delay_millis());
  if (spec.updating() && spec.late_fire_delay_millis() > 0)
    text += ", late ones after " + duration(spec.late_fire_delay_millis());
  return text;
}

std::string describe_expand(const proto::ExpandSpec& spec, const Schema& input) {
  std::vector<std::string> rows;
  for (const auto& projection : spec.projections()) {
    std::vector<std::string> columns;
    for (const auto& value : projection.columns()) columns.push_back(expression(value, input));
    rows.push_back(fmt::format("[{}]", fmt::join(columns, ", ")));
  }
  return fmt::format("expand {}", fmt::join(rows, ", "));
}

}  // namespace

std::string describe(const proto::JobGraph& graph, const proto::Node& node) {
  const proto::Schema& input = graph::input_schema(graph, node);
  switch (node.spec_case()) {
    case proto::Node::kSource: return describe_source(node.source(), node);
    case proto::Node::kSink:
      return fmt::format("write {}{} {}", node.sink().table(), table_options(node.sink().options()),
                         to_string(as_schema(node.sink().schema())));
    case proto::Node::kCalc: return describe_calc(node.calc(), node, as_schema(input));
    case proto::Node::kUnion: return "union all";
    case proto::Node::kWindowAggregate: return describe_window(node.window_aggregate(), input);
    case proto::Node::kWatermark:
      return fmt::format("rowtime {}, watermark {}", column(node.watermark().rowtime(), input),
                         watermark(node.watermark(), as_schema(input)));
    case proto::Node::kValues:
      return fmt::format("{} row{}", node.values().rows_size(),
                         node.values().rows_size() == 1 ? "" : "s");
    case proto::Node::kExpand: return describe_expand(node.expand(), as_schema(input));
    case proto::Node::kWindowTable:
      return fmt::format("{} on {}", window(node.window_table().window()),
                         column(node.window_table().time_column(), input));
    case proto::Node::kNative: return fmt::format("C++ {}", node.native().factory());
    case proto::Node::SPEC_NOT_SET: break;
  }
  return "nothing";
}

}  // namespace tidemark
