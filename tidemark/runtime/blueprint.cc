// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/blueprint.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "tidemark/expr/proto.h"
#include "tidemark/operator/connector.h"
#include "tidemark/runtime/operator_factory.h"
#include "tidemark/runtime/values_source.h"
#include "tidemark/runtime/watermark_strategy.h"

namespace tidemark {
namespace {

template <typename Options>
OptionMap to_options(const Options& options) {
  return {options.begin(), options.end()};
}

Result<SourceBlueprint> source_from_table(const proto::Node& node, const JobConfig& config,
                                          const ConnectorRegistry& connectors) {
  const proto::SourceSpec& spec = node.source();
  SourceBlueprint made{.table = spec.table()};
  TableOptions table{
      .table = spec.table(), .schema = nullptr, .options = to_options(spec.options())};
  table.time_zone = config.time_zone;
  TIDEMARK_ASSIGN_OR_RETURN(table.schema, from_proto(spec.physical()));
  TIDEMARK_ASSIGN_OR_RETURN(made.options, read_source_options(table.table, table.options));
  TIDEMARK_ASSIGN_OR_RETURN(made.source, connectors.make_source(table));
  made.rows.physical = table.schema;
  TIDEMARK_ASSIGN_OR_RETURN(made.rows.output, from_proto(node.output()));
  for (const proto::Expression& expression : spec.computed()) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr computed, from_proto(expression));
    made.rows.computed.push_back(std::move(computed));
  }
  if (spec.has_rowtime()) made.rows.rowtime = spec.rowtime();
  if (spec.has_watermark()) {
    TIDEMARK_ASSIGN_OR_RETURN(made.watermark, make_watermark_strategy(spec.watermark()));
    if (made.options.emission) made.watermark->emission = *made.options.emission;
    if (made.watermark->idle_after == 0) made.watermark->idle_after = config.source_idle_timeout;
    if (made.options.idle_after) made.watermark->idle_after = *made.options.idle_after;
  }
  return made;
}

Result<SourceBlueprint> source_from_values(const proto::Node& node, const JobConfig& config) {
  SourceBlueprint made{.table = "VALUES"};
  TIDEMARK_ASSIGN_OR_RETURN(made.rows.output, from_proto(node.output()));
  made.rows.physical = made.rows.output;
  TIDEMARK_ASSIGN_OR_RETURN(made.source,
                            make_values_source(node.values(), made.rows.output, config.time_zone));
  return made;
}

SourceBlueprint source_from_program(const proto::Node& node, const NativeFactory& factory) {
  SourceBlueprint made{.table = node.name()};
  made.source = factory.source;
  made.rows.physical = made.rows.output = factory.source->schema();
  if (factory.watermark.make_generator) made.watermark = factory.watermark;
  return made;
}

Result<SinkBlueprint> sink_from_table(const proto::Node& node, const JobConfig& config,
                                      const ConnectorRegistry& connectors) {
  const proto::SinkSpec& spec = node.sink();
  TableOptions table{
      .table = spec.table(), .schema = nullptr, .options = to_options(spec.options())};
  table.time_zone = config.time_zone;
  table.primary_key.assign(spec.primary_key().begin(), spec.primary_key().end());
  TIDEMARK_ASSIGN_OR_RETURN(table.schema, from_proto(spec.schema()));
  SinkBlueprint made{.table = spec.table(), .sink = nullptr, .schema = table.schema};
  TIDEMARK_ASSIGN_OR_RETURN(made.sink, connectors.make_sink(table));
  return made;
}

// Sees to it that the expressions of a source can be evaluated.
Status try_rows(const SourceBlueprint& source) {
  for (const ExpressionPtr& expression : source.rows.computed) {
    auto evaluator = make_evaluator(expression);
    if (!evaluator.ok()) return evaluator.error();
  }
  return {};
}

Status add_source(JobBlueprint& blueprint, std::size_t index, SourceBlueprint source) {
  source.rows.table = source.table;
  source.rows.max_future_skew = source.options.max_future_skew;
  source.rows.evaluation_errors = blueprint.config.evaluation_errors;
  source.rows.time_zone = blueprint.config.time_zone;
  TIDEMARK_TRY(try_rows(source));
  blueprint.sources.emplace(index, std::move(source));
  return {};
}

Status add_native(JobBlueprint& blueprint, std::size_t index) {
  const proto::Node& node = *blueprint.plan.nodes[index].node;
  const auto found = blueprint.graph.native.find(node.native().factory());
  if (found == blueprint.graph.native.end())
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("node '{}' names the factory '{}', which this program has not "
                             "registered",
                             node.name(), node.native().factory())};
  const NativeFactory& factory = found->second;
  if (factory.source) return add_source(blueprint, index, source_from_program(node, factory));
  if (factory.sink)
    blueprint.sinks.emplace(
        index, SinkBlueprint{.table = node.name(), .sink = factory.sink, .schema = nullptr});
  return {};
}

Status add_node(JobBlueprint& blueprint, std::size_t index, const ConnectorRegistry& connectors,
                std::set<std::uint32_t>& changing) {
  const proto::Node& node = *blueprint.plan.nodes[index].node;
  if (node.has_source()) {
    TIDEMARK_ASSIGN_OR_RETURN(SourceBlueprint source,
                              source_from_table(node, blueprint.config, connectors));
    return add_source(blueprint, index, std::move(source));
  }
  if (node.has_values()) {
    TIDEMARK_ASSIGN_OR_RETURN(SourceBlueprint source, source_from_values(node, blueprint.config));
    return add_source(blueprint, index, std::move(source));
  }
  if (node.has_sink()) {
    TIDEMARK_ASSIGN_OR_RETURN(SinkBlueprint sink,
                              sink_from_table(node, blueprint.config, connectors));
    blueprint.sinks.emplace(index, std::move(sink));
    return {};
  }
  if (node.has_native()) TIDEMARK_TRY(add_native(blueprint, index));
  if (blueprint.sources.contains(index) || blueprint.sinks.contains(index)) return {};
  auto trial = make_operator(blueprint, index);
  if (!trial.ok()) return trial.error();
  if (*trial != nullptr && (*trial)->gives_changes()) changing.insert(node.id());
  return {};
}

/// Rows that update or take back earlier ones reach only sinks that take them. `changing` are the
/// nodes that begin to give such rows.
Status check_changes(const JobBlueprint& blueprint, std::set<std::uint32_t> changing) {
  for (std::size_t i = 0; i < blueprint.plan.nodes.size(); ++i) {
    const proto::Node& node = *blueprint.plan.nodes[i].node;
    const proto::Node* from = nullptr;
    for (const proto::Edge& edge : blueprint.graph.plan.edges()) {
      // A side output carries rows of the input.
      if (edge.to() != node.id() || edge.from_output() != 0 || !changing.contains(edge.from()))
        continue;
      changing.insert(node.id());
      for (const proto::Node& each : blueprint.graph.plan.nodes())
        if (each.id() == edge.from()) from = &each;
    }
    const auto sink = blueprint.sinks.find(i);
    if (from == nullptr || sink == blueprint.sinks.end() || sink->second.sink->takes_changes())
      continue;
    return Error{ErrorCode::kUnsupported,
                 fmt::format("sink '{}' takes new rows only, but those of '{}' update or take back "
                             "earlier ones",
                             sink->second.table, from->name())};
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const JobBlueprint>> make_blueprint(JobGraph graph, JobConfig config,
                                                           const ConnectorRegistry& connectors) {
  TIDEMARK_TRY(validate(graph.plan));
  auto blueprint = std::make_shared<JobBlueprint>();
  blueprint->graph = std::move(graph);
  blueprint->config = std::move(config);
  TIDEMARK_ASSIGN_OR_RETURN(blueprint->plan,
                            make_physical_plan(blueprint->graph.plan, blueprint->config.parallelism,
                                               blueprint->config.max_parallelism));
  std::set<std::uint32_t> changing;
  for (std::size_t i = 0; i < blueprint->plan.nodes.size(); ++i)
    TIDEMARK_TRY(add_node(*blueprint, i, connectors, changing));
  TIDEMARK_TRY(check_changes(*blueprint, std::move(changing)));
  return std::shared_ptr<const JobBlueprint>(std::move(blueprint));
}

}  // namespace tidemark
