// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/operator_factory.h"

#include <fmt/format.h>

#include <utility>

#include "tidemark/expr/proto.h"
#include "tidemark/graph/lookup.h"
#include "tidemark/operator/calc.h"
#include "tidemark/operator/expand.h"
#include "tidemark/operator/watermark_assigner.h"
#include "tidemark/runtime/watermark_strategy.h"
#include "tidemark/window/window_operator.h"
#include "tidemark/window/window_table.h"

namespace tidemark {
namespace {

using MadeOperator = Result<std::unique_ptr<Operator>>;

// UNION ALL: the gate has merged the inputs already.
class UnionOperator final : public Operator {
 public:
  Step process(const BatchPtr& batch, std::size_t input, Output& out) override {
    static_cast<void>(input);
    out.emit(batch);
    return Step::kDone;
  }
};

MadeOperator make_calc(const JobBlueprint& blueprint, const proto::Node& node) {
  const proto::CalcSpec& spec = node.calc();
  CalcDescription description;
  TIDEMARK_ASSIGN_OR_RETURN(description.input,
                            from_proto(graph::input_schema(blueprint.graph.plan, node)));
  TIDEMARK_ASSIGN_OR_RETURN(description.output, from_proto(node.output()));
  if (spec.has_filter()) {
    TIDEMARK_ASSIGN_OR_RETURN(description.filter, from_proto(spec.filter()));
  }
  if (spec.project_all())
    for (std::size_t i = 0; i < description.input->size(); ++i)
      description.projection.push_back(column_expression(i, description.input->fields[i].type));
  for (const proto::Expression& expression : spec.projection()) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr projected, from_proto(expression));
    description.projection.push_back(std::move(projected));
  }
  description.errors = blueprint.config.evaluation_errors;
  return make_calc_operator(std::move(description));
}

Result<WindowDescription> describe_window(const proto::WindowSpec& spec) {
  if (spec.kind() == proto::WindowSpec::SESSION)
    return Error{ErrorCode::kUnsupported, "session windows are not made of slices"};
  return WindowDescription{.size = spec.size_millis(),
                           .slide = spec.slide_millis(),
                           .offset = spec.offset_millis(),
                           .shape = spec.kind() == proto::WindowSpec::CUMULATING
                                        ? WindowShape::kCumulating
                                        : WindowShape::kSliding};
}

MadeOperator make_window(const JobBlueprint& blueprint, const proto::Node& node) {
  const proto::WindowAggregateSpec& spec = node.window_aggregate();
  WindowAggregateDescription description;
  TIDEMARK_ASSIGN_OR_RETURN(description.input,
                            from_proto(graph::input_schema(blueprint.graph.plan, node)));
  TIDEMARK_ASSIGN_OR_RETURN(description.output, from_proto(node.output()));
  TIDEMARK_ASSIGN_OR_RETURN(const DataType time_type, from_proto(spec.time_type()));
  if (spec.window().kind() == proto::WindowSpec::SESSION) {
    description.session_gap = spec.window().gap_millis();
    description.updating = spec.updating();
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(description.window.window, describe_window(spec.window()));
  }
  description.window.window.allowed_lateness = spec.allowed_lateness_millis();
  for (const std::uint32_t key : spec.keys()) {
    description.window.key_columns.push_back(key);
    description.window.key_types.push_back(description.input->fields[key].type);
  }
  if (spec.updating() && description.session_gap == 0) {
    description.window.updating = true;
    description.window.early_fire_delay = spec.early_fire_delay_millis();
    description.window.late_fire_delay = spec.late_fire_delay_millis();
  }
  description.window.late_side_output = spec.emit_late_side_output();
  for (const proto::AggregateCall& call : spec.aggregates())
    description.aggregates.push_back(from_proto(call));
  description.time_zone = blueprint.config.time_zone;
  description.local_time = time_type.kind == TypeKind::kTimestampLtz;
  description.errors = blueprint.config.evaluation_errors;
  return make_window_aggregate(std::move(description));
}

MadeOperator make_window_rows(const JobBlueprint& blueprint, const proto::Node& node) {
  const proto::WindowTableSpec& spec = node.window_table();
  WindowTableDescription description;
  TIDEMARK_ASSIGN_OR_RETURN(description.output, from_proto(node.output()));
  TIDEMARK_ASSIGN_OR_RETURN(const DataType time_type, from_proto(spec.time_type()));
  TIDEMARK_ASSIGN_OR_RETURN(description.window, describe_window(spec.window()));
  description.time_zone = blueprint.config.time_zone;
  description.local_time = time_type.kind == TypeKind::kTimestampLtz;
  return make_window_table(std::move(description));
}

MadeOperator make_expand(const JobBlueprint& blueprint, const proto::Node& node) {
  ExpandDescription description;
  TIDEMARK_ASSIGN_OR_RETURN(description.input,
                            from_proto(graph::input_schema(blueprint.graph.plan, node)));
  TIDEMARK_ASSIGN_OR_RETURN(description.output, from_proto(node.output()));
  for (const auto& projection : node.expand().projections()) {
    std::vector<ExpressionPtr>& columns = description.projections.emplace_back();
    for (const proto::Expression& column : projection.columns()) {
      TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr expression, from_proto(column));
      columns.push_back(std::move(expression));
    }
  }
  return make_expand_operator(std::move(description));
}

MadeOperator make_watermark(const JobBlueprint& blueprint, const proto::Node& node) {
  WatermarkAssignerDescription description;
  TIDEMARK_ASSIGN_OR_RETURN(description.strategy, make_watermark_strategy(node.watermark()));
  description.rowtime = node.watermark().rowtime();
  description.errors = blueprint.config.evaluation_errors;
  return make_watermark_assigner(std::move(description));
}

}  // namespace

Result<std::unique_ptr<Operator>> make_operator(const JobBlueprint& blueprint, std::size_t index) {
  const proto::Node& node = *blueprint.plan.nodes[index].node;
  switch (node.spec_case()) {
    case proto::Node::kCalc: return make_calc(blueprint, node);
    case proto::Node::kUnion: return std::unique_ptr<Operator>(std::make_unique<UnionOperator>());
    case proto::Node::kWindowAggregate: return make_window(blueprint, node);
    case proto::Node::kWatermark: return make_watermark(blueprint, node);
    case proto::Node::kExpand: return make_expand(blueprint, node);
    case proto::Node::kWindowTable: return make_window_rows(blueprint, node);
    case proto::Node::kNative: {
      const NativeFactory& factory = blueprint.graph.native.at(node.native().factory());
      if (!factory.make_operator) break;
      return factory.make_operator();
    }
    default: break;
  }
  return Error{ErrorCode::kUnsupported,
               fmt::format("node '{}' has no operator that this version knows", node.name())};
}

bool is_keyed(const JobBlueprint& blueprint, std::size_t node) {
  const proto::Node& planned = *blueprint.plan.nodes[node].node;
  return planned.has_window_aggregate() || planned.has_native();
}

}  // namespace tidemark
