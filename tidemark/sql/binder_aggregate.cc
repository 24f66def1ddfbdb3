// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/binder_aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tidemark::sql {
namespace {

/// The number of a grouping set, which keeps its groups apart from those of other sets.
const DataType kSetNumber = DataType::integer().with_nullable(false);

bool is_literal(const Expression& expression) {
  return expression.kind == Expression::Kind::kLiteral;
}

bool same_call(const AggregateCall& a, const AggregateCall& b) {
  return a.function == b.function && a.distinct == b.distinct && a.arguments == b.arguments &&
         a.filter == b.filter;
}

/// Whether a function that only this binder knows stands anywhere in the tree.
bool has_own_function(const ast::Expr& expression) {
  static constexpr std::string_view kOwn[] = {
      "GROUPING", "GROUPING_ID", "TUMBLE_START",  "TUMBLE_END",  "TUMBLE_ROWTIME", "HOP_START",
      "HOP_END",  "HOP_ROWTIME", "SESSION_START", "SESSION_END", "SESSION_ROWTIME"};
  if (expression.kind == ast::Expr::Kind::kCall &&
      std::find(std::begin(kOwn), std::end(kOwn), expression.function.text) != std::end(kOwn))
    return true;
  return std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ast::ExprPtr& argument) { return has_own_function(*argument); });
}

/// Whether TUMBLE_START(...) has the arguments of the TUMBLE(...) it asks about.
bool same_window(const SourceText& source, const ast::Expr& a, const ast::Expr& b) {
  if (a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i)
    if (source.slice(a.arguments[i]->span) != source.slice(b.arguments[i]->span)) return false;
  return true;
}

}  // namespace

AggregateBinder::AggregateBinder(const SourceText& source, Scope input, std::vector<GroupKey> keys,
                                 std::vector<std::vector<std::size_t>> sets, WindowSpec window,
                                 const ast::Expr* legacy)
    : ExpressionBinder(source, input, "an aggregation"),
      plain_(source, input, "the argument of another aggregate function"),
      keys_(std::move(keys)),
      sets_(std::move(sets)),
      window_(window),
      legacy_(legacy) {
  for (const GroupKey& key : keys_) key_columns_.push_back(intern(key.expression, key.name));
}

/// The index of an input column of the aggregation, added if it is not there yet.
std::size_t AggregateBinder::intern(const ExpressionPtr& expression, const std::string& name) {
  for (std::size_t i = 0; i < expressions_.size(); ++i)
    if (same_expression(*expressions_[i], *expression) && is_deterministic(*expression)) return i;
  expressions_.push_back(expression);
  expression_names_.push_back(name);
  return expressions_.size() - 1;
}

Status AggregateBinder::collect(const ast::Expr& expression, const std::string& name) {
  if (is_aggregate_call(expression)) {
    TIDEMARK_TRY(find_or_add_call(expression, name));
    return {};
  }
  for (const ast::ExprPtr& argument : expression.arguments)
    TIDEMARK_TRY(collect(*argument, std::string()));
  return {};
}

Result<std::size_t> AggregateBinder::find_or_add_call(const ast::Expr& expression,
                                                      const std::string& name) {
  const std::string text(source_.slice(expression.span));
  AggregateCall call{.function = expression.function.text, .distinct = expression.distinct};
  call.name = name.empty() ? text : name;
  std::vector<DataType> types;
  const bool star =
      expression.arguments.size() == 1 && expression.arguments[0]->kind == ast::Expr::Kind::kStar;
  if (star && (call.function != "COUNT" || call.distinct))
    return source_.error(
        expression.arguments[0]->span,
        fmt::format("only COUNT takes *, as COUNT(*); {} takes a value", call.function));
  for (std::size_t i = 0; !star && i < expression.arguments.size(); ++i) {
    TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr argument, plain_.bind(*expression.arguments[i]));
    types.push_back(argument->type);
    call.arguments.push_back(
        intern(argument, std::string(source_.slice(expression.arguments[i]->span))));
  }
  if (expression.filter) {
    TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr filter,
                              plain_.bind_condition(*expression.filter, "FILTER"));
    call.filter = intern(filter, std::string(source_.slice(expression.filter->span)));
  }
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (same_call(calls_[i], call)) return i;
  const auto function = resolve_aggregate(call.function, call.distinct, types);
  if (!function.ok())
    return source_.error(expression.span, function.error().message, function.error().code);
  call_types_.push_back((*function)->result_type());
  calls_.push_back(std::move(call));
  return calls_.size() - 1;
}

std::vector<RelationColumn> AggregateBinder::output_columns() const {
  std::vector<RelationColumn> columns;
  const bool has_sets = !sets_.empty();
  for (const GroupKey& key : keys_) {
    const DataType& type = key.expression->type;
    columns.push_back({key.name, type.with_nullable(type.nullable || has_sets)});
  }
  if (has_sets) columns.push_back({"$set", kSetNumber});
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    RelationColumn column{.name = calls_[i].name, .type = call_types_[i]};
    if (calls_[i].function == "SUM") {
      const DataType& summed = expressions_[calls_[i].arguments[0]]->type;
      if (is_integer(summed.kind)) column.flink_type = summed.with_nullable(true);
    }
    columns.push_back(std::move(column));
  }
  const DataType bound = DataType::timestamp(3).with_nullable(false);
  columns.push_back({"window_start", bound, ColumnRole::kWindowStart});
  columns.push_back({"window_end", bound, ColumnRole::kWindowEnd});
  columns.push_back(
      {"window_time", window_.time_type.with_nullable(false), ColumnRole::kWindowRowtime});
  return columns;
}

ExpressionPtr AggregateBinder::output_column(std::size_t index) const {
  return column_expression(index, output_columns()[index].type);
}

/// The input column that the windows are cut by: the event time itself, or the start of its window.
std::size_t AggregateBinder::time_column() const {
  std::size_t found = 0;
  for (std::size_t i = scope().size(); i > 0; --i) {
    const ColumnRole role = (*scope().columns)[i - 1].role;
    const bool better = is_rowtime(role) || role == ColumnRole::kEventTime;
    const bool has_event_time = (*scope().columns)[found].role == ColumnRole::kEventTime ||
                                is_rowtime((*scope().columns)[found].role);
    if (better || (role == ColumnRole::kWindowStart && !has_event_time)) found = i - 1;
  }
  return found;
}

Relation AggregateBinder::make_relation(RelationPtr input) {
  const RelationColumn& time = (*scope().columns)[time_column()];
  Relation relation;
  relation.time_column = intern(column_expression(time_column(), time.type), time.name);
  relation.kind = Relation::Kind::kAggregate;
  relation.columns = output_columns();
  relation.window = window_;
  relation.own_window = legacy_ != nullptr;
  relation.inputs = {std::move(input)};
  set_depth(relation);
  relation.expressions = expressions_;
  relation.expression_names = expression_names_;
  relation.keys = key_columns_;
  relation.grouping_sets = sets_;
  relation.calls = calls_;
  return relation;
}

// TUMBLE_START(ts, size) and its kin, beside GROUP BY TUMBLE(ts, size).
Result<ExpressionPtr> AggregateBinder::bind_window_function(const ast::Expr& expression) {
  static constexpr std::string_view kWindows[] = {"TUMBLE", "HOP", "SESSION"};
  static constexpr std::string_view kParts[] = {"_START", "_END", "_ROWTIME"};
  const std::string& name = expression.function.text;
  for (const std::string_view window : kWindows) {
    if (!name.starts_with(window)) continue;
    const auto part = std::find(std::begin(kParts), std::end(kParts),
                                std::string_view(name).substr(window.size()));
    if (part == std::end(kParts)) continue;
    if (legacy_ == nullptr)
      return source_.error(expression.span,
                           fmt::format("{} needs GROUP BY {}(...); with the table function {} use "
                                       "window_start, window_end and window_time",
                                       name, window, window));
    if (legacy_->function.text != window || !same_window(source_, expression, *legacy_))
      return source_.error(expression.span, fmt::format("{} takes the arguments of GROUP BY {}",
                                                        name, source_.slice(legacy_->span)));
    return output_column(window_column() + static_cast<std::size_t>(part - std::begin(kParts)));
  }
  return ExpressionPtr();
}

Result<ExpressionPtr> AggregateBinder::bind_grouping_function(const ast::Expr& expression) {
  const std::string& name = expression.function.text;
  if (name != "GROUPING" && name != "GROUPING_ID") return ExpressionPtr();
  if (expression.arguments.empty() || expression.arguments.size() > 62)
    return source_.error(expression.span, fmt::format("{} takes keys of GROUP BY", name));
  std::vector<std::int64_t> bits(sets_.size());
  for (const ast::ExprPtr& argument : expression.arguments) {
    TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr bound, plain_.bind(*argument));
    std::size_t key = 0;
    while (key < keys_.size() && !same_expression(*keys_[key].expression, *bound)) ++key;
    if (key == keys_.size())
      return source_.error(argument->span,
                           fmt::format("{} takes keys of GROUP BY, and this is none", name));
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const bool in_set = std::find(sets_[set].begin(), sets_[set].end(), key) != sets_[set].end();
      bits[set] = bits[set] * 2 + (in_set ? 0 : 1);
    }
  }
  return by_set(bits);
}

/// values[i] for groups of set i; 0 without sets.
Result<ExpressionPtr> AggregateBinder::by_set(const std::vector<std::int64_t>& values) const {
  const auto number = [](DataType type, std::int64_t value) {
    return literal_expression(Value::of_integer(type, value));
  };
  const DataType result = DataType::big_int().with_nullable(false);
  std::vector<ExpressionPtr> branches;
  for (std::size_t set = 0; set < values.size(); ++set) {
    if (values[set] == 0) continue;
    TIDEMARK_ASSIGN_OR_RETURN(
        ExpressionPtr is_set,
        call_expression("=", {output_column(keys_.size()),
                              number(kSetNumber, static_cast<std::int64_t>(set))}));
    branches.push_back(std::move(is_set));
    branches.push_back(number(result, values[set]));
  }
  if (branches.empty()) return number(result, 0);
  branches.push_back(number(result, 0));
  return case_expression(std::move(branches));
}

Result<ExpressionPtr> AggregateBinder::intercept(const ast::Expr& expression) {
  if (is_aggregate_call(expression)) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::size_t call, find_or_add_call(expression, {}));
    return output_column(call_column() + call);
  }
  if (expression.kind == ast::Expr::Kind::kCall) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, bind_window_function(expression));
    if (bound) return bound;
    TIDEMARK_ASSIGN_OR_RETURN(bound, bind_grouping_function(expression));
    if (bound) return bound;
  }
  if (expression.kind == ast::Expr::Kind::kStar || contains_aggregate(expression))
    return ExpressionPtr();

  const Result<ExpressionPtr> over_input = plain_.bind(expression);
  if (!over_input.ok()) {
    // A part of it may be TUMBLE_START(...) or GROUPING(...), which only this binder knows.
    if (!has_own_function(expression)) return over_input.error();
    return ExpressionPtr();
  }
  const ExpressionPtr& bound = *over_input;
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (same_expression(*keys_[i].expression, *bound)) return output_column(i);
  if (is_literal(*bound)) return bound;
  if (bound->kind != Expression::Kind::kColumn) return ExpressionPtr();
  const RelationColumn& column = (*scope().columns)[bound->column];
  if (is_window_column(column.role) && legacy_ == nullptr)
    return output_column(window_column() + static_cast<std::size_t>(column.role) -
                         static_cast<std::size_t>(ColumnRole::kWindowStart) -
                         (column.role == ColumnRole::kWindowRowtime ? 1 : 0));
  return source_.error(
      expression.span,
      fmt::format("'{}' is neither in GROUP BY nor inside an aggregate function", column.name));
}

}  // namespace tidemark::sql
