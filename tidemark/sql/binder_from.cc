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

}  // namespace tidemark::sql
