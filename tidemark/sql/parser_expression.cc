// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tidemark/sql/keywords.h"
#include "tidemark/sql/parser.h"
#include "tidemark/sql/parser_level.h"

namespace tidemark::sql {
namespace {

// Binding powers, loosest first, in the order of Calcite's operator table.
enum Binding : int {
  kAny = 0,
  kOr = 1,
  kAnd = 2,
  kNot = 3,
  kIs = 4,
  kComparison = 5,
  kPredicate = 6,  // LIKE, BETWEEN, IN
  kSum = 7,
  kProduct = 8,  // and ||
  kSign = 9,
};

int symbol_binding(std::string_view symbol) {
  if (symbol == "=" || symbol == "<>" || symbol == "<" || symbol == ">" || symbol == "<=" ||
      symbol == ">=" || symbol == "!=")
    return kComparison;
  if (symbol == "+" || symbol == "-") return kSum;
  if (symbol == "*" || symbol == "/" || symbol == "%" || symbol == "||") return kProduct;
  return -1;
}

}  // namespace

ast::ExprPtr Parser::make_literal(Value value, Span span) {
  auto expression = std::make_unique<ast::Expr>();
  expression->kind = ast::Expr::Kind::kLiteral;
  expression->span = span;
  expression->literal = std::move(value);
  return expression;
}

Result<ast::ExprPtr> Parser::finish(ast::ExprPtr expression) {
  std::uint32_t below = expression->filter ? expression->filter->depth : 0;
  for (const ast::ExprPtr& argument : expression->arguments)
    below = std::max(below, argument->depth);
  expression->depth = below + 1;
  if (expression->depth > kMaxNesting)
    return source_.error(
        expression->span,
        fmt::format("this expression is nested more than {} levels deep", kMaxNesting));
  return expression;
}

Result<ast::ExprPtr> Parser::make_call(std::string_view function, Span function_span,
                                       std::vector<ast::ExprPtr> arguments) {
  auto call = std::make_unique<ast::Expr>();
  call->kind = ast::Expr::Kind::kCall;
  call->function = {std::string(function), function_span};
  call->span = {std::min(function_span.begin, arguments.front()->span.begin),
                std::max(function_span.end, arguments.back()->span.end)};
  call->arguments = std::move(arguments);
  return finish(std::move(call));
}

Result<ast::ExprPtr> Parser::parse_expression(int binding) {
  const Level level(*this);
  TIDEMARK_TRY(check_nesting());
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr left, parse_prefix());
  bool done = false;
  while (!done) {
    TIDEMARK_ASSIGN_OR_RETURN(left, parse_infix(std::move(left), binding, done));
  }
  return left;
}

Result<ast::ExprPtr> Parser::parse_prefix() {
  const Token& token = peek();
  if (token.is_word("NOT")) {
    advance();
    std::vector<ast::ExprPtr> arguments(1);
    TIDEMARK_ASSIGN_OR_RETURN(arguments[0], parse_expression(kNot));
    return make_call("NOT", token.span, std::move(arguments));
  }
  if (!token.is_symbol("-") && !token.is_symbol("+")) return parse_primary();
  advance();
  if (peek().kind == Token::Kind::kNumber) return parse_number(token.is_symbol("-"), token.span);
  std::vector<ast::ExprPtr> arguments(1);
  TIDEMARK_ASSIGN_OR_RETURN(arguments[0], parse_expression(kSign));
  if (token.is_symbol("+")) return std::move(arguments[0]);
  const TypeKind kind = arguments[0]->literal.type.kind;
  const bool is_interval = kind == TypeKind::kIntervalDay || kind == TypeKind::kIntervalMonth;
  if (arguments[0]->kind == ast::Expr::Kind::kLiteral && is_interval) {
    arguments[0]->literal.integer = -arguments[0]->literal.integer;
    arguments[0]->span.begin = token.span.begin;
    return std::move(arguments[0]);
  }
  return make_call("-", token.span, std::move(arguments));
}

/// Extends `left` by the operator that follows, if it binds tighter than `binding`.
Result<ast::ExprPtr> Parser::parse_infix(ast::ExprPtr left, int binding, bool& done) {
  const Token& token = peek();
  if (token.kind == Token::Kind::kSymbol) {
    const int own = symbol_binding(token.text);
    if (own <= binding) {
      done = true;
      return left;
    }
    if (token.text == "!=") return source_.error(token.span, "Flink SQL writes 'not equal' as <>");
    advance();
    std::vector<ast::ExprPtr> arguments;
    arguments.push_back(std::move(left));
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr right, parse_expression(own));
    arguments.push_back(std::move(right));
    return make_call(token.text, token.span, std::move(arguments));
  }
  if ((token.is_word("AND") && binding < kAnd) || (token.is_word("OR") && binding < kOr)) {
    const int own = token.is_word("AND") ? kAnd : kOr;
    std::vector<ast::ExprPtr> arguments;
    arguments.push_back(std::move(left));
    // A chain is one node, so that a thousand alternatives are not a thousand levels.
    while (peek().is_word(token.upper)) {
      advance();
      TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr operand, parse_expression(own));
      arguments.push_back(std::move(operand));
    }
    return make_call(token.upper, token.span, std::move(arguments));
  }
  if (token.is_word("IS") && binding < kIs) return parse_is(std::move(left));
  const Token& predicate = token.is_word("NOT") ? peek(1) : token;
  const bool is_predicate = predicate.is_word("BETWEEN") || predicate.is_word("IN") ||
                            predicate.is_word("LIKE") || predicate.is_word("SIMILAR");
  if (is_predicate && binding < kPredicate) return parse_predicate(std::move(left));
  done = true;
  return left;
}

Result<ast::ExprPtr> Parser::parse_is(ast::ExprPtr left) {
  const Span begin = advance().span;
  std::string name = "IS ";
  if (accept("NOT")) name += "NOT ";
  std::vector<ast::ExprPtr> arguments;
  arguments.push_back(std::move(left));
  if (accept("DISTINCT")) {
    TIDEMARK_TRY(expect("FROM"));
    const Span span = cover(begin, last_span());
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr right, parse_expression(kComparison));
    arguments.push_back(std::move(right));
    return make_call(name + "DISTINCT FROM", span, std::move(arguments));
  }
  for (const char* const word : {"NULL", "TRUE", "FALSE", "UNKNOWN"})
    if (accept(word))
      return make_call(name + word, cover(begin, last_span()), std::move(arguments));
  return unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
}

Result<ast::ExprPtr> Parser::parse_predicate(ast::ExprPtr left) {
  const bool negated = accept("NOT");
  if (accept("BETWEEN")) return parse_between(std::move(left), negated);
  if (accept("IN")) return parse_in(std::move(left), negated);
  return parse_like(std::move(left), negated);
}

Result<ast::ExprPtr> Parser::parse_between(ast::ExprPtr left, bool negated) {
  auto between = std::make_unique<ast::Expr>();
  between->kind = ast::Expr::Kind::kBetween;
  between->negated = negated;
  between->symmetric = accept("SYMMETRIC");
  if (!between->symmetric) accept("ASYMMETRIC");
  between->span = left->span;
  between->arguments.push_back(std::move(left));
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr low, parse_expression(kPredicate));
  between->arguments.push_back(std::move(low));
  TIDEMARK_TRY(expect("AND"));
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr high, parse_expression(kPredicate));
  between->arguments.push_back(std::move(high));
  between->span = cover(between->span, last_span());
  return finish(std::move(between));
}

Result<ast::ExprPtr> Parser::parse_in(ast::ExprPtr left, bool negated) {
  auto in = std::make_unique<ast::Expr>();
  in->kind = ast::Expr::Kind::kIn;
  in->negated = negated;
  in->span = left->span;
  in->arguments.push_back(std::move(left));
  TIDEMARK_TRY(expect_symbol("("));
  if (peek().is_word("SELECT") || peek().is_word("WITH") || peek().is_word("VALUES"))
    return source_.unsupported(peek().span, "IN with a sub-query is not supported");
  do {
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr candidate, parse_expression());
    in->arguments.push_back(std::move(candidate));
  } while (accept_symbol(","));
  if (!accept_symbol(")")) return unexpected("',' or ')' in the IN list");
  in->span = cover(in->span, last_span());
  return finish(std::move(in));
}

Result<ast::ExprPtr> Parser::parse_like(ast::ExprPtr left, bool negated) {
  const bool similar = peek().is_word("SIMILAR");
  const Span span = advance().span;
  if (similar) TIDEMARK_TRY(expect("TO"));
  std::vector<ast::ExprPtr> arguments;
  arguments.push_back(std::move(left));
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr pattern, parse_expression(kPredicate));
  arguments.push_back(std::move(pattern));
  if (accept("ESCAPE")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr escape, parse_expression(kPredicate));
    arguments.push_back(std::move(escape));
  }
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr like,
                            make_call(similar ? "SIMILAR TO" : "LIKE", span, std::move(arguments)));
  if (!negated) return like;
  std::vector<ast::ExprPtr> operand;
  operand.push_back(std::move(like));
  return make_call("NOT", span, std::move(operand));
}

Result<ast::ExprPtr> Parser::parse_primary() {
  const Token& token = peek();
  switch (token.kind) {
    case Token::Kind::kNumber: return parse_number(false, token.span);
    case Token::Kind::kString: {
      advance();
      return make_literal(Value::of_text(DataType::string().with_nullable(false), token.text),
                          token.span);
    }
    case Token::Kind::kBytes: {
      advance();
      return make_literal(Value::of_text(DataType::bytes().with_nullable(false), token.text),
                          token.span);
    }
    case Token::Kind::kQuotedName: {
      if (peek(1).is_symbol("(")) return parse_call();
      return parse_column();
    }
    case Token::Kind::kWord: return parse_word();
    case Token::Kind::kSymbol:
      if (token.is_symbol("(")) return parse_parenthesised();
      break;
    case Token::Kind::kMixed: return parse_column();
    case Token::Kind::kEnd: break;
  }
  return unexpected("an expression");
}

Result<ast::ExprPtr> Parser::parse_parenthesised() {
  const Span begin = advance().span;
  if (peek().is_word("SELECT") || peek().is_word("WITH") || peek().is_word("VALUES"))
    return source_.unsupported(peek().span, "a sub-query as a value is not supported");
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr inner, parse_expression());
  if (peek().is_symbol(","))
    return source_.unsupported(begin, "row values (a, b) are not supported");
  if (!accept_symbol(")")) return unexpected("')'");
  inner->span = cover(begin, last_span());
  return inner;
}

Result<ast::ExprPtr> Parser::parse_word() {
  const Token& token = peek();
  const std::string& word = token.upper;
  if (word == "CASE") return parse_case();
  if (word == "INTERVAL") return parse_interval();
  if ((word == "CAST" || word == "TRY_CAST") && peek(1).is_symbol("("))
    return parse_cast(word == "TRY_CAST");
  if ((word == "DATE" || word == "TIME" || word == "TIMESTAMP") &&
      peek(1).kind == Token::Kind::kString)
    return parse_time_literal();
  if (word == "TRUE" || word == "FALSE") {
    advance();
    return make_literal(
        Value::of_integer(DataType::boolean().with_nullable(false), word == "TRUE" ? 1 : 0),
        token.span);
  }
  if (word == "NULL" || word == "UNKNOWN") {
    advance();
    return make_literal(Value::null(word == "NULL" ? DataType::null() : DataType::boolean()),
                        token.span);
  }
  if (word == "EXISTS" || word == "UNIQUE")
    return source_.unsupported(token.span, fmt::format("{} is not supported", word));
  for (const char* const type : {"ARRAY", "MAP", "MULTISET"})
    if (word == type && peek(1).is_symbol("["))
      return source_.unsupported(token.span, fmt::format("{} values are not supported", type));
  if (word == "ROW" && peek(1).is_symbol("("))
    return source_.unsupported(token.span, "ROW values are not supported");
  if (peek(1).is_symbol("(") && !is_clause_keyword(word)) return parse_call();
  for (const char* const constant :
       {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"}) {
    if (word != constant) continue;
    auto call = std::make_unique<ast::Expr>();
    call->kind = ast::Expr::Kind::kCall;
    call->span = advance().span;
    call->function = {word, call->span};
    return call;
  }
  return parse_column();
}

/// a, t.a, t.*
Result<ast::ExprPtr> Parser::parse_column() {
  auto column = std::make_unique<ast::Expr>();
  column->kind = ast::Expr::Kind::kColumn;
  do {
    if (!column->path.empty() && accept_symbol("*")) {
      column->kind = ast::Expr::Kind::kStar;
      break;
    }
    TIDEMARK_ASSIGN_OR_RETURN(ast::Name name, parse_name("an expression"));
    column->path.push_back(std::move(name));
  } while (accept_symbol("."));
  column->span = cover(column->path.front().span, last_span());
  if (peek().is_symbol("["))
    return source_.unsupported(peek().span, "access to elements [..] is not supported");
  return column;
}

Result<ast::ExprPtr> Parser::parse_case() {
  auto expression = std::make_unique<ast::Expr>();
  expression->kind = ast::Expr::Kind::kCase;
  const Span begin = advance().span;
  if (!peek().is_word("WHEN")) {
    expression->has_operand = true;
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr operand, parse_expression());
    expression->arguments.push_back(std::move(operand));
  }
  if (!peek().is_word("WHEN")) return unexpected("WHEN");
  while (accept("WHEN")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr when, parse_expression());
    TIDEMARK_TRY(expect("THEN"));
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr then, parse_expression());
    expression->arguments.push_back(std::move(when));
    expression->arguments.push_back(std::move(then));
  }
  if (accept("ELSE")) {
    TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr otherwise, parse_expression());
    expression->arguments.push_back(std::move(otherwise));
  } else {
    expression->arguments.push_back(make_literal(Value::null(), begin));
  }
  if (!accept("END")) return unexpected("WHEN, ELSE or END");
  expression->span = cover(begin, last_span());
  return finish(std::move(expression));
}

Result<ast::ExprPtr> Parser::parse_cast(bool try_cast) {
  auto cast = std::make_unique<ast::Expr>();
  cast->kind = ast::Expr::Kind::kCast;
  cast->try_cast = try_cast;
  const Span begin = advance().span;
  TIDEMARK_TRY(expect_symbol("("));
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr value, parse_expression());
  cast->arguments.push_back(std::move(value));
  if (!accept("AS")) return unexpected("AS and a type");
  TIDEMARK_ASSIGN_OR_RETURN(cast->type, parse_type());
  if (!accept_symbol(")")) return unexpected("')' after the type");
  cast->span = cover(begin, last_span());
  return finish(std::move(cast));
}

}  // namespace tidemark::sql
