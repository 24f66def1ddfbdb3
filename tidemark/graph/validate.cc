// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "tidemark/data/type.h"
#include "tidemark/expr/proto.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/state/key_group.h"
#include "tidemark/window/window_description.h"

namespace tidemark {
namespace {

template <typename... Args>
Error invalid(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInvalidOption,
          "invalid job graph: " + fmt::format(format, std::forward<Args>(args)...)};
}

std::string name_of(const proto::Node& node) {
  return fmt::format("node {} '{}'", node.id(), node.name().empty() ? node.uid() : node.name());
}

bool has_inputs(const proto::Node& node) {
  return !node.has_source() && !node.has_values();
}

/// Columns [0, size) of some schema that specs refer to.
Status check_column(const proto::Node& node, const char* what, std::uint32_t column,
                    const proto::Schema& schema) {
  if (column < static_cast<std::uint32_t>(schema.fields_size())) return {};
  return invalid("{}: {} is column {} of {}", name_of(node), what, column, schema.fields_size());
}

Status check_time_column(const proto::Node& node, const char* what, std::uint32_t column,
                         const proto::Schema& schema) {
  TIDEMARK_TRY(check_column(node, what, column, schema));
  const proto::Field& field = schema.fields(static_cast<int>(column));
  if (field.type().kind() == proto::DataType::TIMESTAMP ||
      field.type().kind() == proto::DataType::TIMESTAMP_LTZ)
    return {};
  return invalid("{}: {} '{}' is not a TIMESTAMP", name_of(node), what, field.name());
}

Status check_expression(const proto::Node& node, const proto::Expression& expression,
                        const proto::Schema& input, int columns) {
  if (expression.kind() == proto::Expression::COLUMN) {
    if (expression.column() >= static_cast<std::uint32_t>(columns))
      return invalid("{}: an expression reads column {} of {}", name_of(node), expression.column(),
                     columns);
    const proto::Field& field = input.fields(static_cast<int>(expression.column()));
    if (field.type().kind() != expression.type().kind())
      return invalid("{}: an expression reads column '{}' as another type than it has",
                     name_of(node), field.name());
  }
  for (const proto::Expression& argument : expression.arguments())
    TIDEMARK_TRY(check_expression(node, argument, input, columns));
  return {};
}

Status check_same_types(const proto::Node& node, const char* what, const proto::Schema& has,
                        const proto::Schema& wants) {
  if (has.fields_size() != wants.fields_size())
    return invalid("{}: {} has {} columns, but {} are wanted", name_of(node), what,
                   has.fields_size(), wants.fields_size());
  for (int i = 0; i < has.fields_size(); ++i) {
    TIDEMARK_ASSIGN_OR_RETURN(const DataType from, from_proto(has.fields(i).type()));
    TIDEMARK_ASSIGN_OR_RETURN(const DataType to, from_proto(wants.fields(i).type()));
    if (from.kind != to.kind || from.precision != to.precision || from.scale != to.scale)
      return invalid("{}: column {} '{}' of {} is {}, but '{}' wants {}", name_of(node), i,
                     has.fields(i).name(), what, to_string(from), wants.fields(i).name(),
                     to_string(to));
  }
  return {};
}

Status check_source(const proto::Node& node) {
  const proto::SourceSpec& spec = node.source();
  const int physical = spec.physical().fields_size();
  if (node.output().fields_size() != physical + spec.computed_size())
    return invalid("{}: {} columns come out of {} physical and {} computed ones", name_of(node),
                   node.output().fields_size(), physical, spec.computed_size());
  for (int i = 0; i < spec.computed_size(); ++i)
    TIDEMARK_TRY(check_expression(node, spec.computed(i), node.output(), physical + i));
  if (spec.has_rowtime())
    TIDEMARK_TRY(check_time_column(node, "the rowtime", spec.rowtime(), node.output()));
  if (spec.has_watermark() && spec.watermark().strategy() == proto::WatermarkSpec::EXPRESSION)
    TIDEMARK_TRY(check_expression(node, spec.watermark().expression(), node.output(),
                                  node.output().fields_size()));
  if (spec.has_watermark() && !spec.has_rowtime())
    return invalid("{}: a watermark without a rowtime", name_of(node));
  return {};
}

Status check_calc(const proto::Node& node, const proto::Schema& input) {
  const proto::CalcSpec& spec = node.calc();
  if (spec.has_filter())
    TIDEMARK_TRY(check_expression(node, spec.filter(), input, input.fields_size()));
  for (const proto::Expression& expression : spec.projection())
    TIDEMARK_TRY(check_expression(node, expression, input, input.fields_size()));
  if (spec.project_all()) return check_same_types(node, "the input", input, node.output());
  if (spec.projection_size() != node.output().fields_size())
    return invalid("{}: {} expressions for {} columns", name_of(node), spec.projection_size(),
                   node.output().fields_size());
  return {};
}

Status check_window_spec(const proto::Node& node, const proto::WindowSpec& window) {
  if (window.kind() == proto::WindowSpec::SESSION) {
    if (window.gap_millis() > 0) return {};
    return invalid("{}: a session gap of {} ms; it must be above 0", name_of(node),
                   window.gap_millis());
  }
  const bool cumulating = window.kind() == proto::WindowSpec::CUMULATING;
  const WindowDescription description{
      .size = window.size_millis(),
      .slide = window.slide_millis(),
      .offset = window.offset_millis(),
      .shape = cumulating ? WindowShape::kCumulating : WindowShape::kSliding};
  const Status status = validate(description);
  if (!status.ok()) return invalid("{}: {}", name_of(node), status.error().message);
  return {};
}

Status check_expand(const proto::Node& node, const proto::Schema& input) {
  for (const auto& projection : node.expand().projections()) {
    if (projection.columns_size() != node.output().fields_size())
      return invalid("{}: {} expressions for {} columns", name_of(node), projection.columns_size(),
                     node.output().fields_size());
    for (const proto::Expression& column : projection.columns()) {
      if (column.kind() != proto::Expression::COLUMN && column.kind() != proto::Expression::LITERAL)
        return invalid("{}: an expansion takes columns and literals", name_of(node));
      TIDEMARK_TRY(check_expression(node, column, input, input.fields_size()));
    }
  }
  if (node.expand().projections_size() > 0) return {};
  return invalid("{}: an expansion to no rows", name_of(node));
}

Status check_window_table(const proto::Node& node, const proto::Schema& input) {
  const proto::WindowTableSpec& spec = node.window_table();
  TIDEMARK_TRY(check_time_column(node, "the window's time", spec.time_column(), input));
  TIDEMARK_TRY(check_window_spec(node, spec.window()));
  if (spec.window().kind() == proto::WindowSpec::SESSION)
    return invalid("{}: rows of sessions are known only when the session ends", name_of(node));
  if (node.output().fields_size() == input.fields_size() + 3) return {};
  return invalid("{}: {} columns come out of {} and 3 window columns", name_of(node),
                 node.output().fields_size(), input.fields_size());
}

Status check_window(const proto::Node& node, const proto::Schema& input) {
  const proto::WindowAggregateSpec& spec = node.window_aggregate();
  TIDEMARK_TRY(check_time_column(node, "the window's time", spec.time_column(), input));
  TIDEMARK_TRY(check_window_spec(node, spec.window()));
  if (spec.allowed_lateness_millis() < 0)
    return invalid("{}: an allowed lateness of {} ms", name_of(node),
                   spec.allowed_lateness_millis());
  for (const std::uint32_t key : spec.keys()) TIDEMARK_TRY(check_column(node, "a key", key, input));
  for (const proto::AggregateCall& call : spec.aggregates()) {
    for (const std::uint32_t argument : call.arguments())
      TIDEMARK_TRY(check_column(node, "an aggregate's argument", argument, input));
    if (call.has_filter())
      TIDEMARK_TRY(check_column(node, "an aggregate's filter", call.filter(), input));
  }
  if (const int columns = spec.keys_size() + spec.aggregates_size() + 3;
      columns != node.output().fields_size())
    return invalid("{}: {} columns come out of {} keys, {} aggregates and 3 window columns",
                   name_of(node), node.output().fields_size(), spec.keys_size(),
                   spec.aggregates_size());
  return {};
}

class Validation {
 public:
  explicit Validation(const proto::JobGraph& graph) : graph_(graph) {}

  Status run() {
    if (graph_.nodes_size() == 0) return invalid("it has no nodes");
    if (graph_.max_parallelism() > kMaxMaxParallelism)
      return invalid("max parallelism {} is above {}", graph_.max_parallelism(),
                     kMaxMaxParallelism);
    TIDEMARK_TRY(check_nodes());
    for (const proto::Edge& edge : graph_.edges()) TIDEMARK_TRY(check_edge(edge));
    TIDEMARK_TRY(check_connections());
    return {};
  }

 private:
  Status check_nodes() {
    std::map<std::string, std::uint32_t> uids;
    const std::uint32_t most =
        graph_.max_parallelism() == 0 ? kDefaultMaxParallelism : graph_.max_parallelism();
    for (int i = 0; i < graph_.nodes_size(); ++i) {
      const proto::Node& node = graph_.nodes(i);
      if (!positions_.emplace(node.id(), i).second)
        return invalid("two nodes have the id {}", node.id());
      if (node.uid().empty()) return invalid("{} has no uid", name_of(node));
      const auto [other, is_new] = uids.emplace(node.uid(), node.id());
      if (!is_new)
        return invalid("nodes {} and {} have the same uid '{}'", other->second, node.id(),
                       node.uid());
      if (node.spec_case() == proto::Node::SPEC_NOT_SET)
        return invalid("{} says nothing of what it does", name_of(node));
      if (node.parallelism() > most)
        return invalid("{} has parallelism {}, above the max parallelism {}", name_of(node),
                       node.parallelism(), most);
      if (node.has_source()) TIDEMARK_TRY(check_source(node));
    }
    return {};
  }

  const proto::Node* node(std::uint32_t id) const {
    const auto position = positions_.find(id);
    return position == positions_.end() ? nullptr : &graph_.nodes(position->second);
  }

  Status check_edge(const proto::Edge& edge) {
    const proto::Node* from = node(edge.from());
    const proto::Node* to = node(edge.to());
    if (from == nullptr || to == nullptr)
      return invalid("an edge goes from node {} to node {}, but there is no node {}", edge.from(),
                     edge.to(), from == nullptr ? edge.from() : edge.to());
    if (positions_[edge.from()] >= positions_[edge.to()])
      return invalid("{} comes before {}, whose rows it takes", name_of(*to), name_of(*from));
    if (from->has_sink()) return invalid("{} is a sink, but has a consumer", name_of(*from));
    if (!has_inputs(*to)) return invalid("{} takes no input, but has one", name_of(*to));
    TIDEMARK_TRY(check_output(edge, *from));
    TIDEMARK_TRY(check_keys(edge, *from, *to));
    consumed_.insert(edge.from());
    inputs_[edge.to()].insert(edge.to_input());
    return check_spec(*to, from->output());
  }

  static Status check_output(const proto::Edge& edge, const proto::Node& from) {
    const bool late =
        from.has_window_aggregate() && from.window_aggregate().emit_late_side_output();
    if (edge.from_output() == 0 || from.has_native() || (late && edge.from_output() == 1))
      return {};
    return invalid("{} has no output {}", name_of(from), edge.from_output());
  }

  static Status check_keys(const proto::Edge& edge, const proto::Node& from,
                           const proto::Node& to) {
    const bool hashed = edge.partitioning() == proto::Edge::HASH;
    if (!hashed && edge.key_columns_size() != 0)
      return invalid("the edge into {} has keys, but is not partitioned by hash", name_of(to));
    for (const std::uint32_t key : edge.key_columns())
      TIDEMARK_TRY(check_column(to, "a key of its input", key, from.output()));
    if (!to.has_window_aggregate()) return {};
    const auto& wanted = to.window_aggregate().keys();
    const auto& has = edge.key_columns();
    if (hashed && std::equal(wanted.begin(), wanted.end(), has.begin(), has.end())) return {};
    return invalid("{} needs its input partitioned by its keys", name_of(to));
  }

  static Status check_spec(const proto::Node& to, const proto::Schema& input) {
    if (to.has_calc()) return check_calc(to, input);
    if (to.has_window_aggregate()) return check_window(to, input);
    if (to.has_window_table()) return check_window_table(to, input);
    if (to.has_expand()) return check_expand(to, input);
    if (to.has_sink()) return check_same_types(to, "the input", input, to.sink().schema());
    if (to.has_union_()) return check_same_types(to, "an input", input, to.output());
    if (!to.has_watermark()) return {};
    TIDEMARK_TRY(check_time_column(to, "the rowtime", to.watermark().rowtime(), input));
    return check_same_types(to, "the input", input, to.output());
  }

  Status check_connections() {
    for (const proto::Node& each : graph_.nodes()) {
      if (!each.has_sink() && !consumed_.contains(each.id()) && !is_native_sink(each))
        return invalid("nobody takes the rows of {}", name_of(each));
      if (!has_inputs(each) || is_native_source(each)) continue;
      const std::set<std::uint32_t>& inputs = inputs_[each.id()];
      if (inputs.empty()) return invalid("{} has no input", name_of(each));
      if (*inputs.rbegin() + 1 != inputs.size())
        return invalid("{} has an input {}, but not all before it", name_of(each),
                       *inputs.rbegin());
      if (inputs.size() > 1 && !each.has_union_() && !each.has_native())
        return invalid("{} takes one input, but has {}", name_of(each), inputs.size());
    }
    return {};
  }

  /// What a native node is shows only in its factory; one end may be open.
  bool is_native_source(const proto::Node& each) const {
    return each.has_native() && consumed_.contains(each.id());
  }
  bool is_native_sink(const proto::Node& each) const {
    return each.has_native() && each.output().fields_size() == 0 && inputs_.contains(each.id());
  }

  const proto::JobGraph& graph_;
  std::map<std::uint32_t, int> positions_;
  std::set<std::uint32_t> consumed_;
  std::map<std::uint32_t, std::set<std::uint32_t>> inputs_;
};

}  // namespace

Status validate(const proto::JobGraph& graph) {
  return Validation(graph).run();
}

}  // namespace tidemark
