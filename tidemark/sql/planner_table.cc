// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/expr/proto.h"
#include "tidemark/sql/compile.h"
#include "tidemark/sql/planner.h"
#include "tidemark/state/key_group.h"

// Where a plan meets tables: sources, sinks, and the options that they take.

namespace tidemark::sql {
namespace {

constexpr std::string_view kIdleTimeout = "table.exec.source.idle-timeout";
constexpr std::string_view kMaxParallelism = "pipeline.max-parallelism";
constexpr std::string_view kTimeZone = "table.local-time-zone";

}  // namespace

TableOptions Planner::table_options(const Table& table) const {
  const auto zone = options_.find(kTimeZone);
  return {.table = table.name,
          .schema = table.physical,
          .options = table.options,
          .primary_key = table.primary_key,
          .time_zone = zone == options_.end() ? "UTC" : zone->second};
}

/// The error at the option that its message quotes, else at the table's name.
Error Planner::option_error(const Table& table, const Error& error) const {
  Span place = table.span;
  std::size_t longest = 0;
  for (const auto& [option, span] : table.option_spans) {
    if (option.size() <= longest ||
        error.message.find(fmt::format("'{}'", option)) == std::string::npos)
      continue;
    place = span;
    longest = option.size();
  }
  const auto connector = table.option_spans.find("connector");
  const bool about_connector = error.message.find("connector '") != std::string::npos;
  if (longest == 0 && about_connector && connector != table.option_spans.end())
    place = connector->second;
  return source_.error(place, error.message, error.code);
}

Result<std::uint32_t> Planner::parallelism_option(const Table& table,
                                                  std::string_view option) const {
  if (table.options.find(option) == table.options.end()) return 0U;
  OptionReader reader(fmt::format("table '{}'", table.name), table.options);
  const Result<std::int64_t> value = reader.integer(option, 1, 1, kMaxMaxParallelism);
  if (!value.ok()) return option_error(table, value.error());
  return static_cast<std::uint32_t>(*value);
}

Result<Planner::Stream> Planner::plan_scan(const Relation& relation) {
  const Table& table = *relation.table;
  const Result<SourcePtr> checked = connectors_.make_source(table_options(table));
  if (!checked.ok()) return option_error(table, checked.error());
  TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t parallelism,
                            parallelism_option(table, "scan.parallelism"));
  std::vector<Field> output = table.physical->fields;
  output.insert(output.end(), table.computed_fields.begin(), table.computed_fields.end());
  proto::Node& node = add_node(fmt::format("source[{}]", table.name),
                               unique_uid("source", table.name), std::move(output), parallelism);
  proto::SourceSpec& spec = *node.mutable_source();
  spec.set_table(table.name);
  to_proto(*table.physical, spec.mutable_physical());
  spec.mutable_options()->insert(table.options.begin(), table.options.end());
  for (const ExpressionPtr& computed : table.computed) to_proto(*computed, spec.add_computed());
  if (table.rowtime) {
    const auto rowtime = static_cast<std::uint32_t>(*table.rowtime);
    spec.set_rowtime(rowtime);
    proto::WatermarkSpec& watermark = *spec.mutable_watermark();
    watermark.set_strategy(proto::WatermarkSpec::EXPRESSION);
    to_proto(*table.watermark, watermark.mutable_expression());
    watermark.set_emit_on_event(table.emit_on_event);
    watermark.set_rowtime(rowtime);
    Millis idle = table.idle_timeout.value_or(0);
    const auto global = options_.find(kIdleTimeout);
    if (!table.idle_timeout && global != options_.end()) {
      TIDEMARK_ASSIGN_OR_RETURN(idle, parse_duration(kIdleTimeout, global->second));
    }
    watermark.set_idle_after_millis(idle);
  }
  return whole_output(facts_.size() - 1);
}

void Planner::plan_sink(std::size_t input, const std::string& table,
                        const std::vector<Field>& schema, const OptionMap& options,
                        const std::vector<std::size_t>& primary_key) {
  std::uint32_t parallelism = facts_[input].parallelism;
  const auto own = options.find("sink.parallelism");
  if (own != options.end()) parallelism = static_cast<std::uint32_t>(std::stoul(own->second));
  proto::Node& node =
      add_node(fmt::format("sink[{}]", table), unique_uid("sink", table), {}, parallelism);
  proto::SinkSpec& spec = *node.mutable_sink();
  spec.set_table(table);
  to_proto(Schema{schema}, spec.mutable_schema());
  spec.mutable_options()->insert(options.begin(), options.end());
  for (const std::size_t column : primary_key)
    spec.add_primary_key(static_cast<std::uint32_t>(column));
  connect(input, facts_.size() - 1);
}

Status Planner::add_insert(const BoundInsert& insert) {
  const Table& target = *insert.target;
  owner_ = target.name;
  const Result<SinkPtr> checked = connectors_.make_sink(table_options(target));
  if (!checked.ok()) return option_error(target, checked.error());
  TIDEMARK_TRY(parallelism_option(target, "sink.parallelism"));
  TIDEMARK_ASSIGN_OR_RETURN(const Stream stream, plan(insert.input));
  const std::size_t input = materialize(stream, owner_);
  if (facts_[input].gives_changes && !(*checked)->takes_changes())
    return source_.unsupported(
        target.span,
        fmt::format(
            "'{}' (connector '{}') takes new rows only, and this query changes results that "
            "it gave before: table.exec.emit.* lets its windows fire early or late",
            target.name, target.options.at("connector")));
  plan_sink(input, target.name, target.physical->fields, target.options, target.primary_key);
  return {};
}

Status Planner::add_select(const RelationPtr& query) {
  owner_ = kResultTable;
  TIDEMARK_ASSIGN_OR_RETURN(const Stream stream, plan(query));
  std::vector<Field> schema;
  for (const RelationColumn& column : query->columns) schema.push_back({column.name, column.type});
  plan_sink(materialize(stream, owner_), owner_, schema,
            {{"connector", std::string(kResultConnector)}}, {});
  return {};
}

Result<proto::JobGraph> Planner::finish(std::string name) {
  graph_.set_name(std::move(name));
  graph_.mutable_options()->insert(options_.begin(), options_.end());
  if (options_.find(kMaxParallelism) != options_.end()) {
    OptionReader reader("the job", options_);
    TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t maximum,
                              reader.integer(kMaxParallelism, 1, 1, kMaxMaxParallelism));
    graph_.set_max_parallelism(static_cast<std::uint32_t>(maximum));
  }
  return std::move(graph_);
}

}  // namespace tidemark::sql
