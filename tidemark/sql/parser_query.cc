// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/sql/parser.h"
#include "tidemark/sql/parser_level.h"

namespace tidemark::sql {
Result<ast::QueryPtr> Parser::parse_query() {
  const Level level(*this);
  TIDEMARK_TRY(check_nesting());
  const Span begin = peek().span;
  if (!peek().is_word("WITH")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr query, parse_union());
    TIDEMARK_TRY(refuse_query_tail());
    return query;
  }
  ast::Query query;
  TIDEMARK_ASSIGN_OR_RETURN(query.with, parse_with());
  TIDEMARK_ASSIGN_OR_RETURN(query.body, parse_union());
  TIDEMARK_TRY(refuse_query_tail());
  query.span = cover(begin, last_span());
  return std::make_shared<const ast::Query>(std::move(query));
}

Result<std::vector<ast::CommonTable>> Parser::parse_with() {
  TIDEMARK_TRY(expect("WITH"));
  if (peek().is_word("RECURSIVE"))
    return source_.unsupported(peek().span, "WITH RECURSIVE is not supported");
  std::vector<ast::CommonTable> tables;
  do {
    ast::CommonTable table;
    TIDEMARK_ASSIGN_OR_RETURN(table.name, parse_name("a name for the query"));
    if (peek().is_symbol("(")) {
      TIDEMARK_ASSIGN_OR_RETURN(table.columns, parse_name_list("a column name"));
    }
    TIDEMARK_TRY(expect("AS"));
    TIDEMARK_TRY(expect_symbol("("));
    TIDEMARK_ASSIGN_OR_RETURN(table.query, parse_query());
    TIDEMARK_TRY(expect_symbol(")"));
    tables.push_back(std::move(table));
  } while (accept_symbol(","));
  return tables;
}

Result<ast::QueryPtr> Parser::parse_union() {
  TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr left, parse_query_term());
  for (std::uint32_t terms = 1;; ++terms) {
    for (const char* const word : {"INTERSECT", "EXCEPT", "MINUS"})
      if (peek().is_word(word))
        return source_.unsupported(peek().span, fmt::format("{} is not supported", word));
    if (!peek().is_word("UNION")) return left;
    const Span span = advance().span;
    if (!accept("ALL"))
      return source_.unsupported(span,
                                 "UNION without ALL removes duplicates and is not supported; use "
                                 "UNION ALL");
    if (terms == kMaxNesting)
      return source_.error(span, fmt::format("more than {} queries in one UNION ALL", terms));
    ast::Query query;
    TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr right, parse_query_term());
    query.span = cover(left->span, right->span);
    query.body = ast::UnionAll{span, std::move(left), std::move(right)};
    left = std::make_shared<const ast::Query>(std::move(query));
  }
}

Result<ast::QueryPtr> Parser::parse_query_term() {
  const Span begin = peek().span;
  if (accept_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr query, parse_query());
    TIDEMARK_TRY(expect_symbol(")"));
    return query;
  }
  ast::Query query;
  if (peek().is_word("SELECT")) {
    TIDEMARK_ASSIGN_OR_RETURN(query.body, parse_select());
  } else if (peek().is_word("VALUES")) {
    TIDEMARK_ASSIGN_OR_RETURN(query.body, parse_values());
  } else {
    return unexpected("a query (SELECT, VALUES or WITH)");
  }
  query.span = cover(begin, last_span());
  return std::make_shared<const ast::Query>(std::move(query));
}

Result<ast::Values> Parser::parse_values() {
  TIDEMARK_TRY(expect("VALUES"));
  ast::Values values;
  do {
    std::vector<ast::ExprPtr> row;
    accept("ROW");
    if (accept_symbol("(")) {
      do {
        TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr column, parse_expression());
        row.push_back(std::move(column));
      } while (accept_symbol(","));
      if (!accept_symbol(")")) return unexpected("',' or ')' after a value");
    } else {
      TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr column, parse_expression());
      row.push_back(std::move(column));
    }
    values.rows.push_back(std::move(row));
  } while (accept_symbol(","));
  return values;
}

Result<ast::Select> Parser::parse_select() {
  ast::Select select;
  select.span = peek().span;
  TIDEMARK_TRY(expect("SELECT"));
  if (peek().is_word("STREAM"))
    return source_.error(peek().span, "SELECT STREAM is Calcite's, not Flink's; leave STREAM out");
  select.distinct = accept("DISTINCT");
  if (!select.distinct) accept("ALL");
  do {
    TIDEMARK_ASSIGN_OR_RETURN(ast::SelectItem item, parse_select_item());
    select.items.push_back(std::move(item));
  } while (accept_symbol(","));
  if (accept("FROM")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::TableRef from, parse_table_ref());
    TIDEMARK_TRY(refuse_join());
    select.from = std::make_unique<ast::TableRef>(std::move(from));
  }
  if (accept("WHERE")) {
    TIDEMARK_ASSIGN_OR_RETURN(select.where, parse_expression());
  }
  TIDEMARK_TRY(parse_group_by(select));
  if (accept("HAVING")) {
    TIDEMARK_ASSIGN_OR_RETURN(select.having, parse_expression());
  }
  for (const char* const clause : {"WINDOW", "QUALIFY"})
    if (peek().is_word(clause))
      return source_.unsupported(peek().span,
                                 fmt::format("the {} clause is not supported", clause));
  return select;
}

Result<ast::SelectItem> Parser::parse_select_item() {
  ast::SelectItem item;
  if (peek().is_symbol("*")) {
    item.expression = std::make_unique<ast::Expr>();
    item.expression->kind = ast::Expr::Kind::kStar;
    item.expression->span = advance().span;
    return item;
  }
  TIDEMARK_ASSIGN_OR_RETURN(item.expression, parse_expression());
  if (item.expression->kind == ast::Expr::Kind::kStar) return item;
  TIDEMARK_ASSIGN_OR_RETURN(item.alias, parse_alias());
  return item;
}

Result<ast::TableRef> Parser::parse_table_ref() {
  const Level level(*this);
  TIDEMARK_TRY(check_nesting());
  const Span begin = peek().span;
  TIDEMARK_ASSIGN_OR_RETURN(ast::TableRef table, parse_table_primary());
  if (at_words({"FOR", "SYSTEM_TIME"}))
    return source_.unsupported(cover(peek().span, peek(1).span),
                               "FOR SYSTEM_TIME AS OF is not supported");
  for (const char* const word : {"MATCH_RECOGNIZE", "TABLESAMPLE"})
    if (peek().is_word(word))
      return source_.unsupported(peek().span,
                                 fmt::format("{} after a table is not supported", word));
  TIDEMARK_ASSIGN_OR_RETURN(table.alias, parse_alias());
  if (table.alias && peek().is_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.columns, parse_name_list("a column name"));
  }
  table.span = cover(begin, last_span());
  return table;
}

Result<ast::TableRef> Parser::parse_table_primary() {
  ast::TableRef table;
  for (const char* const word : {"LATERAL", "UNNEST"})
    if (peek().is_word(word))
      return source_.unsupported(peek().span, fmt::format("{} in FROM is not supported", word));
  if (at_window_function() && peek(1).is_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.window, parse_window_call());
    return table;
  }
  if (accept("TABLE")) {
    if (accept_symbol("(")) {
      if (!at_window_function()) return unexpected("a window function: TUMBLE(...)");
      TIDEMARK_ASSIGN_OR_RETURN(table.window, parse_window_call());
      TIDEMARK_TRY(expect_symbol(")"));
      return table;
    }
    TIDEMARK_ASSIGN_OR_RETURN(table.table, parse_path("a table name"));
    return table;
  }
  if (!accept_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.table, parse_path("a table, a view or a query in parentheses"));
    return table;
  }
  if (peek().is_word("SELECT") || peek().is_word("WITH") || peek().is_word("VALUES") ||
      peek().is_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.query, parse_query());
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(table, parse_table_ref());
    TIDEMARK_TRY(refuse_join());
  }
  TIDEMARK_TRY(expect_symbol(")"));
  return table;
}

Status Parser::refuse_join() const {
  if (peek().is_symbol(","))
    return source_.unsupported(peek().span, "joins are not supported: FROM takes one table");
  for (const char* const word :
       {"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "OUTER", "ASOF"})
    if (peek().is_word(word))
      return source_.unsupported(peek().span, "joins are not supported: FROM takes one table");
  return {};
}

Status Parser::refuse_query_tail() const {
  if (peek().is_word("ORDER"))
    return source_.unsupported(peek().span,
                               "ORDER BY is not supported: a stream has no end to sort at");
  for (const char* const word : {"LIMIT", "FETCH", "OFFSET"})
    if (peek().is_word(word))
      return source_.unsupported(peek().span, fmt::format("{} is not supported", word));
  return {};
}

}  // namespace tidemark::sql
