// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tidemark {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

// `digits` without a point, of which the first stands for 10^exponent.
void append_plain(std::string& out, std::string_view digits, int exponent) {
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto integral = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= integral) {
    out += digits;
    out.append(integral - digits.size(), '0');
    out += ".0";
    return;
  }
  out += digits.substr(0, integral);
  out += '.';
  out += digits.substr(integral);
}

template <typename T>
void append_java(std::string& out, T value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::signbit(value)) out += '-';
  if (std::isinf(value)) {
    out += "Infinity";
    return;
  }
  if (value == 0) {
    out += "0.0";
    return;
  }
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  const std::size_t sign = text[mark + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + mark + 1 + sign, text.data() + text.size(), exponent);
  std::array<char, 40> digits;
  std::size_t count = 0;
  for (const char c : text.substr(0, mark))
    if (c != '.') digits[count++] = c;
  const std::string_view all(digits.data(), count);
  if (exponent >= -3 && exponent < 7) return append_plain(out, all, exponent);
  append_plain(out, all, 0);
  out += 'E';
  append_integer(out, exponent);
}

}  // namespace

std::string_view trim_space(std::string_view text) noexcept {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  if (at == end) return value;
  if (*at != '.') return std::nullopt;
  for (const char* p = at + 1; p != end; ++p)
    if (!is_digit(*p)) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && at == end)
    return std::strtod(std::string(text).c_str(), nullptr);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) noexcept {
  for (const std::string_view yes : {"t", "true", "y", "yes", "1"})
    if (equals_ignoring_case(text, yes)) return true;
  for (const std::string_view no : {"f", "false", "n", "no", "0"})
    if (equals_ignoring_case(text, no)) return false;
  return std::nullopt;
}

void append_real(std::string& out, double value) {
  append_java(out, value);
}
void append_real(std::string& out, float value) {
  append_java(out, value);
}

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

}  // namespace tidemark
