// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

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
  const std::string& name = expression.function.text;
  return expression.kind == ast::Expr::Kind::kCall &&
         (name == "TUMBLE" || name == "HOP" || name == "SESSION");
}

constexpr std::size_t kMostGroupingSets = 256;

/// The place of an equal key, else one past the last.
std::size_t find_key(const std::vector<GroupKey>& keys, const Expression& expression) {
  std::size_t place = 0;
  while (place < keys.size() &&
         !(same_expression(*keys[place].expression, expression) && is_deterministic(expression)))
    ++place;
  return place;
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
  const std::string& function = call.function.text;
  const std::size_t count = call.arguments.size();
  const std::size_t least = function == "HOP" ? 3 : 2;
  if (count < least || count > (function == "SESSION" ? least : least + 1))
    return source_.error(
        call.span, fmt::format("GROUP BY {} takes a time column, {}", function,
                               function == "TUMBLE"
                                   ? "a size and perhaps an offset: TUMBLE(ts, INTERVAL '1' HOUR)"
                               : function == "HOP"
                                   ? "a slide, a size and perhaps an offset: HOP(ts, INTERVAL '5' "
                                     "MINUTE, INTERVAL '1' HOUR)"
                                   : "and a gap: SESSION(ts, INTERVAL '5' MINUTE)"));
  if (grouping.legacy != nullptr)
    return source_.error(call.span, "GROUP BY takes one window; this is a second one");
  const ast::Expr& column = *call.arguments[0];
  if (column.kind != ast::Expr::Kind::kColumn)
    return source_.error(column.span,
                         fmt::format("{} takes the name of a time column here", function));
  TIDEMARK_ASSIGN_OR_RETURN(const std::size_t time, bind_time_column(input, column.path, function));
  TIDEMARK_ASSIGN_OR_RETURN(
      const WindowSpec window,
      bind_window_parts({.function = function,
                         .slide = least == 3 ? call.arguments[1].get() : nullptr,
                         .size = call.arguments[least - 1].get(),
                         .offset = count > least ? call.arguments.back().get() : nullptr},
                        input.relation->columns[time].type));
  grouping.window = window;
  grouping.legacy = &call;
  return {};
}

/// The sets of a GROUP BY with GROUPING SETS, ROLLUP or CUBE, each as places among the keys: every
/// combination of one set from each, with the keys that stand beside them.
Result<std::vector<std::vector<std::size_t>>> QueryBinder::bind_sets(
    const ast::Select& select, const std::vector<std::optional<std::size_t>>& places) {
  std::vector<std::vector<std::size_t>> sets;
  if (select.grouping_sets.empty()) return sets;
  std::set<std::size_t> in_sets;
  for (const ast::GroupingSets& written : select.grouping_sets)
    for (const std::vector<std::size_t>& set : written.sets) in_sets.insert(set.begin(), set.end());
  for (const std::size_t key : in_sets)
    if (!places[key])
      return source_.error(select.group_by[key]->span,
                           "the window stands beside GROUPING SETS, ROLLUP and CUBE, not in them: "
                           "GROUP BY window_start, window_end, ROLLUP (a)");
  std::vector<std::size_t> in_all;
  for (std::size_t key = 0; key < places.size(); ++key)
    if (places[key] && !in_sets.contains(key)) in_all.push_back(*places[key]);
  sets.push_back(std::move(in_all));
  for (const ast::GroupingSets& written : select.grouping_sets) {
    std::vector<std::vector<std::size_t>> combined;
    if (sets.size() * written.sets.size() > kMostGroupingSets)
      return source_.error(written.span,
                           fmt::format("these are more than {} grouping sets", kMostGroupingSets));
    for (const std::vector<std::size_t>& before : sets) {
      for (const std::vector<std::size_t>& more : written.sets) {
        std::vector<std::size_t>& set = combined.emplace_back(before);
        for (const std::size_t key : more) set.push_back(*places[key]);
      }
    }
    sets = std::move(combined);
  }
  for (std::vector<std::size_t>& set : sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return sets;
}

namespace {

/// The column of the SESSION call that a column comes from unchanged.
std::optional<std::size_t> session_column(const Relation& relation, std::size_t column) {
  switch (relation.kind) {
    case Relation::Kind::kWindow: return column;
    case Relation::Kind::kFilter: return session_column(*relation.inputs[0], column);
    case Relation::Kind::kProject: {
      const Expression& expression = *relation.expressions[column];
      if (expression.kind != Expression::Kind::kColumn) return std::nullopt;
      return session_column(*relation.inputs[0], expression.column);
    }
    default: return std::nullopt;
  }
}

const Relation* session_call(const Relation& relation) {
  const Relation* at = &relation;
  while (at->kind == Relation::Kind::kFilter || at->kind == Relation::Kind::kProject)
    at = at->inputs[0].get();
  const bool is_session =
      at->kind == Relation::Kind::kWindow && at->window->kind == WindowSpec::Kind::kSession;
  return is_session ? at : nullptr;
}

}  // namespace

/// The sessions of SESSION are those of its PARTITION BY, which are made while they are aggregated:
/// the keys are the same.
Status QueryBinder::check_session_keys(const Source& input, const Grouping& grouping, Span place) {
  const Relation* const call = session_call(*input.relation);
  if (call == nullptr) return {};
  std::set<std::optional<std::size_t>> keys;
  for (const GroupKey& key : grouping.keys)
    keys.insert(key.expression->kind == Expression::Kind::kColumn
                    ? session_column(*input.relation, key.expression->column)
                    : std::nullopt);
  if (keys == std::set<std::optional<std::size_t>>(call->partition.begin(), call->partition.end()))
    return {};
  std::string wanted = "window_start, window_end";
  for (const std::size_t column : call->partition) wanted += ", " + call->columns[column].name;
  return source_.unsupported(
      place, fmt::format("sessions are aggregated by what SESSION partitions by: GROUP BY {}; give "
                         "SESSION the same columns: TABLE t PARTITION BY (a, b)",
                         wanted));
}

Result<QueryBinder::Grouping> QueryBinder::bind_grouping(const ast::Select& select,
                                                         const Source& input,
                                                         const std::vector<SelectColumn>& columns) {
  const Scope scope{input.name, &input.relation->columns};
  ExpressionBinder binder(source_, scope, "GROUP BY");
  Grouping grouping;
  std::vector<const ast::Expr*> keys;  // null: the window
  for (const ast::ExprPtr& written : select.group_by) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Expr* key, resolve_key(*written, scope, columns));
    if (is_legacy_window(*key)) {
      TIDEMARK_TRY(bind_legacy_window(*key, input, grouping));
      key = nullptr;
    }
    keys.push_back(key);
  }
  std::vector<std::optional<std::size_t>> places;  // of what was written, among the keys
  bool has_start = false;
  bool has_end = false;
  for (const ast::Expr* key : keys) {
    places.emplace_back();
    if (key == nullptr) continue;
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
    places.back() = find_key(grouping.keys, *bound);
    if (*places.back() == grouping.keys.size())
      grouping.keys.push_back({std::move(bound), key->span, std::move(name)});
  }
  TIDEMARK_ASSIGN_OR_RETURN(grouping.sets, bind_sets(select, places));
  if (grouping.legacy != nullptr) return grouping;
  const Span place = select.group_by.empty() ? select.span : select.group_span;
  if (has_start && has_end) {
    grouping.window = *input.relation->window;
    TIDEMARK_TRY(check_session_keys(input, grouping, place));
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
        "an aggregation over windows needs window_start and window_end in its "
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
  AggregateBinder binder(source_, scope, std::move(grouping.keys), std::move(grouping.sets),
                         grouping.window, grouping.legacy);
  for (const SelectColumn& item : items) TIDEMARK_TRY(binder.collect(*item.expression, item.name));
  if (select.having) TIDEMARK_TRY(binder.collect(*select.having, {}));

  Source result;
  Relation groups = binder.make_relation(input.relation);
  groups.span = select.group_by.empty() ? select.span : select.group_span;
  result.relation = finish_aggregate(std::move(groups));
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
  AggregateBinder binder(source_, Scope{{}, &input->columns}, keys, {}, *input->window, nullptr);
  const std::vector<RelationColumn> columns = input->columns;
  Relation grouped = binder.make_relation(input);
  grouped.span = select.span;
  const RelationPtr groups = finish_aggregate(std::move(grouped));
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
