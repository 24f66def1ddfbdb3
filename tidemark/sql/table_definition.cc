// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/table_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/sql/binder_expression.h"

namespace tidemark::sql {
namespace {

constexpr std::string_view kEmitStrategy = "scan.watermark.emit.strategy";
constexpr std::string_view kIdleTimeout = "scan.watermark.idle-timeout";

class TableDefiner {
 public:
  TableDefiner(const SourceText& source, const Catalog& catalog)
      : source_(source), catalog_(catalog) {}

  Result<Table> run(const ast::CreateTable& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, statement.name));
    table_.name = name.text;
    table_.span = name.span;
    table_.temporary = statement.temporary;
    if (statement.like) TIDEMARK_TRY(take_over(*statement.like));
    table_.parts.push_back(&statement);
    TIDEMARK_TRY(add_columns());
    TIDEMARK_TRY(add_primary_key());
    TIDEMARK_TRY(add_computed());
    TIDEMARK_TRY(add_watermark());
    for (const ast::CreateTable* part : table_.parts) TIDEMARK_TRY(add_options(*part));
    TIDEMARK_TRY(read_engine_options());
    return std::move(table_);
  }

 private:
  // CREATE TABLE ... LIKE base: everything of the base, and what is written here behind it.
  Status take_over(const ast::Path& path) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, path));
    const auto base = catalog_.find_table(name.text);
    if (!base)
      return source_.error(name.span, fmt::format("there is no table '{}'{}", name.text,
                                                  suggestion(name.text, catalog_.names())));
    table_.parts = base->parts;
    return {};
  }

  Status add_columns() {
    std::vector<Field> physical;
    std::vector<std::string> seen;
    for (const ast::CreateTable* part : table_.parts) {
      for (const ast::ColumnDefinition& column : part->columns) {
        if (std::find(seen.begin(), seen.end(), column.name.text) != seen.end())
          return source_.error(place(part, column.name.span),
                               fmt::format("the table has two columns '{}'", column.name.text));
        seen.push_back(column.name.text);
        columns_.push_back(&column);
        table_.comments.push_back(column.comment);
        if (!column.computed) physical.push_back({column.name.text, column.type});
      }
    }
    if (physical.empty())
      return source_.error(table_.span, "a table needs at least one physical column");
    table_.physical = make_schema(std::move(physical));
    return {};
  }

  /// An error in a table taken over by LIKE is shown at the table that takes it over.
  Span place(const ast::CreateTable* part, Span span) const {
    return part == table_.parts.back() ? span : table_.span;
  }

  Status add_primary_key() {
    const ast::PrimaryKey* key = nullptr;
    for (const ast::CreateTable* part : table_.parts) {
      if (!part->primary_key) continue;
      if (key != nullptr)
        return source_.error(part->primary_key->span,
                             "the table that this one is LIKE has a PRIMARY KEY already");
      key = &*part->primary_key;
    }
    if (key == nullptr) return {};
    Schema schema = *table_.physical;
    for (const ast::Name& name : key->columns) {
      const auto index = schema.index_of(name.text);
      if (!index) return unknown_key_column(name);
      if (std::count(table_.primary_key.begin(), table_.primary_key.end(), *index) != 0)
        return source_.error(name.span, fmt::format("'{}' is in the PRIMARY KEY twice", name.text));
      table_.primary_key.push_back(*index);
      schema.fields[*index].type.nullable = false;
    }
    table_.physical = make_schema(std::move(schema.fields));
    return {};
  }

  Error unknown_key_column(const ast::Name& name) const {
    std::vector<std::string> names;
    for (const Field& field : table_.physical->fields) names.push_back(field.name);
    if (is_computed(name.text))
      return source_.error(name.span,
                           fmt::format("'{}' is a computed column; a PRIMARY KEY consists "
                                       "of physical columns",
                                       name.text));
    return source_.error(name.span, fmt::format("the table has no column '{}'{}", name.text,
                                                suggestion(name.text, names)));
  }

  bool is_computed(std::string_view name) const {
    return std::any_of(columns_.begin(), columns_.end(), [name](const auto* column) {
      return column->computed && column->name.text == name;
    });
  }

  /// As in Flink, a computed column does not read another.
  Status check_reads_physical(const ast::Expr& expression) const {
    if (expression.kind == ast::Expr::Kind::kColumn && is_computed(expression.path.back().text))
      return source_.error(expression.span,
                           fmt::format("'{}' is a computed column, and a computed column can read "
                                       "physical columns only",
                                       expression.path.back().text));
    for (const ast::ExprPtr& argument : expression.arguments)
      TIDEMARK_TRY(check_reads_physical(*argument));
    return {};
  }

  Status add_computed() {
    for (const Field& field : table_.physical->fields)
      scope_columns_.push_back({field.name, field.type});
    const std::vector<RelationColumn> physical = scope_columns_;
    std::size_t next_physical = 0;
    for (const ast::ColumnDefinition* column : columns_) {
      if (!column->computed) {
        table_.declared.push_back(next_physical++);
        continue;
      }
      TIDEMARK_TRY(check_reads_physical(*column->computed));
      ExpressionBinder binder(source_, Scope{table_.name, &physical}, "a computed column");
      TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, binder.bind(*column->computed));
      table_.declared.push_back(physical.size() + table_.computed.size());
      table_.computed_fields.push_back({column->name.text, bound->type});
      scope_columns_.push_back({column->name.text, bound->type});
      table_.computed_texts.emplace_back(source_.slice(column->computed->span));
      table_.computed.push_back(std::move(bound));
    }
    return {};
  }

  static bool is_time_attribute_type(const DataType& type) {
    return is_timestamp(type.kind) && type.precision <= 3;
  }

  Status add_watermark() {
    const ast::WatermarkDefinition* watermark = nullptr;
    for (const ast::CreateTable* part : table_.parts) {
      if (!part->watermark) continue;
      if (watermark != nullptr)
        return source_.error(part->watermark->span,
                             "the table that this one is LIKE has a WATERMARK already");
      watermark = &*part->watermark;
    }
    if (watermark == nullptr) return {};
    const Scope scope{table_.name, &scope_columns_};
    TIDEMARK_ASSIGN_OR_RETURN(const std::size_t rowtime,
                              resolve_column(source_, scope, watermark->column));
    const RelationColumn& column = scope_columns_[rowtime];
    if (!is_time_attribute_type(column.type)) return bad_time_column(watermark->column, column);
    ExpressionBinder binder(source_, scope, "a WATERMARK");
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, binder.bind(*watermark->expression));
    if (!is_time_attribute_type(bound->type) || bound->type.kind != column.type.kind)
      return source_.error(watermark->expression->span,
                           fmt::format("the watermark must be {} like '{}', and this is {}",
                                       to_string(column.type.with_nullable(true)), column.name,
                                       to_string(bound->type.with_nullable(true))));
    table_.rowtime = rowtime;
    table_.watermark = std::move(bound);
    table_.watermark_text = source_.slice(watermark->expression->span);
    return {};
  }

  Error bad_time_column(const ast::Path& path, const RelationColumn& column) const {
    std::string cure;
    if (is_timestamp(column.type.kind)) {
      cure = fmt::format("; declare it as {}(3)",
                         column.type.kind == TypeKind::kTimestamp ? "TIMESTAMP" : "TIMESTAMP_LTZ");
    } else if (column.type.kind == TypeKind::kString) {
      cure = fmt::format("; add a computed column: ts AS CAST({} AS TIMESTAMP(3))", column.name);
    } else if (column.type.kind == TypeKind::kBigInt) {
      cure = fmt::format("; add a computed column: ts AS TO_TIMESTAMP_LTZ({}, 3)", column.name);
    }
    return source_.error(
        span_of(path), fmt::format("a WATERMARK is for a column of type TIMESTAMP(p) or "
                                   "TIMESTAMP_LTZ(p) with p from 0 to 3, and '{}' is {}{}",
                                   column.name, to_string(column.type.with_nullable(true)), cure));
  }

  Status add_options(const ast::CreateTable& part) {
    std::map<std::string, Span, std::less<>> seen;
    for (const ast::Option& option : part.options) {
      if (!seen.emplace(option.key.text, option.key.span).second)
        return source_.error(option.key.span,
                             fmt::format("the option '{}' is given twice", option.key.text));
      table_.options[option.key.text] = option.value.text;
      table_.option_spans[option.key.text] = cover(option.key.span, option.value.span);
    }
    return {};
  }

  Status read_engine_options() {
    const std::string owner = fmt::format("table '{}'", table_.name);
    OptionReader options(owner, table_.options);
    const Result<std::string> strategy =
        options.choice(kEmitStrategy, {"on-periodic", "on-event"}, "on-periodic");
    if (!strategy.ok())
      return source_.error(table_.option_spans[std::string(kEmitStrategy)],
                           strategy.error().message, ErrorCode::kInvalidOption);
    table_.emit_on_event = *strategy == "on-event";
    const auto idle = table_.options.find(kIdleTimeout);
    if (idle == table_.options.end()) return {};
    const Result<Millis> timeout = parse_duration(kIdleTimeout, idle->second);
    if (!timeout.ok())
      return source_.error(table_.option_spans[std::string(kIdleTimeout)], timeout.error().message,
                           ErrorCode::kInvalidOption);
    table_.idle_timeout = *timeout;
    return {};
  }

  const SourceText& source_;
  const Catalog& catalog_;
  Table table_;
  std::vector<const ast::ColumnDefinition*> columns_;
  std::vector<RelationColumn> scope_columns_;
};

}  // namespace

Result<Table> define_table(const SourceText& source, const Catalog& catalog,
                           const ast::CreateTable& statement) {
  return TableDefiner(source, catalog).run(statement);
}

}  // namespace tidemark::sql
