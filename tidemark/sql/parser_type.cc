// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "tidemark/base/options.h"
#include "tidemark/sql/parser.h"

namespace tidemark::sql {
namespace {

constexpr std::uint32_t kMaxLength = 0x7FFFFFFF;

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> kNames = {
      "BOOLEAN",   "TINYINT", "SMALLINT", "INT",       "INTEGER",      "BIGINT",
      "FLOAT",     "REAL",    "DOUBLE",   "DECIMAL",   "NUMERIC",      "DEC",
      "STRING",    "CHAR",    "VARCHAR",  "CHARACTER", "BYTES",        "BINARY",
      "VARBINARY", "DATE",    "TIME",     "TIMESTAMP", "TIMESTAMP_LTZ"};
  return kNames;
}

DataType with_length(DataType type, std::uint32_t length) {
  type.length = length;
  return type;
}

}  // namespace

Result<DataType> Parser::parse_type() {
  TIDEMARK_ASSIGN_OR_RETURN(DataType type, parse_type_name());
  if (peek().is_word("ARRAY") || peek().is_word("MULTISET"))
    return source_.unsupported(peek().span,
                               fmt::format("the type {} is not supported", peek().upper));
  if (accept_all({"NOT", "NULL"})) return type.with_nullable(false);
  accept("NULL");
  return type;
}

Result<DataType> Parser::parse_type_name() {
  const Token& token = peek();
  if (token.kind != Token::Kind::kWord) return unexpected("a type");
  const std::string& name = token.upper;
  if (name == "TIMESTAMP") return parse_timestamp_type();
  if (name == "DECIMAL" || name == "NUMERIC" || name == "DEC") return parse_decimal_type();
  if (name == "TIMESTAMP_LTZ" || name == "TIME") {
    advance();
    TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t precision,
                              parse_type_parameter(name, name == "TIME" ? 0 : 6, 0, 9));
    const auto digits = static_cast<std::uint8_t>(precision);
    return name == "TIME" ? DataType::time(digits) : DataType::timestamp_ltz(digits);
  }
  if (name == "CHAR" || name == "CHARACTER" || name == "VARCHAR") {
    advance();
    const bool varying = name == "VARCHAR" || accept("VARYING");
    TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t length,
                              parse_type_parameter(name, varying ? 0 : 1, 1, kMaxLength));
    return with_length(DataType::string(), length == kMaxLength ? 0 : length);
  }
  if (name == "BINARY" || name == "VARBINARY") {
    advance();
    TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t length,
                              parse_type_parameter(name, name == "BINARY" ? 1 : 0, 1, kMaxLength));
    return with_length(DataType::bytes(), length == kMaxLength ? 0 : length);
  }
  if (name == "DOUBLE") {
    advance();
    accept("PRECISION");
    return DataType::float64();
  }
  static const std::vector<std::pair<std::string_view, DataType>> kPlain = {
      {"BOOLEAN", DataType::boolean()},    {"TINYINT", DataType::tiny_int()},
      {"SMALLINT", DataType::small_int()}, {"INT", DataType::integer()},
      {"INTEGER", DataType::integer()},    {"BIGINT", DataType::big_int()},
      {"FLOAT", DataType::float32()},      {"REAL", DataType::float32()},
      {"STRING", DataType::string()},      {"BYTES", DataType::bytes()},
      {"DATE", DataType::date()}};
  for (const auto& [plain, type] : kPlain) {
    if (name != plain) continue;
    advance();
    return type;
  }
  for (const char* const other : {"ARRAY", "MAP", "ROW", "MULTISET", "RAW", "INTERVAL", "VARIANT"})
    if (name == other)
      return source_.unsupported(token.span, fmt::format("the type {} is not supported", name));
  const std::string near = nearest_name(name, type_names());
  return source_.error(
      token.span, near.empty()
                      ? fmt::format("there is no type '{}'", token.text)
                      : fmt::format("there is no type '{}'; did you mean {}?", token.text, near));
}

Result<DataType> Parser::parse_timestamp_type() {
  const Span begin = advance().span;
  TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t precision,
                            parse_type_parameter("TIMESTAMP", 6, 0, 9));
  const auto digits = static_cast<std::uint8_t>(precision);
  if (accept_all({"WITHOUT", "TIME", "ZONE"})) return DataType::timestamp(digits);
  if (!peek().is_word("WITH") || peek(1).is_symbol("(")) return DataType::timestamp(digits);
  if (accept_all({"WITH", "LOCAL", "TIME", "ZONE"})) return DataType::timestamp_ltz(digits);
  if (accept_all({"WITH", "TIME", "ZONE"}))
    return source_.unsupported(cover(begin, last_span()),
                               "TIMESTAMP WITH TIME ZONE is not supported, as in Flink; use "
                               "TIMESTAMP_LTZ");
  return unexpected("LOCAL TIME ZONE after TIMESTAMP WITH");
}

Result<DataType> Parser::parse_decimal_type() {
  advance();
  if (!peek().is_symbol("(")) return DataType::decimal(10, 0);
  const Span begin = peek().span;
  advance();
  std::uint32_t numbers[2] = {10, 0};
  int count = 0;
  do {
    if (peek().kind != Token::Kind::kNumber) return unexpected("a number of digits");
    const std::string& text = advance().text;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), numbers[count]);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) numbers[count] = 99;
    ++count;
  } while (count < 2 && accept_symbol(","));
  TIDEMARK_TRY(expect_symbol(")"));
  if (numbers[0] < 1 || numbers[0] > 38 || numbers[1] > numbers[0])
    return source_.error(
        cover(begin, last_span()),
        "DECIMAL(p, s) takes a precision p from 1 to 38 and a scale s from 0 to p");
  return DataType::decimal(static_cast<std::uint8_t>(numbers[0]),
                           static_cast<std::uint8_t>(numbers[1]));
}

/// "(n)", or `default_value` where there is none.
Result<std::uint32_t> Parser::parse_type_parameter(std::string_view type,
                                                   std::uint32_t default_value,
                                                   std::uint32_t minimum, std::uint32_t maximum) {
  if (!accept_symbol("(")) return default_value;
  const Token& token = peek();
  if (token.kind != Token::Kind::kNumber)
    return unexpected(fmt::format("a number from {} to {}", minimum, maximum));
  advance();
  std::uint32_t number = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto parsed = std::from_chars(token.text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < minimum || number > maximum)
    return source_.error(token.span, fmt::format("{}(n) takes a number from {} to {}, not {}", type,
                                                 minimum, maximum, token.text));
  TIDEMARK_TRY(expect_symbol(")"));
  return number;
}

}  // namespace tidemark::sql
