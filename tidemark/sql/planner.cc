// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/expr/proto.h"
#include "tidemark/sql/compile.h"
#include "tidemark/sql/expression_tree.h"

namespace tidemark::sql {
namespace {

/// Merging projections stops where a tree would grow deeper than this.
constexpr std::size_t kMaxCalcDepth = 60;

Schema schema_of(const std::vector<Field>& fields) {
  return Schema{fields};
}

std::vector<std::string> names_of(const Relation& relation) {
  std::vector<std::string> names;
  for (const RelationColumn& column : relation.columns) names.push_back(column.name);
  return names;
}

ExpressionPtr conjunction(const ExpressionPtr& first, ExpressionPtr second) {
  if (!first) return second;
  return and_expression({first, std::move(second)}).value();
}

bool is_foldable(const Relation& relation) {
  if (relation.kind != Relation::Kind::kValues) return false;
  for (const std::vector<ExpressionPtr>& row : relation.rows)
    for (const ExpressionPtr& column : row)
      if (!is_deterministic(*column)) return false;
  return true;
}

/// Projections of constant rows are constant rows.
RelationPtr fold_values(const Relation& project) {
  const Relation& input = *project.inputs.front();
  Relation folded;
  folded.kind = Relation::Kind::kValues;
  folded.columns = project.columns;
  folded.owner = input.owner;
  for (const std::vector<ExpressionPtr>& row : input.rows) {
    std::vector<ExpressionPtr> columns;
    for (const ExpressionPtr& expression : project.expressions)
      columns.push_back(substitute(expression, row));
    folded.rows.push_back(std::move(columns));
  }
  return std::make_shared<const Relation>(std::move(folded));
}

}  // namespace

proto::Node& Planner::add_node(std::string name, std::string uid, std::vector<Field> output,
                               std::uint32_t parallelism) {
  proto::Node& node = *graph_.add_nodes();
  node.set_id(static_cast<std::uint32_t>(graph_.nodes_size()));
  node.set_name(std::move(name));
  node.set_uid(std::move(uid));
  node.set_parallelism(parallelism);
  to_proto(schema_of(output), node.mutable_output());
  facts_.push_back({std::move(output), parallelism});
  return node;
}

/// The same subtask goes on with the rows, unless the two nodes have different numbers of them.
void Planner::connect(std::size_t from, std::size_t to, std::uint32_t input) {
  proto::Edge& edge = *graph_.add_edges();
  edge.set_from(static_cast<std::uint32_t>(from + 1));
  edge.set_to(static_cast<std::uint32_t>(to + 1));
  edge.set_to_input(input);
  facts_[to].gives_changes = facts_[to].gives_changes || facts_[from].gives_changes;
  edge.set_partitioning(facts_[from].parallelism == facts_[to].parallelism
                            ? proto::Edge::FORWARD
                            : proto::Edge::REBALANCE);
}

/// kind-owner, and a number from the second on.
std::string Planner::unique_uid(const std::string& kind, const std::string& owner) {
  const std::string base = fmt::format("{}-{}", kind, owner);
  const std::size_t number = ++uids_[base];
  return number == 1 ? base : fmt::format("{}-{}", base, number);
}

Planner::Stream Planner::whole_output(std::size_t node) const {
  Stream stream{.node = node};
  const std::vector<Field>& output = facts_[node].output;
  for (std::size_t i = 0; i < output.size(); ++i) {
    stream.columns.push_back(column_expression(i, output[i].type));
    stream.names.push_back(output[i].name);
  }
  return stream;
}

std::size_t Planner::materialize(const Stream& stream, const std::string& owner) {
  const std::vector<Field>& input = facts_[stream.node].output;
  bool all = stream.columns.size() == input.size();
  for (std::size_t i = 0; all && i < stream.columns.size(); ++i)
    all = stream.columns[i]->kind == Expression::Kind::kColumn && stream.columns[i]->column == i;
  if (all && !stream.filter) return stream.node;

  std::vector<Field> output;
  for (std::size_t i = 0; i < stream.columns.size(); ++i)
    output.push_back({stream.names[i], stream.columns[i]->type});
  const char* const name = !stream.filter ? "project" : all ? "filter" : "filter-project";
  proto::Node& node =
      add_node(name, unique_uid("calc", owner), std::move(output), facts_[stream.node].parallelism);
  proto::CalcSpec& calc = *node.mutable_calc();
  if (stream.filter) to_proto(*stream.filter, calc.mutable_filter());
  calc.set_project_all(all);
  for (std::size_t i = 0; !all && i < stream.columns.size(); ++i)
    to_proto(*stream.columns[i], calc.add_projection());
  connect(stream.node, facts_.size() - 1);
  return facts_.size() - 1;
}

// A column is computed once where it is read several times, where computing it again would give
// another value, and where the tree would grow too deep.
void Planner::settle(Stream& stream, const std::vector<ExpressionPtr>& users,
                     const std::string& owner) {
  std::vector<std::size_t> counts(stream.columns.size());
  std::size_t deepest_user = 0;
  for (const ExpressionPtr& user : users) {
    count_columns(*user, counts);
    deepest_user = std::max(deepest_user, depth(*user));
  }
  bool settled = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Expression& column = *stream.columns[i];
    if (counts[i] == 0 || is_trivial(column)) continue;
    settled = settled && counts[i] == 1 && is_deterministic(column) &&
              depth(column) + deepest_user <= kMaxCalcDepth;
  }
  if (!settled) stream = whole_output(materialize(stream, owner));
}

Result<Planner::Stream> Planner::plan(const RelationPtr& relation) {
  const auto known = planned_.find(relation.get());
  if (known != planned_.end() && window_left_out_ == nullptr) return known->second;
  Result<Stream> stream = Stream{};
  switch (relation->kind) {
    case Relation::Kind::kScan: stream = plan_scan(*relation); break;
    case Relation::Kind::kProject: stream = plan_project(*relation); break;
    case Relation::Kind::kFilter: stream = plan_filter(*relation); break;
    case Relation::Kind::kWindow: stream = plan_window(*relation); break;
    case Relation::Kind::kAggregate: stream = plan_aggregate(*relation); break;
    case Relation::Kind::kUnion: stream = plan_union(*relation); break;
    case Relation::Kind::kValues: stream = plan_values(*relation); break;
  }
  if (stream.ok() && window_left_out_ == nullptr) {
    planned_[relation.get()] = *stream;
    kept_.push_back(relation);
  }
  return stream;
}

Result<Planner::Stream> Planner::plan_project(const Relation& relation) {
  if (is_foldable(*relation.inputs.front())) return plan(fold_values(relation));
  TIDEMARK_ASSIGN_OR_RETURN(Stream stream, plan(relation.inputs.front()));
  settle(stream, relation.expressions, owner_);
  std::vector<ExpressionPtr> columns;
  for (const ExpressionPtr& expression : relation.expressions)
    columns.push_back(substitute(expression, stream.columns));
  stream.columns = std::move(columns);
  stream.names = names_of(relation);
  return stream;
}

Result<Planner::Stream> Planner::plan_filter(const Relation& relation) {
  TIDEMARK_ASSIGN_OR_RETURN(Stream stream, plan(relation.inputs.front()));
  const bool deterministic =
      std::all_of(stream.columns.begin(), stream.columns.end(),
                  [](const ExpressionPtr& column) { return is_deterministic(*column); });
  if (!deterministic) stream = whole_output(materialize(stream, owner_));
  settle(stream, relation.expressions, owner_);
  stream.filter =
      conjunction(stream.filter, substitute(relation.expressions.front(), stream.columns));
  return stream;
}

Result<Planner::Stream> Planner::plan_union(const Relation& relation) {
  std::vector<std::size_t> inputs;
  for (const RelationPtr& side : relation.inputs) {
    TIDEMARK_ASSIGN_OR_RETURN(const Stream stream, plan(side));
    inputs.push_back(materialize(stream, relation.owner));
  }
  const std::uint32_t first = facts_[inputs.front()].parallelism;
  const bool equal = std::all_of(inputs.begin(), inputs.end(), [&](std::size_t input) {
    return facts_[input].parallelism == first;
  });
  add_node("union-all", unique_uid("union", relation.owner), fields_of(relation), equal ? first : 0)
      .mutable_union_();
  const std::size_t node = facts_.size() - 1;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    connect(inputs[i], node, static_cast<std::uint32_t>(i));
  return whole_output(node);
}

Planner::Stream Planner::plan_values(const Relation& relation) {
  proto::Node& node =
      add_node("values", unique_uid("values", relation.owner), fields_of(relation), 1);
  for (const std::vector<ExpressionPtr>& row : relation.rows) {
    proto::ValuesRow& out = *node.mutable_values()->add_rows();
    for (const ExpressionPtr& column : row) to_proto(*column, out.add_columns());
  }
  return whole_output(facts_.size() - 1);
}

}  // namespace tidemark::sql
