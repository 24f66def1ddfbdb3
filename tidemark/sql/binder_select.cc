// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tidemark/sql/binder_query.h"

namespace tidemark::sql {
namespace {

bool is_unqualified_name(const ast::Expr& expression) {
  return expression.kind == ast::Expr::Kind::kColumn && expression.path.size() == 1;
}

bool is_ordinal(const ast::Expr& expression) {
  return expression.kind == ast::Expr::Kind::kLiteral && !expression.literal.is_null &&
         is_integer(expression.literal.type.kind);
}

bool is_legacy_window(const ast::Expr& expression) {
  return expression.kind == ast::Expr::Kind::kCall && expression.function.text == "TUMBLE";
}

constexpr std::string_view kWindowCure =
    "; group by the window: ... FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY "
    "window_start, window_end";

}  // namespace

/// The SELECT list with every * written out.
Result<std::vector<QueryBinder::SelectColumn>> QueryBinder::expand_items(const ast::Select& select,
                                                                         const Scope& scope) {
  std::vector<SelectColumn> columns;
  for (const ast::SelectItem& item : select.items) {
    const ast::Expr& expression = *item.expression;
    if (expression.kind != ast::Expr::Kind::kStar) {
      std::string name = item.alias ? item.alias->text
                         : expression.kind == ast::Expr::Kind::kColumn
                             ? expression.path.back().text
                             : fmt::format("EXPR${}", columns.size());
      columns.push_back({&expression, 0, std::move(name), expression.span});
      continue;
    }
    if (!expression.path.empty()) {
      if (expression.path.size() > 1)
        return source_.unsupported(expression.span, "fields of a column are not supported");
      TIDEMARK_TRY(check_qualifier(source_, scope, expression.path.front()));
    }
    if (scope.columns == nullptr) return source_.error(expression.span, "SELECT * needs a FROM");
    for (std::size_t i = 0; i < scope.size(); ++i)
      columns.push_back({nullptr, i, (*scope.columns)[i].name, expression.span});
  }
  return columns;
}

Result<RelationPtr> QueryBinder::project(const Source& input,
                                         const std::vector<SelectColumn>& columns,
                                         ExpressionBinder& binder) {
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> names;
  for (const SelectColumn& column : columns) {
    if (column.expression == nullptr) {
      expressions.push_back(
          column_expression(column.column, input.relation->columns[column.column].type));
    } else {
      TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, binder.bind(*column.expression));
      expressions.push_back(std::move(bound));
    }
    names.push_back(column.name);
  }
  return make_project(input.relation, std::move(expressions), names);
}

Result<RelationPtr> QueryBinder::bind_select(const ast::Select& select) {
  Source input;
  if (select.from) {
    TIDEMARK_ASSIGN_OR_RETURN(input, bind_from(*select.from));
  } else {
    // SELECT without FROM reads one row, whose only column no name reaches.
    Relation one;
    one.kind = Relation::Kind::kValues;
    one.owner = owner_;
    one.columns = {{"", DataType::integer().with_nullable(false)}};
    one.rows = {
        {literal_expression(Value::of_integer(DataType::integer().with_nullable(false), 0))}};
    input.relation = std::make_shared<const Relation>(std::move(one));
  }
  const RelationPtr from = input.relation;
  const Scope scope{input.name, select.from ? &from->columns : nullptr};
  if (select.where) {
    ExpressionBinder where(source_, scope, "WHERE");
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr condition,
                              where.bind_condition(*select.where, "WHERE"));
    input.relation = make_filter(input.relation, std::move(condition));
  }
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<SelectColumn> columns, expand_items(select, scope));
  const bool grouped =
      !select.group_by.empty() || select.having ||
      std::any_of(columns.begin(), columns.end(), [](const SelectColumn& column) {
        return column.expression != nullptr && contains_aggregate(*column.expression);
      });
  RelationPtr result;
  if (grouped) {
    TIDEMARK_ASSIGN_OR_RETURN(result, bind_grouped(select, input, columns));
  } else {
    ExpressionBinder binder(source_, scope, "this SELECT");
    TIDEMARK_ASSIGN_OR_RETURN(result, project(input, columns, binder));
  }
  if (!select.distinct) return result;
  return bind_distinct(select, std::move(result));
}

/// What a GROUP BY key means: a column of the input by its name, else the SELECT item of this alias
/// or ordinal, else itself. An input column wins over an alias.
Result<const ast::Expr*> QueryBinder::resolve_key(const ast::Expr& key, const Scope& scope,
                                                  const std::vector<SelectColumn>& columns) {
  if (is_ordinal(key)) {
    const auto position = key.literal.integer;
    if (position < 1 || position > static_cast<std::int64_t>(columns.size()))
      return source_.error(key.span, fmt::format("GROUP BY {}: the SELECT list has items 1 to {}",
                                                 source_.slice(key.span), columns.size()));
    const SelectColumn& column = columns[static_cast<std::size_t>(position) - 1];
    if (column.expression == nullptr)
      return source_.error(key.span, "an ordinal cannot name a column that * stands for");
    return column.expression;
  }
  if (!is_unqualified_name(key) || has_column(scope, key.path.front().text)) return &key;
  const ast::Expr* found = nullptr;
  for (const SelectColumn& column : columns) {
    if (column.expression == nullptr || column.name != key.path.front().text) continue;
    if (found != nullptr)
      return source_.error(key.span, fmt::format("'{}' is ambiguous: the SELECT list has two items "
                                                 "of this name",
                                                 column.name));
    found = column.expression;
  }
  return found == nullptr ? &key : found;
}

Status QueryBinder::bind_legacy_window(const ast::Expr& call, const Source& input,
                                       Grouping& grouping) {
  const std::size_t count = call.arguments.size();
  if (count != 2 && count != 3)
    return source_.error(call.span,
                         "GROUP BY TUMBLE takes a time column, a size and perhaps an "
                         "offset: TUMBLE(ts, INTERVAL '1' HOUR)");
  if (grouping.legacy != nullptr)
    return source_.error(call.span, "GROUP BY takes one window; this is a second one");
  const ast::Expr& column = *call.arguments[0];
  if (column.kind != ast::Expr::Kind::kColumn)
    return source_.error(column.span, "TUMBLE takes the name of a time column here");
  TIDEMARK_ASSIGN_OR_RETURN(const std::size_t time, bind_time_column(input, column.path, "TUMBLE"));
  WindowSpec window{.time_type = input.relation->columns[time].type};
  TIDEMARK_ASSIGN_OR_RETURN(window.size, bind_interval(*call.arguments[1], "size"));
  if (count == 3) {
    TIDEMARK_ASSIGN_OR_RETURN(window.offset, bind_interval(*call.arguments[2], "offset"));
  }
  TIDEMARK_TRY(check_window(window.size, call.arguments[1]->span, window.offset,
                            call.arguments.back()->span));
  grouping.window = window;
  grouping.legacy = &call;
  return {};
}

Result<QueryBinder::Grouping> QueryBinder::bind_grouping(const ast::Select& select,
                                                         const Source& input,
                                                         const std::vector<SelectColumn>& columns) {
  const Scope scope{input.name, &input.relation->columns};
  ExpressionBinder binder(source_, scope, "GROUP BY");
  Grouping grouping;
  std::vector<const ast::Expr*> keys;
  for (const ast::ExprPtr& written : select.group_by) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Expr* key, resolve_key(*written, scope, columns));
    if (is_legacy_window(*key)) {
      TIDEMARK_TRY(bind_legacy_window(*key, input, grouping));
    } else {
      keys.push_back(key);
    }
  }
  bool has_start = false;
  bool has_end = false;
  for (const ast::Expr* key : keys) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, binder.bind(*key));
    std::string name(source_.slice(key->span));
    if (bound->kind == Expression::Kind::kColumn) {
      const RelationColumn& column = input.relation->columns[bound->column];
      has_start = has_start || column.role == ColumnRole::kWindowStart;
      has_end = has_end || column.role == ColumnRole::kWindowEnd;
      // Beside GROUP BY TUMBLE(...) the bounds of an earlier window are keys like any other.
      if (is_window_column(column.role) && grouping.legacy == nullptr) continue;
      name = column.name;
    }
    grouping.keys.push_back({std::move(bound), key->span, std::move(name)});
  }
  if (grouping.legacy != nullptr) return grouping;
  const Span place = select.group_by.empty() ? select.span : select.group_span;
  if (has_start && has_end) {
    grouping.window = *input.relation->window;
    return grouping;
  }
  if (has_start || has_end)
    return source_.error(place,
                         fmt::format("GROUP BY needs both window_start and window_end; {} is "
                                     "missing",
                                     has_start ? "window_end" : "window_start"));
  if (input.relation->window)
    return source_.unsupported(
        place,
        "an aggregation over TUMBLE needs window_start and window_end in its "
        "GROUP BY");
  return source_.unsupported(
      place, fmt::format("an aggregation without a window is not supported{}", kWindowCure));
}

RelationPtr QueryBinder::finish_aggregate(Relation relation) {
  relation.owner = owner_;
  relation.number = ++numbers_[owner_];
  return std::make_shared<const Relation>(std::move(relation));
}

Result<RelationPtr> QueryBinder::bind_grouped(const ast::Select& select, const Source& input,
                                              const std::vector<SelectColumn>& columns) {
  TIDEMARK_ASSIGN_OR_RETURN(Grouping grouping, bind_grouping(select, input, columns));
  const Scope scope{input.name, &input.relation->columns};
  // A * of a grouped SELECT stands for names, which must be keys like any other.
  std::vector<ast::Expr> star_columns(columns.size());
  std::vector<SelectColumn> items = columns;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].expression != nullptr) continue;
    star_columns[i].kind = ast::Expr::Kind::kColumn;
    star_columns[i].span = items[i].span;
    star_columns[i].path = {{items[i].name, items[i].span}};
    items[i].expression = &star_columns[i];
  }
  AggregateBinder binder(source_, scope, std::move(grouping.keys), grouping.window,
                         grouping.legacy);
  for (const SelectColumn& item : items) TIDEMARK_TRY(binder.collect(*item.expression, item.name));
  if (select.having) TIDEMARK_TRY(binder.collect(*select.having, {}));

  Source result;
  result.relation = finish_aggregate(binder.make_relation(input.relation));
  if (select.having) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr condition,
                              binder.bind_condition(*select.having, "HAVING"));
    result.relation = make_filter(result.relation, std::move(condition));
  }
  return project(result, items, binder);
}

// SELECT DISTINCT over windows is a grouping by all its columns.
Result<RelationPtr> QueryBinder::bind_distinct(const ast::Select& select, RelationPtr input) {
  std::vector<GroupKey> keys;
  bool has_start = false;
  bool has_end = false;
  for (std::size_t i = 0; i < input->columns.size(); ++i) {
    const RelationColumn& column = input->columns[i];
    has_start = has_start || column.role == ColumnRole::kWindowStart;
    has_end = has_end || column.role == ColumnRole::kWindowEnd;
    if (is_window_column(column.role)) continue;
    keys.push_back({column_expression(i, column.type), select.span, column.name});
  }
  if (!has_start || !has_end)
    return source_.unsupported(select.span,
                               "SELECT DISTINCT is supported only over windows: with window_start "
                               "and window_end among its columns");
  AggregateBinder binder(source_, Scope{{}, &input->columns}, keys, *input->window, nullptr);
  const std::vector<RelationColumn> columns = input->columns;
  const RelationPtr groups = finish_aggregate(binder.make_relation(input));
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> names;
  std::size_t key = 0;
  for (const RelationColumn& column : columns) {
    const std::size_t index = column.role == ColumnRole::kWindowStart ? keys.size()
                              : column.role == ColumnRole::kWindowEnd ? keys.size() + 1
                              : is_window_column(column.role)         ? keys.size() + 2
                                                                      : key++;
    expressions.push_back(column_expression(index, groups->columns[index].type));
    names.push_back(column.name);
  }
  return make_project(groups, std::move(expressions), names);
}

}  // namespace tidemark::sql
