// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/base/options.h"
#include "tidemark/sql/keywords.h"
#include "tidemark/sql/parser.h"

namespace tidemark::sql {
namespace {

/// A unit of time by its singular name, also from its plural and from SQL_TSI_...; empty for
/// others.
std::string time_unit(std::string_view word) {
  static const std::vector<std::string> kUnits = {
      "MILLENNIUM", "CENTURY",     "DECADE",      "YEAR",       "ISOYEAR", "QUARTER", "MONTH",
      "WEEK",       "DAY",         "DOW",         "ISODOW",     "DOY",     "HOUR",    "MINUTE",
      "SECOND",     "MILLISECOND", "MICROSECOND", "NANOSECOND", "EPOCH"};
  if (word.substr(0, 8) == "SQL_TSI_") word.remove_prefix(8);
  for (const std::string& unit : kUnits)
    if (word == unit || word == unit + "S") return unit;
  return {};
}

}  // namespace

/// A unit of time, as a string literal of its name.
Result<ast::ExprPtr> Parser::parse_unit() {
  const Token& token = peek();
  const std::string unit = token.kind == Token::Kind::kWord ? time_unit(token.upper) : "";
  if (unit.empty())
    return unexpected("a unit of time (YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, ...)");
  advance();
  return make_literal(Value::of_text(DataType::string().with_nullable(false), unit), token.span);
}

Result<ast::ExprPtr> Parser::parse_call() {
  auto call = std::make_unique<ast::Expr>();
  call->kind = ast::Expr::Kind::kCall;
  const Token& name = advance();
  call->function = {to_upper(name.text), name.span};
  TIDEMARK_TRY(expect_symbol("("));
  bool done = false;
  TIDEMARK_TRY(parse_keyword_function(*call, done));
  if (!done) {
    TIDEMARK_TRY(parse_arguments(*call));
  }
  if (!accept_symbol(")")) return unexpected(fmt::format("',' or ')' in {}", call->function.text));
  TIDEMARK_TRY(parse_call_tail(*call));
  call->span = cover(name.span, last_span());
  return finish(std::move(call));
}

Status Parser::parse_arguments(ast::Expr& call) {
  if (peek().is_symbol(")")) return {};
  if (peek().is_symbol("*") && peek(1).is_symbol(")")) {
    auto star = std::make_unique<ast::Expr>();
    star->kind = ast::Expr::Kind::kStar;
    star->span = advance().span;
    call.arguments.push_back(std::move(star));
    return {};
  }
  call.distinct = accept("DISTINCT");
  if (!call.distinct) accept("ALL");
  do {
    if (peek(1).is_symbol("=>"))
      return source_.unsupported(peek().span,
                                 "named arguments are supported only in window functions");
    TIDEMARK_TRY(parse_argument(call));
  } while (accept_symbol(","));
  return {};
}

Status Parser::parse_argument(ast::Expr& call) {
  if (peek().is_word("SELECT"))
    return source_.unsupported(peek().span, "a sub-query as a value is not supported");
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr argument, parse_expression());
  call.arguments.push_back(std::move(argument));
  return {};
}

Status Parser::parse_call_tail(ast::Expr& call) {
  if (peek().is_word("WITHIN"))
    return source_.unsupported(peek().span, "WITHIN GROUP is not supported");
  if (peek().is_word("FILTER") && peek(1).is_symbol("(")) {
    advance();
    advance();
    TIDEMARK_TRY(expect("WHERE"));
    TIDEMARK_ASSIGN_OR_RETURN(call.filter, parse_expression());
    if (!accept_symbol(")")) return unexpected("')' after the FILTER condition");
  }
  if (peek().is_word("OVER"))
    return source_.unsupported(peek().span, "OVER windows are not supported");
  return {};
}

Status Parser::parse_keyword_function(ast::Expr& call, bool& done) {
  const std::string& name = call.function.text;
  done = true;
  if (name == "EXTRACT") return parse_extract(call);
  if (name == "TRIM") return parse_trim(call);
  if (name == "SUBSTRING") return parse_substring(call);
  if (name == "OVERLAY") return parse_overlay(call);
  if (name == "POSITION") return parse_position(call);
  if (name == "CEIL" || name == "CEILING" || name == "FLOOR") return parse_round_to_unit(call);
  if (name == "TIMESTAMPDIFF" || name == "TIMESTAMPADD") return parse_unit_first(call);
  done = false;
  return {};
}

// EXTRACT(unit FROM x) -> EXTRACT('unit', x)
Status Parser::parse_extract(ast::Expr& call) {
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr unit, parse_unit());
  call.arguments.push_back(std::move(unit));
  TIDEMARK_TRY(expect("FROM"));
  return parse_argument(call);
}

// TRIM([BOTH | LEADING | TRAILING] [characters] FROM x) -> BTRIM, LTRIM or RTRIM(x [, characters])
Status Parser::parse_trim(ast::Expr& call) {
  call.function.text = "BTRIM";
  bool needs_from = true;
  if (accept("LEADING")) {
    call.function.text = "LTRIM";
  } else if (accept("TRAILING")) {
    call.function.text = "RTRIM";
  } else {
    needs_from = accept("BOTH");
  }
  ast::ExprPtr characters;
  if (!needs_from || !peek().is_word("FROM")) {
    TIDEMARK_ASSIGN_OR_RETURN(characters, parse_expression());
  }
  if (!needs_from && !peek().is_word("FROM")) {
    call.arguments.push_back(std::move(characters));
    return {};
  }
  TIDEMARK_TRY(expect("FROM"));
  TIDEMARK_TRY(parse_argument(call));
  if (characters) call.arguments.push_back(std::move(characters));
  return {};
}

// SUBSTRING(x FROM a [FOR b]) -> SUBSTRING(x, a [, b]); also with commas
Status Parser::parse_substring(ast::Expr& call) {
  TIDEMARK_TRY(parse_argument(call));
  if (accept("FROM")) {
    TIDEMARK_TRY(parse_argument(call));
    return accept("FOR") ? parse_argument(call) : Status();
  }
  while (accept_symbol(",")) {
    TIDEMARK_TRY(parse_argument(call));
  }
  return {};
}

// OVERLAY(x PLACING y FROM a [FOR b]) -> OVERLAY(x, y, a [, b]); also with commas
Status Parser::parse_overlay(ast::Expr& call) {
  TIDEMARK_TRY(parse_argument(call));
  if (accept("PLACING")) {
    TIDEMARK_TRY(parse_argument(call));
    TIDEMARK_TRY(expect("FROM"));
    TIDEMARK_TRY(parse_argument(call));
    return accept("FOR") ? parse_argument(call) : Status();
  }
  while (accept_symbol(",")) {
    TIDEMARK_TRY(parse_argument(call));
  }
  return {};
}

// POSITION(a IN b) -> POSITION(a, b)
Status Parser::parse_position(ast::Expr& call) {
  constexpr int kTighterThanIn = 6;
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr text, parse_expression(kTighterThanIn));
  call.arguments.push_back(std::move(text));
  if (!accept("IN")) return unexpected("IN");
  return parse_argument(call);
}

// FLOOR(x), FLOOR(x TO unit) -> FLOOR(x, 'unit')
Status Parser::parse_round_to_unit(ast::Expr& call) {
  if (call.function.text == "CEILING") call.function.text = "CEIL";
  TIDEMARK_TRY(parse_argument(call));
  if (!accept("TO")) return {};
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr unit, parse_unit());
  call.arguments.push_back(std::move(unit));
  return {};
}

// TIMESTAMPDIFF(unit, a, b) -> TIMESTAMPDIFF('unit', a, b)
Status Parser::parse_unit_first(ast::Expr& call) {
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr unit, parse_unit());
  call.arguments.push_back(std::move(unit));
  for (int i = 0; i < 2; ++i) {
    if (!accept_symbol(",")) return unexpected("','");
    TIDEMARK_TRY(parse_argument(call));
  }
  return {};
}

}  // namespace tidemark::sql
