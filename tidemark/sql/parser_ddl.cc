// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/sql/parser.h"

namespace tidemark::sql {

Status Parser::parse_create(ast::Statement& statement) {
  TIDEMARK_TRY(expect("CREATE"));
  if (peek().is_word("OR"))
    return source_.unsupported(peek().span, "CREATE OR REPLACE is not supported; DROP it first");
  const bool temporary = accept("TEMPORARY");
  if (temporary) accept("SYSTEM");
  if (accept("TABLE")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::CreateTable table, parse_create_table());
    table.temporary = temporary;
    statement.body = std::move(table);
    return {};
  }
  if (accept("VIEW")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::CreateView view, parse_create_view());
    view.temporary = temporary;
    statement.body = std::move(view);
    return {};
  }
  for (const char* const kind :
       {"CATALOG", "DATABASE", "FUNCTION", "MODEL", "MATERIALIZED", "CONNECTION"})
    if (peek().is_word(kind))
      return source_.unsupported(peek().span, fmt::format("CREATE {} is not supported", kind));
  return unexpected("TABLE or VIEW");
}

Result<ast::CreateTable> Parser::parse_create_table() {
  ast::CreateTable table;
  table.if_not_exists = accept_all({"IF", "NOT", "EXISTS"});
  TIDEMARK_ASSIGN_OR_RETURN(table.name, parse_path("a table name"));
  if (accept_symbol("(")) {
    do {
      TIDEMARK_TRY(parse_table_element(table));
    } while (accept_symbol(","));
    if (!accept_symbol(")")) return unexpected("',' or ')' after a column");
  } else if (!peek().is_word("LIKE") && !peek().is_word("WITH") && !peek().is_word("COMMENT")) {
    return unexpected("'(' and the table's columns");
  }
  TIDEMARK_TRY(parse_table_tail(table));
  return table;
}

Status Parser::parse_table_element(ast::CreateTable& table) {
  if (peek().is_word("WATERMARK")) return parse_watermark(table);
  if (accept("CONSTRAINT")) {
    TIDEMARK_TRY(parse_name("the constraint's name"));
    if (!peek().is_word("PRIMARY")) return unexpected("PRIMARY KEY");
  }
  if (peek().is_word("PRIMARY")) return parse_primary_key(table);
  if (peek().is_word("UNIQUE"))
    return source_.unsupported(peek().span, "UNIQUE is not supported; use PRIMARY KEY");
  return parse_column(table);
}

Status Parser::parse_column(ast::CreateTable& table) {
  ast::ColumnDefinition column;
  TIDEMARK_ASSIGN_OR_RETURN(column.name, parse_name("a column name"));
  if (accept("AS")) {
    TIDEMARK_ASSIGN_OR_RETURN(column.computed, parse_expression());
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(column.type, parse_type());
  }
  TIDEMARK_TRY(parse_column_constraints(table, column));
  table.columns.push_back(std::move(column));
  return {};
}

Status Parser::parse_column_constraints(ast::CreateTable& table, ast::ColumnDefinition& column) {
  if (peek().is_word("METADATA"))
    return source_.unsupported(peek().span, "METADATA columns are not supported");
  if (peek().is_word("CONSTRAINT") || peek().is_word("PRIMARY")) {
    if (accept("CONSTRAINT")) {
      TIDEMARK_TRY(parse_name("the constraint's name"));
    }
    const Span span = peek().span;
    TIDEMARK_TRY(expect("PRIMARY"));
    TIDEMARK_TRY(expect("KEY"));
    TIDEMARK_TRY(parse_not_enforced(cover(span, last_span())));
    TIDEMARK_TRY(set_primary_key(table, {cover(span, last_span()), {column.name}}));
  }
  if (accept("COMMENT")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::Name comment, parse_string("the comment in quotes"));
    column.comment = std::move(comment.text);
  }
  return {};
}

Status Parser::parse_watermark(ast::CreateTable& table) {
  const Span begin = advance().span;
  TIDEMARK_TRY(expect("FOR"));
  ast::WatermarkDefinition watermark;
  TIDEMARK_ASSIGN_OR_RETURN(watermark.column, parse_path("the time column's name"));
  TIDEMARK_TRY(expect("AS"));
  TIDEMARK_ASSIGN_OR_RETURN(watermark.expression, parse_expression());
  watermark.span = cover(begin, last_span());
  if (table.watermark)
    return source_.error(watermark.span, "a table has one WATERMARK; this is a second one");
  table.watermark = std::move(watermark);
  return {};
}

Status Parser::parse_primary_key(ast::CreateTable& table) {
  const Span begin = advance().span;
  TIDEMARK_TRY(expect("KEY"));
  ast::PrimaryKey key;
  TIDEMARK_ASSIGN_OR_RETURN(key.columns, parse_name_list("a column name"));
  key.span = cover(begin, last_span());
  TIDEMARK_TRY(parse_not_enforced(key.span));
  return set_primary_key(table, std::move(key));
}

Status Parser::parse_not_enforced(Span span) {
  if (accept_all({"NOT", "ENFORCED"})) return {};
  return source_.error(span,
                       "a PRIMARY KEY is followed by NOT ENFORCED: the engine does not check that "
                       "keys are unique");
}

Status Parser::set_primary_key(ast::CreateTable& table, ast::PrimaryKey key) {
  if (table.primary_key)
    return source_.error(key.span, "a table has one PRIMARY KEY; this is a second one");
  table.primary_key = std::move(key);
  return {};
}

Status Parser::parse_table_tail(ast::CreateTable& table) {
  if (accept("COMMENT")) {
    TIDEMARK_TRY(parse_string("the comment in quotes"));
  }
  if (peek().is_word("DISTRIBUTED"))
    return source_.unsupported(peek().span, "DISTRIBUTED BY is not supported");
  if (peek().is_word("PARTITIONED"))
    return source_.unsupported(peek().span,
                               "partitioned tables are not supported; leave PARTITIONED BY out");
  if (accept("WITH")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.options, parse_options());
  }
  if (accept("LIKE")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::Path like, parse_path("a table name"));
    table.like = std::move(like);
    if (peek().is_symbol("("))
      return source_.unsupported(peek().span,
                                 "INCLUDING, EXCLUDING and OVERWRITING are not supported: LIKE "
                                 "takes over everything, and options given here win");
  }
  if (peek().is_word("AS"))
    return source_.unsupported(peek().span,
                               "CREATE TABLE ... AS SELECT is not supported; write CREATE TABLE "
                               "and INSERT INTO");
  return {};
}

Result<std::vector<ast::Option>> Parser::parse_options() {
  TIDEMARK_TRY(expect_symbol("("));
  std::vector<ast::Option> options;
  if (accept_symbol(")")) return options;
  do {
    ast::Option option;
    TIDEMARK_ASSIGN_OR_RETURN(option.key, parse_string("an option 'name' = 'value'"));
    TIDEMARK_TRY(expect_symbol("="));
    TIDEMARK_ASSIGN_OR_RETURN(option.value, parse_string("the option's value in single quotes"));
    options.push_back(std::move(option));
  } while (accept_symbol(","));
  if (!accept_symbol(")")) return unexpected("',' or ')' after an option");
  return options;
}

Result<ast::CreateView> Parser::parse_create_view() {
  ast::CreateView view;
  view.if_not_exists = accept_all({"IF", "NOT", "EXISTS"});
  TIDEMARK_ASSIGN_OR_RETURN(view.name, parse_path("a view name"));
  if (peek().is_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(view.columns, parse_name_list("a column name"));
  }
  if (accept("COMMENT")) {
    TIDEMARK_TRY(parse_string("the comment in quotes"));
  }
  TIDEMARK_TRY(expect("AS"));
  TIDEMARK_ASSIGN_OR_RETURN(view.query, parse_query());
  return view;
}

Result<ast::Drop> Parser::parse_drop() {
  TIDEMARK_TRY(expect("DROP"));
  accept("TEMPORARY");
  ast::Drop drop;
  if (!peek().is_word("TABLE") && !peek().is_word("VIEW")) return unexpected("TABLE or VIEW");
  drop.view = advance().is_word("VIEW");
  drop.if_exists = accept_all({"IF", "EXISTS"});
  TIDEMARK_ASSIGN_OR_RETURN(drop.name, parse_path("a name"));
  return drop;
}

}  // namespace tidemark::sql
