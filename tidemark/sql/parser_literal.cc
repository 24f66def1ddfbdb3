// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/sql/literal.h"
#include "tidemark/sql/parser.h"

namespace tidemark::sql {

Result<ast::ExprPtr> Parser::parse_number(bool negative, Span begin) {
  const Token& token = advance();
  const Span span = cover(begin, token.span);
  const Result<Value> value = number_literal(token.text, negative);
  if (!value.ok()) return source_.error(span, value.error().message);
  return make_literal(*value, span);
}

Result<ast::ExprPtr> Parser::parse_time_literal() {
  const Token& type = advance();
  const Token& text = advance();
  const Result<Value> value = time_literal(type.upper, text.text);
  if (!value.ok()) return source_.error(text.span, value.error().message);
  return make_literal(*value, cover(type.span, text.span));
}

// INTERVAL [-] 'text' unit[(p)] [TO unit[(p)]]
Result<ast::ExprPtr> Parser::parse_interval() {
  const Span begin = advance().span;
  bool negative = false;
  if (peek().is_symbol("-") || peek().is_symbol("+")) negative = advance().is_symbol("-");
  if (peek().kind != Token::Kind::kString)
    return unexpected("the length in quotes: INTERVAL '1' HOUR");
  const Token& text = advance();

  IntervalQualifier qualifier;
  const auto parse_field = [&](IntervalField& field, std::uint32_t* digits) -> Status {
    const Token& token = peek();
    const auto parsed =
        token.kind == Token::Kind::kWord ? interval_field(token.upper) : std::nullopt;
    if (!parsed) return unexpected("YEAR, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND");
    field = *parsed;
    advance();
    TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t precision,
                              parse_type_parameter(token.upper, 0, 1, 18));
    if (digits != nullptr) *digits = precision;
    return {};
  };
  // SECOND(3, 2) gives the digits before and after the point.
  const auto accept_fraction = [&]() -> Status {
    if (peek().is_symbol("(") && peek(2).is_symbol(",")) {
      advance();
      advance();
      advance();
      if (peek().kind != Token::Kind::kNumber) return unexpected("a number of digits");
      advance();
      return expect_symbol(")");
    }
    return {};
  };

  const Span from_span = peek().span;
  const bool has_fraction = peek(1).is_symbol("(") && peek(3).is_symbol(",");
  if (has_fraction && peek().is_word("SECOND")) {
    advance();
    qualifier.from = qualifier.to = IntervalField::kSecond;
    TIDEMARK_TRY(accept_fraction());
  } else {
    TIDEMARK_TRY(parse_field(qualifier.from, &qualifier.leading_digits));
    qualifier.to = qualifier.from;
    if (accept("TO")) {
      TIDEMARK_TRY(parse_field(qualifier.to, nullptr));
    }
  }
  const Result<Value> value = interval_literal(text.text, negative, qualifier);
  if (!value.ok())
    return source_.error(
        value.error().code == ErrorCode::kUnsupported ? cover(from_span, last_span()) : text.span,
        value.error().message);
  return make_literal(*value, cover(begin, last_span()));
}

}  // namespace tidemark::sql
