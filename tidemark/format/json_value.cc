// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_value.h"

#include <algorithm>
#include <charconv>

namespace tidemark {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Passes digits and returns how many there were.
std::size_t pass_digits(std::string_view text, std::size_t& at) noexcept {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

template <typename T>
TextError append_whole(ColumnBuilder& column, std::string_view token) {
  std::int64_t value = 0;
  const TextError error = parse_whole_number(token, value);
  if (error != TextError::kNone) return error;
  if (value != static_cast<T>(value)) return TextError::kOutOfRange;
  column.append(static_cast<T>(value));
  return TextError::kNone;
}

}  // namespace

bool is_json_number(std::string_view token) noexcept {
  std::size_t at = token.starts_with('-') ? 1 : 0;
  const bool leading_zero = at < token.size() && token[at] == '0';
  const std::size_t whole = pass_digits(token, at);
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (at < token.size() && token[at] == '.') {
    ++at;
    if (pass_digits(token, at) == 0) return false;
  }
  if (at < token.size() && (token[at] | 0x20) == 'e') {
    ++at;
    if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
    if (pass_digits(token, at) == 0) return false;
  }
  return at == token.size();
}

TextError parse_whole_number(std::string_view token, std::int64_t& value) {
  if (parse_short_integer(token.data(), token.size(), value)) return TextError::kNone;
  const std::size_t mark = std::min(token.find_first_of("eE"), token.size());
  std::int64_t exponent = 0;
  if (mark < token.size()) {
    const char* first = token.data() + mark + 1;
    if (*first == '+') ++first;
    const auto [end, error] = std::from_chars(first, token.data() + token.size(), exponent);
    // An exponent beyond any bound decides by its sign alone.
    if (error != std::errc()) exponent = *first == '-' ? -1'000'000'000 : 1'000'000'000;
    exponent = std::clamp<std::int64_t>(exponent, -1'000'000'000, 1'000'000'000);
  }
  std::string digits;      // without leading and trailing zeros
  std::int64_t point = 0;  // the decimal point stands behind so many of them
  bool after_point = false;
  for (const char c : token.substr(0, mark)) {
    if (c == '.') after_point = true;
    if (!is_digit(c)) continue;
    if (digits.empty() && c == '0') {
      if (after_point) --point;
      continue;
    }
    digits += c;
    if (!after_point) ++point;
  }
  point += exponent;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  if (digits.empty()) {
    value = 0;
    return TextError::kNone;
  }
  if (point < static_cast<std::int64_t>(digits.size())) return TextError::kFraction;
  constexpr std::int64_t kDigitsMax = 19;
  if (point > kDigitsMax) return TextError::kOutOfRange;
  digits.append(static_cast<std::size_t>(point) - digits.size(), '0');
  if (token.front() == '-') digits.insert(digits.begin(), '-');
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? TextError::kNone : TextError::kOutOfRange;
}

TextError append_json_number(TextReader& reader, const DataType& type, ColumnBuilder& column,
                             std::string_view token) {
  switch (type.kind) {
    case TypeKind::kTinyInt: return append_whole<std::int8_t>(column, token);
    case TypeKind::kSmallInt: return append_whole<std::int16_t>(column, token);
    case TypeKind::kInt: return append_whole<std::int32_t>(column, token);
    case TypeKind::kBigInt: return append_whole<std::int64_t>(column, token);
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kString: return reader.append(column, token);
    default: return TextError::kMalformed;
  }
}

void append_minified(std::string& out, std::string_view json) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) continue;
    out += c;
    if (c == '"') in_string = !in_string;
    if (c == '\\' && in_string) out += json[++i];
  }
}

}  // namespace tidemark
