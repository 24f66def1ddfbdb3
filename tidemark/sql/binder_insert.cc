// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/binder_insert.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/sql/type_rules.h"

namespace tidemark::sql {
namespace {

/// Where the query's column stands in the text, as exactly as can be said.
Span column_span(const ast::Query& query, std::size_t column) {
  if (const auto* inner = std::get_if<ast::QueryPtr>(&query.body))
    return column_span(**inner, column);
  if (const auto* values = std::get_if<ast::Values>(&query.body))
    return values->rows.front()[column]->span;
  const auto* select = std::get_if<ast::Select>(&query.body);
  if (select == nullptr) return query.span;
  for (std::size_t i = 0; i < select->items.size() && i <= column; ++i) {
    const ast::Expr& item = *select->items[i].expression;
    if (i == column || item.kind == ast::Expr::Kind::kStar) return item.span;
  }
  return select->span;
}

class InsertBinder {
 public:
  InsertBinder(const SourceText& source, const ast::Insert& insert, const Table& target,
               RelationPtr input)
      : source_(source), insert_(insert), target_(target), input_(std::move(input)) {}

  Result<RelationPtr> run() {
    TIDEMARK_ASSIGN_OR_RETURN(const std::vector<std::size_t> targets, target_columns());
    if (targets.size() != input_->columns.size())
      return source_.error(
          insert_.query->span,
          fmt::format("the query gives {} column{}, and {} are needed: {}", input_->columns.size(),
                      input_->columns.size() == 1 ? "" : "s", targets.size(),
                      target_list(targets)));
    std::vector<ExpressionPtr> expressions(target_.physical->size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      TIDEMARK_ASSIGN_OR_RETURN(expressions[targets[i]], store(i, targets[i]));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      const Field& field = target_.physical->fields[i];
      if (!expressions[i]) {
        if (!field.type.nullable)
          return source_.error(
              cover(insert_.columns.front().span, insert_.columns.back().span),
              fmt::format("'{}' is NOT NULL and needs a value; it is not among the "
                          "columns of this INSERT",
                          field.name));
        expressions[i] = literal_expression(Value::null(field.type));
      }
      names.push_back(field.name);
    }
    return make_project(input_, std::move(expressions), names);
  }

 private:
  /// The target's column for each column of the query.
  Result<std::vector<std::size_t>> target_columns() const {
    std::vector<std::size_t> targets;
    if (insert_.columns.empty()) {
      for (std::size_t i = 0; i < target_.physical->size(); ++i) targets.push_back(i);
      return targets;
    }
    for (const ast::Name& name : insert_.columns) {
      const auto index = target_.physical->index_of(name.text);
      if (!index) return unknown_column(name);
      if (std::find(targets.begin(), targets.end(), *index) != targets.end())
        return source_.error(name.span, fmt::format("'{}' is named twice", name.text));
      targets.push_back(*index);
    }
    return targets;
  }

  Error unknown_column(const ast::Name& name) const {
    for (const Field& field : target_.computed_fields)
      if (field.name == name.text)
        return source_.error(
            name.span, fmt::format("'{}' is a computed column: it cannot be written", name.text));
    std::vector<std::string> names;
    for (const Field& field : target_.physical->fields) names.push_back(field.name);
    return source_.error(name.span, fmt::format("'{}' has no column '{}'{}", target_.name,
                                                name.text, suggestion(name.text, names)));
  }

  std::string target_list(const std::vector<std::size_t>& targets) const {
    std::vector<Field> fields;
    for (const std::size_t target : targets) fields.push_back(target_.physical->fields[target]);
    return to_string(Schema{std::move(fields)});
  }

  Result<ExpressionPtr> store(std::size_t column, std::size_t target) const {
    const RelationColumn& from = input_->columns[column];
    const Field& to = target_.physical->fields[target];
    const Span span = column_span(*insert_.query, column);
    if (!can_store(from.type, to.type) &&
        !(from.flink_type && can_store(*from.flink_type, to.type)))
      return source_.error(
          span, fmt::format("column {} of the query, '{}', is {} and cannot be stored in "
                            "'{}' of '{}', which is {}; add a CAST",
                            column + 1, from.name, to_string(from.type.with_nullable(true)),
                            to.name, target_.name, to_string(to.type.with_nullable(true))));
    Result<ExpressionPtr> value = cast_expression(column_expression(column, from.type),
                                                  to.type.with_nullable(from.type.nullable));
    if (!value.ok()) return source_.error(span, value.error().message);
    if (to.type.nullable || !from.type.nullable) return value;
    if (from.type.kind == TypeKind::kNull)
      return source_.error(
          span, fmt::format("NULL cannot be stored in '{}' of '{}', which is NOT NULL", to.name,
                            target_.name));
    Value place = Value::of_text(DataType::string().with_nullable(false),
                                 fmt::format("'{}' of '{}'", to.name, target_.name));
    return call_expression("__NOT_NULL",
                           {std::move(value).value(), literal_expression(std::move(place))});
  }

  const SourceText& source_;
  const ast::Insert& insert_;
  const Table& target_;
  RelationPtr input_;
};

}  // namespace

Result<BoundInsert> bind_insert(const SourceText& source, const Catalog& catalog,
                                QueryBinder& queries, const ast::Insert& insert) {
  TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source, insert.target));
  if (catalog.find_view(name.text))
    return source.error(name.span,
                        fmt::format("'{}' is a view; INSERT INTO takes a table", name.text));
  const auto target = catalog.find_table(name.text);
  if (!target)
    return source.error(name.span, fmt::format("there is no table '{}'{}", name.text,
                                               suggestion(name.text, catalog.names())));
  TIDEMARK_ASSIGN_OR_RETURN(RelationPtr query, queries.bind(*insert.query, name.text));
  TIDEMARK_ASSIGN_OR_RETURN(RelationPtr input,
                            InsertBinder(source, insert, *target, std::move(query)).run());
  return BoundInsert{target, std::move(input)};
}

}  // namespace tidemark::sql
