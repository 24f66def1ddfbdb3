// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/binder_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/sql/parser.h"

namespace tidemark::sql {
namespace {

/// What walks over relations recurses; this keeps it from filling the stack.
constexpr std::size_t kMaxRelationDepth = 1000;

}  // namespace

RelationPtr make_project(RelationPtr input, std::vector<ExpressionPtr> expressions,
                         const std::vector<std::string>& names) {
  Relation relation;
  relation.kind = Relation::Kind::kProject;
  relation.window = input->window;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Expression& expression = *expressions[i];
    RelationColumn column{.name = names[i], .type = expression.type};
    if (expression.kind == Expression::Kind::kColumn) {
      column.role = input->columns[expression.column].role;
      column.flink_type = input->columns[expression.column].flink_type;
    }
    relation.columns.push_back(std::move(column));
  }
  relation.expressions = std::move(expressions);
  relation.inputs = {std::move(input)};
  set_depth(relation);
  return std::make_shared<const Relation>(std::move(relation));
}

RelationPtr make_filter(RelationPtr input, ExpressionPtr condition) {
  Relation relation;
  relation.kind = Relation::Kind::kFilter;
  relation.columns = input->columns;
  relation.window = input->window;
  relation.expressions = {std::move(condition)};
  relation.inputs = {std::move(input)};
  set_depth(relation);
  return std::make_shared<const Relation>(std::move(relation));
}

Result<RelationPtr> QueryBinder::bind(const ast::Query& query, std::string owner) {
  owner_ = std::move(owner);
  return bind_query(query);
}

Result<RelationPtr> QueryBinder::bind_view(const View& view) {
  const auto known = views_.find(view.name);
  if (known != views_.end()) return known->second;
  if (open_views_ == kMaxNesting)
    return source_.error(view.span,
                         fmt::format("views are nested more than {} levels deep", kMaxNesting));
  ++open_views_;
  std::string outer_owner = std::exchange(owner_, view.name);
  auto outer_tables = std::exchange(common_tables_, {});
  Result<RelationPtr> bound = bind_query(*view.query);
  --open_views_;
  owner_ = std::move(outer_owner);
  common_tables_ = std::move(outer_tables);
  if (bound.ok() && !view.columns.empty())
    bound = rename(std::move(bound).value(), view.columns, view.name);
  if (bound.ok()) views_[view.name] = *bound;
  return bound;
}

Result<RelationPtr> QueryBinder::bind_query(const ast::Query& query) {
  const std::size_t outer = common_tables_.size();
  for (const ast::CommonTable& table : query.with) {
    TIDEMARK_ASSIGN_OR_RETURN(RelationPtr relation, bind_query(*table.query));
    if (!table.columns.empty()) {
      TIDEMARK_ASSIGN_OR_RETURN(relation,
                                rename(std::move(relation), table.columns, table.name.text));
    }
    common_tables_.emplace_back(table.name.text, std::move(relation));
  }
  Result<RelationPtr> result = RelationPtr();
  if (const auto* select = std::get_if<ast::Select>(&query.body)) {
    result = bind_select(*select);
  } else if (const auto* values = std::get_if<ast::Values>(&query.body)) {
    result = bind_values(*values);
  } else if (const auto* node = std::get_if<ast::UnionAll>(&query.body)) {
    result = bind_union(*node);
  } else {
    result = bind_query(*std::get<ast::QueryPtr>(query.body));
  }
  common_tables_.resize(outer);
  if (result.ok() && (*result)->depth > kMaxRelationDepth)
    return source_.error(query.span,
                         fmt::format("this query is a chain of more than {} steps; store what is "
                                     "between in a table",
                                     kMaxRelationDepth));
  return result;
}

namespace {

/// The input with its columns cast to `types`; the input itself when it has them.
Result<RelationPtr> cast_columns(RelationPtr input, const std::vector<DataType>& types) {
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> names;
  bool same = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const RelationColumn& column = input->columns[i];
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr cast,
                              cast_expression(column_expression(i, column.type), types[i]));
    same = same && cast->kind == Expression::Kind::kColumn;
    expressions.push_back(std::move(cast));
    names.push_back(column.name);
  }
  if (same) return input;
  return make_project(std::move(input), std::move(expressions), names);
}

}  // namespace

Result<RelationPtr> QueryBinder::bind_union(const ast::UnionAll& node) {
  TIDEMARK_ASSIGN_OR_RETURN(RelationPtr left, bind_query(*node.left));
  TIDEMARK_ASSIGN_OR_RETURN(RelationPtr right, bind_query(*node.right));
  if (left->columns.size() != right->columns.size())
    return source_.error(
        node.right->span,
        fmt::format("UNION ALL needs the same number of columns on both sides: the "
                    "left has {}, the right {}",
                    left->columns.size(), right->columns.size()));
  std::vector<DataType> types;
  Relation relation;
  relation.kind = Relation::Kind::kUnion;
  for (std::size_t i = 0; i < left->columns.size(); ++i) {
    const RelationColumn& a = left->columns[i];
    const RelationColumn& b = right->columns[i];
    const auto type = common_type(a.type, b.type);
    if (!type.ok())
      return source_.error(
          node.span, fmt::format("column {} of this UNION ALL is '{}' {} on the "
                                 "left and '{}' {} on the right; add a CAST",
                                 i + 1, a.name, to_string(a.type), b.name, to_string(b.type)));
    const bool rowtime = is_rowtime(a.role) && is_rowtime(b.role);
    types.push_back(type->with_nullable(a.type.nullable || b.type.nullable));
    relation.columns.push_back(
        {a.name, types.back(), rowtime ? ColumnRole::kRowtime : ColumnRole::kPlain});
  }
  for (RelationPtr side : {left, right}) {
    TIDEMARK_ASSIGN_OR_RETURN(RelationPtr cast, cast_columns(std::move(side), types));
    // (a UNION ALL b) UNION ALL c is one union of three.
    if (cast->kind == Relation::Kind::kUnion) {
      relation.inputs.insert(relation.inputs.end(), cast->inputs.begin(), cast->inputs.end());
    } else {
      relation.inputs.push_back(std::move(cast));
    }
  }
  set_depth(relation);
  relation.owner = owner_;
  return std::make_shared<const Relation>(std::move(relation));
}

Result<RelationPtr> QueryBinder::bind_values(const ast::Values& values) {
  Relation relation;
  relation.kind = Relation::Kind::kValues;
  ExpressionBinder binder(source_, Scope{}, "VALUES");
  std::vector<DataType> types;
  for (const std::vector<ast::ExprPtr>& row : values.rows) {
    if (row.size() != values.rows.front().size())
      return source_.error(cover(row.front()->span, row.back()->span),
                           fmt::format("all rows of VALUES need the same number of columns: the "
                                       "first has {}, this one {}",
                                       values.rows.front().size(), row.size()));
    std::vector<ExpressionPtr> bound_row;
    for (std::size_t i = 0; i < row.size(); ++i) {
      TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, binder.bind(*row[i]));
      if (relation.rows.empty()) {
        types.push_back(bound->type);
      } else {
        const bool nullable = types[i].nullable || bound->type.nullable;
        const auto type = common_type(types[i], bound->type);
        if (!type.ok())
          return source_.error(row[i]->span,
                               fmt::format("this value is {}, and the rows above have {} in its "
                                           "column; add a CAST",
                                           to_string(bound->type.with_nullable(true)),
                                           to_string(types[i].with_nullable(true))));
        types[i] = type->with_nullable(nullable);
      }
      bound_row.push_back(std::move(bound));
    }
    relation.rows.push_back(std::move(bound_row));
  }
  for (std::vector<ExpressionPtr>& row : relation.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      TIDEMARK_ASSIGN_OR_RETURN(row[i], cast_expression(std::move(row[i]), types[i]));
    }
  }
  for (std::size_t i = 0; i < types.size(); ++i)
    relation.columns.push_back({fmt::format("EXPR${}", i), types[i]});
  relation.owner = owner_;
  return std::make_shared<const Relation>(std::move(relation));
}

}  // namespace tidemark::sql
