// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/sql/binder_query.h"

namespace tidemark::sql {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

Result<QueryBinder::Source> QueryBinder::bind_from(const ast::TableRef& table) {
  TIDEMARK_ASSIGN_OR_RETURN(Source source, bind_table_ref(table));
  if (table.alias) source.name = table.alias->text;
  if (!table.columns.empty()) {
    TIDEMARK_ASSIGN_OR_RETURN(source.relation,
                              rename(std::move(source.relation), table.columns, source.name));
  }
  return source;
}

Result<QueryBinder::Source> QueryBinder::bind_table_ref(const ast::TableRef& table) {
  if (table.query) {
    TIDEMARK_ASSIGN_OR_RETURN(RelationPtr relation, bind_query(*table.query));
    return Source{std::move(relation), {}};
  }
  if (table.window) {
    TIDEMARK_ASSIGN_OR_RETURN(RelationPtr relation, bind_window(*table.window));
    return Source{std::move(relation), {}};
  }
  TIDEMARK_ASSIGN_OR_RETURN(RelationPtr relation, bind_name(table.table));
  return Source{std::move(relation), table.table.back().text};
}

/// A query of WITH, a view or a table, in this order.
Result<RelationPtr> QueryBinder::bind_name(const ast::Path& path) {
  if (path.size() == 1)
    for (auto common = common_tables_.rbegin(); common != common_tables_.rend(); ++common)
      if (common->first == path.front().text) return common->second;
  TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, path));
  if (const auto view = catalog_.find_view(name.text)) return bind_view(*view);
  if (const auto table = catalog_.find_table(name.text)) return scan(table);
  std::vector<std::string> known = catalog_.names();
  for (const auto& [common, relation] : common_tables_) known.push_back(common);
  return source_.error(name.span, fmt::format("there is no table or view '{}'{}", name.text,
                                              suggestion(name.text, known)));
}

RelationPtr QueryBinder::scan(const std::shared_ptr<const Table>& table) {
  RelationPtr& known = scans_[table->name];
  if (known) return known;
  Relation relation;
  relation.kind = Relation::Kind::kScan;
  relation.table = table;
  const std::size_t columns = table->physical->size() + table->computed_fields.size();
  for (std::size_t i = 0; i < columns; ++i) {
    const Field& field = table->column(i);
    relation.columns.push_back(
        {field.name, field.type, table->rowtime == i ? ColumnRole::kRowtime : ColumnRole::kPlain});
  }
  known = std::make_shared<const Relation>(std::move(relation));

  // Computed columns may stand between physical ones; the source appends them.
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> names;
  bool in_order = true;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t index = table->declared[i];
    in_order = in_order && index == i;
    expressions.push_back(column_expression(index, table->column(index).type));
    names.push_back(table->column(index).name);
  }
  if (!in_order) known = make_project(known, std::move(expressions), names);
  return known;
}

Result<RelationPtr> QueryBinder::rename(RelationPtr input, const std::vector<ast::Name>& names,
                                        std::string_view owner) {
  if (names.size() != input->columns.size())
    return source_.error(
        cover(names.front().span, names.back().span),
        fmt::format("'{}' has {}, and {} given", owner, counted(input->columns.size(), "column"),
                    names.size() == 1 ? "1 name is" : fmt::format("{} names are", names.size())));
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    expressions.push_back(column_expression(i, input->columns[i].type));
    texts.push_back(names[i].text);
  }
  return make_project(std::move(input), std::move(expressions), texts);
}

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

Status QueryBinder::check_window(Millis size, Span size_span, Millis offset, Span offset_span) {
  if (size <= 0) return source_.error(size_span, "the window's size must be greater than zero");
  if (offset >= size || offset <= -size)
    return source_.error(offset_span, "the window's offset must be smaller than its size");
  return {};
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
    cure = "; after TUMBLE the time attribute is window_time";
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

// The windows of a TUMBLE are arithmetic on the time column: window_start, _end and _time are
// expressions, and cost nothing where a query only groups by them.
Result<RelationPtr> QueryBinder::bind_window(const ast::WindowCall& call) {
  TIDEMARK_ASSIGN_OR_RETURN(const Source input, bind_table_ref(*call.data));
  TIDEMARK_ASSIGN_OR_RETURN(const std::size_t time,
                            bind_time_column(input, call.time_column, "TUMBLE"));
  WindowSpec window{.time_type = input.relation->columns[time].type};
  TIDEMARK_ASSIGN_OR_RETURN(window.size, bind_interval(*call.size, "size"));
  if (call.offset) {
    TIDEMARK_ASSIGN_OR_RETURN(window.offset, bind_interval(*call.offset, "offset"));
  }
  TIDEMARK_TRY(check_window(window.size, call.size->span, window.offset,
                            call.offset ? call.offset->span : call.size->span));

  Relation relation;
  relation.kind = Relation::Kind::kProject;
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
