// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "tidemark/sql/binder_query.h"
#include "tidemark/window/window_description.h"

// The window table functions of FROM, and what they share with the windows of GROUP BY.

namespace tidemark::sql {

Result<Millis> QueryBinder::bind_interval(const ast::Expr& expression, std::string_view what) {
  ExpressionBinder binder(source_, Scope{}, "a window");
  TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr bound, binder.bind(expression));
  if (bound->type.kind == TypeKind::kIntervalMonth)
    return source_.error(expression.span,
                         fmt::format("the window's {} needs a fixed length, and months differ; use "
                                     "days or less: INTERVAL '30' DAY",
                                     what));
  if (bound->kind != Expression::Kind::kLiteral || bound->type.kind != TypeKind::kIntervalDay)
    return source_.error(
        expression.span,
        fmt::format("the window's {} is an INTERVAL literal: INTERVAL '1' HOUR", what));
  return static_cast<Millis>(bound->literal.integer);
}

/// What a window says of itself; errors point at the part.
Result<WindowSpec> QueryBinder::bind_window_parts(const WindowParts& parts,
                                                  const DataType& time_type) {
  WindowSpec window{.time_type = time_type};
  if (parts.function == "SESSION") {
    window.kind = WindowSpec::Kind::kSession;
    TIDEMARK_ASSIGN_OR_RETURN(window.gap, bind_interval(*parts.size, "gap"));
    if (window.gap > 0) return window;
    return source_.error(parts.size->span, "the session's gap must be greater than zero");
  }
  const bool cumulating = parts.function == "CUMULATE";
  const char* const slide_name = cumulating ? "step" : "slide";
  if (cumulating) window.kind = WindowSpec::Kind::kCumulating;
  TIDEMARK_ASSIGN_OR_RETURN(window.size, bind_interval(*parts.size, "size"));
  if (window.size <= 0)
    return source_.error(parts.size->span, "the window's size must be greater than zero");
  window.slide = window.size;
  if (parts.slide != nullptr) {
    TIDEMARK_ASSIGN_OR_RETURN(window.slide, bind_interval(*parts.slide, slide_name));
    if (window.slide <= 0)
      return source_.error(parts.slide->span,
                           fmt::format("the window's {} must be greater than zero", slide_name));
    if (cumulating && window.size % window.slide != 0)
      return source_.error(
          parts.size->span,
          "the size of CUMULATE must be a multiple of its step; note that the step "
          "comes first");
    if (window.size / window.slide > kMostWindowsOfARow)
      return source_.error(parts.slide->span,
                           fmt::format("the window's size is more than {} times its {}",
                                       kMostWindowsOfARow, slide_name));
  }
  if (parts.offset == nullptr) return window;
  TIDEMARK_ASSIGN_OR_RETURN(window.offset, bind_interval(*parts.offset, "offset"));
  if (window.offset >= window.size || window.offset <= -window.size)
    return source_.error(parts.offset->span, "the window's offset must be smaller than its size");
  // Windows that begin every slide are the same when moved by one.
  if (!cumulating) window.offset %= window.slide;
  return window;
}

/// The time attribute that a window is cut by; the error says why a column is none.
Result<std::size_t> QueryBinder::bind_time_column(const Source& input, const ast::Path& path,
                                                  std::string_view window) {
  const Scope scope{input.name, &input.relation->columns};
  TIDEMARK_ASSIGN_OR_RETURN(const std::size_t index, resolve_column(source_, scope, path));
  const RelationColumn& column = input.relation->columns[index];
  if (is_rowtime(column.role)) return index;
  if (column.role == ColumnRole::kWindowTime)
    return source_.unsupported(span_of(path),
                               fmt::format("{} over the window_time of a TUMBLE that is not "
                                           "aggregated is not supported; group by window_start, "
                                           "window_end first",
                                           window));
  std::string cure;
  for (const RelationColumn& other : input.relation->columns)
    if (is_rowtime(other.role)) cure = fmt::format("; the time attribute here is '{}'", other.name);
  if (cure.empty() && input.relation->window) {
    cure = "; after a window function the time attribute is window_time";
  } else if (cure.empty() && is_timestamp(column.type.kind)) {
    cure = fmt::format("; declare it in CREATE TABLE: WATERMARK FOR {} AS {} - INTERVAL '5' SECOND",
                       column.name, column.name);
  } else if (cure.empty()) {
    cure = "; a time attribute is a TIMESTAMP(3) or TIMESTAMP_LTZ(3) column with a WATERMARK";
  }
  return source_.error(span_of(path),
                       fmt::format("{} needs a time attribute, and '{}' is a plain {}{}", window,
                                   column.name, to_string(column.type.with_nullable(true)), cure));
}

Result<RelationPtr> QueryBinder::bind_window(const ast::WindowCall& call) {
  TIDEMARK_ASSIGN_OR_RETURN(const Source input, bind_table_ref(*call.data));
  TIDEMARK_ASSIGN_OR_RETURN(const std::size_t time,
                            bind_time_column(input, call.time_column, call.function.text));
  TIDEMARK_ASSIGN_OR_RETURN(const WindowSpec window,
                            bind_window_parts({.function = call.function.text,
                                               .slide = call.slide.get(),
                                               .size = call.size.get(),
                                               .offset = call.offset.get()},
                                              input.relation->columns[time].type));
  if (window.tumbles()) return make_tumble(input, time, window);

  Relation relation;
  relation.kind = Relation::Kind::kWindow;
  relation.window = window;
  relation.inputs = {input.relation};
  relation.time_column = time;
  relation.owner = owner_;
  relation.span = call.span;
  for (RelationColumn column : input.relation->columns) {
    column.role = is_rowtime(column.role) ? ColumnRole::kEventTime : ColumnRole::kPlain;
    relation.columns.push_back(std::move(column));
  }
  const DataType bound = DataType::timestamp(3).with_nullable(false);
  relation.columns.push_back({"window_start", bound, ColumnRole::kWindowStart});
  relation.columns.push_back({"window_end", bound, ColumnRole::kWindowEnd});
  relation.columns.push_back(
      {"window_time", window.time_type.with_nullable(false), ColumnRole::kWindowRowtime});
  const Scope scope{input.name, &input.relation->columns};
  for (const ast::Path& path : call.partition_by) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::size_t column, resolve_column(source_, scope, path));
    relation.partition.push_back(column);
  }
  set_depth(relation);
  return std::make_shared<const Relation>(std::move(relation));
}

// The windows of a TUMBLE are arithmetic on the time column: window_start, _end and _time are
// expressions, and cost nothing where a query only groups by them.
Result<RelationPtr> QueryBinder::make_tumble(const Source& input, std::size_t time,
                                             const WindowSpec& window) {
  Relation relation;
  relation.kind = Relation::Kind::kProject;
  relation.makes_windows = true;
  relation.window = window;
  relation.inputs = {input.relation};
  for (std::size_t i = 0; i < input.relation->columns.size(); ++i) {
    RelationColumn column = input.relation->columns[i];
    column.role = is_rowtime(column.role) ? ColumnRole::kEventTime : ColumnRole::kPlain;
    relation.expressions.push_back(column_expression(i, column.type));
    relation.columns.push_back(std::move(column));
  }
  const auto add = [&relation](const char* name, ColumnRole role,
                               Result<ExpressionPtr> expression) -> Status {
    if (!expression.ok()) return expression.error();
    relation.columns.push_back({name, (*expression)->type, role});
    relation.expressions.push_back(std::move(expression).value());
    return {};
  };
  const auto millis = [](Millis value) {
    return literal_expression(
        Value::of_integer(DataType::interval_day().with_nullable(false), value));
  };
  const ExpressionPtr time_value = relation.expressions[time];
  TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr local,
                            cast_expression(time_value, DataType::timestamp(3)));
  TIDEMARK_ASSIGN_OR_RETURN(
      const ExpressionPtr start,
      call_expression("__TUMBLE_START", {local, millis(window.size), millis(window.offset)}));
  TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr end,
                            call_expression("+", {start, millis(window.size)}));
  TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr last, call_expression("-", {end, millis(1)}));
  TIDEMARK_TRY(add("window_start", ColumnRole::kWindowStart, start));
  TIDEMARK_TRY(add("window_end", ColumnRole::kWindowEnd, end));
  TIDEMARK_TRY(
      add("window_time", ColumnRole::kWindowTime, cast_expression(last, window.time_type)));
  set_depth(relation);
  return std::make_shared<const Relation>(std::move(relation));
}

}  // namespace tidemark::sql
