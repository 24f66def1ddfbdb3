// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/options.h"
#include "tidemark/sql/keywords.h"

namespace tidemark::sql {
namespace {

/// How a message names a token.
std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kEnd: return "the end of the file";
    case Token::Kind::kString: return fmt::format("the string '{}'", token.text);
    case Token::Kind::kBytes: return "a binary string";
    case Token::Kind::kNumber: return token.text;
    case Token::Kind::kMixed:
      return fmt::format("'{}', which is neither a number nor a name", token.text);
    case Token::Kind::kQuotedName: return fmt::format("the name `{}`", token.text);
    case Token::Kind::kWord:
    case Token::Kind::kSymbol: return fmt::format("'{}'", token.text);
  }
  return {};
}

/// Words that hardly anyone means as a name: a hint about backquotes would mislead.
bool continues_clause(std::string_view upper) {
  static constexpr std::string_view kWords[] = {"AND",  "AS",   "BY",    "ELSE", "FROM", "HAVING",
                                                "IN",   "INTO", "IS",    "NOT",  "ON",   "OR",
                                                "THEN", "WHEN", "WHERE", "UNION"};
  return std::find(std::begin(kWords), std::end(kWords), upper) != std::end(kWords);
}

}  // namespace

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::accept(std::string_view keyword) {
  if (!peek().is_word(keyword)) return false;
  ++at_;
  return true;
}

bool Parser::accept_symbol(std::string_view symbol) {
  if (!peek().is_symbol(symbol)) return false;
  ++at_;
  return true;
}

bool Parser::at_words(std::initializer_list<std::string_view> keywords) const {
  std::size_t ahead = 0;
  for (const std::string_view keyword : keywords)
    if (!peek(ahead++).is_word(keyword)) return false;
  return true;
}

bool Parser::accept_all(std::initializer_list<std::string_view> keywords) {
  if (!at_words(keywords)) return false;
  at_ += keywords.size();
  return true;
}

Status Parser::expect(std::string_view keyword) {
  if (accept(keyword)) return {};
  return unexpected(keyword);
}

Status Parser::expect_symbol(std::string_view symbol) {
  if (accept_symbol(symbol)) return {};
  return unexpected(fmt::format("'{}'", symbol));
}

Error Parser::unexpected(std::string_view expected) const {
  return source_.error(peek().span,
                       fmt::format("expected {}, found {}", expected, describe(peek())));
}

Status Parser::check_nesting() const {
  if (level_ <= kMaxNesting) return {};
  return source_.error(peek().span,
                       fmt::format("this is nested more than {} levels deep", kMaxNesting));
}

Result<ast::Name> Parser::parse_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind == Token::Kind::kQuotedName) {
    advance();
    return ast::Name{token.text, token.span};
  }
  if (token.kind == Token::Kind::kMixed)
    return source_.error(token.span,
                         fmt::format("expected {}, found '{}'; a name that begins with a digit is "
                                     "written in backquotes: `{}`",
                                     what, token.text, token.text));
  if (token.kind != Token::Kind::kWord || continues_clause(token.upper)) return unexpected(what);
  if (is_reserved(token.upper))
    return source_.error(token.span,
                         fmt::format("expected {}, found the reserved word '{}'; as a name it is "
                                     "written in backquotes: `{}`",
                                     what, token.text, token.text));
  advance();
  return ast::Name{token.text, token.span};
}

Result<ast::Path> Parser::parse_path(std::string_view what) {
  ast::Path path;
  do {
    TIDEMARK_ASSIGN_OR_RETURN(ast::Name name, parse_name(what));
    path.push_back(std::move(name));
  } while (accept_symbol("."));
  return path;
}

Result<ast::Name> Parser::parse_string(std::string_view what) {
  if (peek().kind != Token::Kind::kString) return unexpected(what);
  const Token& token = advance();
  return ast::Name{token.text, token.span};
}

Result<std::vector<ast::Name>> Parser::parse_name_list(std::string_view what) {
  TIDEMARK_TRY(expect_symbol("("));
  std::vector<ast::Name> names;
  do {
    TIDEMARK_ASSIGN_OR_RETURN(ast::Name name, parse_name(what));
    names.push_back(std::move(name));
  } while (accept_symbol(","));
  if (!accept_symbol(")")) return unexpected("',' or ')'");
  return names;
}

Result<std::optional<ast::Name>> Parser::parse_alias() {
  const bool has_as = accept("AS");
  const Token& token = peek();
  const bool is_name = token.kind == Token::Kind::kQuotedName ||
                       (token.kind == Token::Kind::kWord && !is_reserved(token.upper));
  if (!has_as && !is_name) return std::optional<ast::Name>();
  TIDEMARK_ASSIGN_OR_RETURN(ast::Name name, parse_name("an alias"));
  return std::optional<ast::Name>(std::move(name));
}

Result<std::vector<ast::Statement>> Parser::parse_script() {
  std::vector<ast::Statement> statements;
  while (peek().kind != Token::Kind::kEnd) {
    if (accept_symbol(";")) continue;
    TIDEMARK_ASSIGN_OR_RETURN(ast::Statement statement, parse_statement());
    statements.push_back(std::move(statement));
    TIDEMARK_TRY(end_statement());
  }
  return statements;
}

Status Parser::end_statement() {
  if (accept_symbol(";") || peek().kind == Token::Kind::kEnd) return {};
  return unexpected("';' at the end of the statement");
}

Result<ast::Statement> Parser::parse_statement() {
  ast::Statement statement;
  const Token& first = peek();
  const auto assign = [&statement](auto result) -> Status {
    if (!result.ok()) return result.error();
    statement.body = std::move(result).value();
    return {};
  };
  if (first.is_word("CREATE")) {
    TIDEMARK_TRY(parse_create(statement));
  } else if (first.is_word("DROP")) {
    TIDEMARK_TRY(assign(parse_drop()));
  } else if (first.is_word("INSERT")) {
    TIDEMARK_TRY(assign(parse_insert()));
  } else if (accept_all({"EXECUTE", "STATEMENT", "SET"})) {
    TIDEMARK_TRY(assign(parse_statement_set(false)));
  } else if (at_words({"BEGIN", "STATEMENT", "SET"})) {
    TIDEMARK_TRY(assign(parse_statement_set(true)));
  } else if (accept("EXPLAIN")) {
    TIDEMARK_TRY(assign(parse_explain()));
  } else if (accept("SET")) {
    TIDEMARK_TRY(assign(parse_set()));
  } else if (accept("RESET")) {
    TIDEMARK_TRY(assign(parse_reset()));
  } else if (accept("SHOW")) {
    TIDEMARK_TRY(assign(parse_show()));
  } else if (accept("DESCRIBE") || accept("DESC")) {
    TIDEMARK_TRY(assign(parse_describe()));
  } else if (first.is_word("SELECT") || first.is_word("WITH") || first.is_word("VALUES") ||
             first.is_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr query, parse_query());
    statement.body = ast::SelectStatement{std::move(query)};
  } else {
    static const std::vector<std::string> kStatements = {
        "CREATE", "DROP", "INSERT",   "EXECUTE", "EXPLAIN", "SET",    "RESET",
        "SHOW",   "DESC", "DESCRIBE", "SELECT",  "WITH",    "VALUES", "BEGIN"};
    static const std::vector<std::string> kFlinkOnly = {
        "ALTER",   "UPDATE", "DELETE", "TRUNCATE", "USE",    "CALL", "ANALYZE",
        "COMPILE", "LOAD",   "UNLOAD", "ADD",      "REMOVE", "STOP", "REPLACE"};
    for (const std::string& word : kFlinkOnly)
      if (first.is_word(word))
        return source_.unsupported(first.span,
                                   fmt::format("{} statements are not supported", word));
    std::string expected = "a statement (CREATE, INSERT, SELECT, SET, EXPLAIN, ...)";
    const Error error = unexpected(expected);
    if (first.kind != Token::Kind::kWord) return error;
    const std::string near = nearest_name(first.upper, kStatements);
    if (near.empty()) return error;
    return source_.error(first.span, fmt::format("expected {}, found '{}'; did you mean {}?",
                                                 expected, first.text, near));
  }
  statement.span = cover(first.span, last_span());
  return statement;
}

Result<ast::Insert> Parser::parse_insert() {
  TIDEMARK_TRY(expect("INSERT"));
  if (peek().is_word("OVERWRITE"))
    return source_.unsupported(peek().span, "INSERT OVERWRITE is not supported; use INSERT INTO");
  TIDEMARK_TRY(expect("INTO"));
  ast::Insert insert;
  TIDEMARK_ASSIGN_OR_RETURN(insert.target, parse_path("a table name"));
  if (peek().is_word("PARTITION"))
    return source_.unsupported(peek().span, "partitioned tables are not supported");
  const bool subquery =
      peek().is_symbol("(") && (peek(1).is_word("SELECT") || peek(1).is_word("WITH") ||
                                peek(1).is_word("VALUES") || peek(1).is_symbol("("));
  if (peek().is_symbol("(") && !subquery) {
    TIDEMARK_ASSIGN_OR_RETURN(insert.columns, parse_name_list("a column name"));
  }
  TIDEMARK_ASSIGN_OR_RETURN(insert.query, parse_query());
  return insert;
}

// EXECUTE STATEMENT SET BEGIN insert; ... END, or BEGIN STATEMENT SET; insert; ... END.
Result<ast::StatementSet> Parser::parse_statement_set(bool with_semicolon) {
  TIDEMARK_TRY(expect("BEGIN"));
  if (with_semicolon) {
    accept_all({"STATEMENT", "SET"});
    TIDEMARK_TRY(expect_symbol(";"));
  }
  ast::StatementSet set;
  while (!accept("END")) {
    if (!peek().is_word("INSERT")) return unexpected("INSERT or END");
    TIDEMARK_ASSIGN_OR_RETURN(ast::Insert insert, parse_insert());
    set.inserts.push_back(std::move(insert));
    if (!accept_symbol(";")) return unexpected("';' after a statement of a STATEMENT SET");
  }
  if (set.inserts.empty())
    return source_.error(last_span(), "a STATEMENT SET needs at least one INSERT");
  return set;
}

Result<ast::Explain> Parser::parse_explain() {
  if (!accept_all({"PLAN", "FOR"})) {
    const auto is_detail = [this] {
      return peek().is_word("ESTIMATED_COST") || peek().is_word("CHANGELOG_MODE") ||
             peek().is_word("JSON_EXECUTION_PLAN") || peek().is_word("PLAN_ADVICE");
    };
    while (is_detail()) {
      advance();
      if (!accept_symbol(",")) break;
      if (!is_detail())
        return unexpected("ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN or PLAN_ADVICE");
    }
  }
  ast::Explain explain;
  if (peek().is_word("INSERT")) {
    TIDEMARK_ASSIGN_OR_RETURN(explain.statement, parse_insert());
  } else if (accept_all({"STATEMENT", "SET"}) || accept_all({"EXECUTE", "STATEMENT", "SET"})) {
    TIDEMARK_ASSIGN_OR_RETURN(explain.statement, parse_statement_set(false));
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(ast::QueryPtr query, parse_query());
    explain.statement = ast::SelectStatement{std::move(query)};
  }
  return explain;
}

// SET 'key' = 'value', and the SQL client's SET key = value.
Result<ast::Set> Parser::parse_set() {
  if (peek().is_symbol(";") || peek().kind == Token::Kind::kEnd) return ast::Set{};
  ast::Option option;
  TIDEMARK_ASSIGN_OR_RETURN(option.key, parse_bare_setting("an option name in quotes"));
  TIDEMARK_TRY(expect_symbol("="));
  TIDEMARK_ASSIGN_OR_RETURN(option.value, parse_bare_setting("a value in quotes"));
  return ast::Set{std::move(option)};
}

Result<ast::Reset> Parser::parse_reset() {
  if (peek().is_symbol(";") || peek().kind == Token::Kind::kEnd) return ast::Reset{};
  TIDEMARK_ASSIGN_OR_RETURN(ast::Name key, parse_bare_setting("an option name in quotes"));
  return ast::Reset{std::move(key)};
}

/// A quoted string, or tokens without blanks between them: parallelism.default, 10s, -1.
Result<ast::Name> Parser::parse_bare_setting(std::string_view what) {
  if (peek().kind == Token::Kind::kString) return parse_string(what);
  const auto is_part = [](const Token& token) {
    return token.kind == Token::Kind::kWord || token.kind == Token::Kind::kNumber ||
           token.kind == Token::Kind::kMixed || token.is_symbol(".") || token.is_symbol(":") ||
           token.is_symbol("-") || token.is_symbol("/");
  };
  if (!is_part(peek())) return unexpected(what);
  Span span = advance().span;
  while (is_part(peek()) && peek().span.begin == span.end) span.end = advance().span.end;
  return ast::Name{std::string(source_.slice(span)), span};
}

Result<ast::Show> Parser::parse_show() {
  ast::Show show;
  if (accept("TABLES")) return show;
  if (accept("VIEWS")) {
    show.what = ast::Show::What::kViews;
    return show;
  }
  if (accept("CREATE")) {
    if (!peek().is_word("TABLE") && !peek().is_word("VIEW")) return unexpected("TABLE or VIEW");
    show.what =
        advance().is_word("TABLE") ? ast::Show::What::kCreateTable : ast::Show::What::kCreateView;
    TIDEMARK_ASSIGN_OR_RETURN(show.name, parse_path("a name"));
    return show;
  }
  return unexpected("TABLES, VIEWS, CREATE TABLE or CREATE VIEW");
}

Result<ast::Describe> Parser::parse_describe() {
  accept("EXTENDED");
  ast::Describe describe;
  TIDEMARK_ASSIGN_OR_RETURN(describe.name, parse_path("a table or view name"));
  return describe;
}

Result<std::vector<ast::Statement>> parse(const SourceText& source) {
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<Token> tokens, tokenize(source));
  return Parser(source, tokens).parse_script();
}

}  // namespace tidemark::sql
