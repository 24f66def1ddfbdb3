// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/decimal.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <limits>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

// Products of two 38-digit values, and quotients carried to 38 more digits, need up to 114 digits.
using Wide = boost::multiprecision::int512_t;

constexpr std::array<Int128, kMaxDecimalPrecision + 1> make_powers() {
  std::array<Int128, kMaxDecimalPrecision + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<Int128, kMaxDecimalPrecision + 1> kPowers = make_powers();

std::optional<Int128> within_limit(Int128 value) noexcept {
  if (!fits_precision(value, kMaxDecimalPrecision)) return std::nullopt;
  return value;
}

// Rounded half away from zero. Requires divisor != 0.
Int128 divide_rounded(Int128 dividend, Int128 divisor) noexcept {
  const Int128 quotient = dividend / divisor;
  const Int128 remainder = dividend % divisor;
  const Int128 rest = remainder < 0 ? -remainder : remainder;
  const Int128 size = divisor < 0 ? -divisor : divisor;
  if (rest < size - rest) return quotient;
  return (dividend < 0) == (divisor < 0) ? quotient + 1 : quotient - 1;
}

Wide wide_power_of_ten(int exponent) {
  Wide result = 1;
  for (; exponent > kMaxDecimalPrecision; exponent -= kMaxDecimalPrecision)
    result *= Wide(kPowers[kMaxDecimalPrecision]);
  return result * Wide(power_of_ten(exponent));
}

std::optional<Int128> wide_divide_rounded(const Wide& dividend, const Wide& divisor) {
  Wide quotient;
  Wide remainder;
  boost::multiprecision::divide_qr(dividend, divisor, quotient, remainder);
  if (abs(remainder) * 2 >= abs(divisor)) quotient += (dividend < 0) == (divisor < 0) ? 1 : -1;
  if (abs(quotient) >= Wide(kPowers[kMaxDecimalPrecision])) return std::nullopt;
  return static_cast<Int128>(quotient);
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// The parts of [+-]digits[.digits][e[+-]digits].
struct DecimalText {
  bool negative = false;
  std::string_view integral;
  std::string_view fraction;
  int exponent = 0;

  std::size_t digits() const { return integral.size() + fraction.size(); }
  int digit(std::size_t i) const {
    return (i < integral.size() ? integral[i] : fraction[i - integral.size()]) - '0';
  }
};

std::string_view take_digits(std::string_view& text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take_sign(std::string_view& text) noexcept {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

std::optional<DecimalText> split_decimal(std::string_view text) noexcept {
  DecimalText parts;
  parts.negative = take_sign(text);
  parts.integral = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.digits() == 0) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    const bool negative = take_sign(text);
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return std::nullopt;
    // Beyond this the value is zero or too large whatever the digits say.
    constexpr int kExponentLimit = 1'000'000;
    for (const char c : digits)
      parts.exponent = std::min(kExponentLimit, parts.exponent * 10 + (c - '0'));
    if (negative) parts.exponent = -parts.exponent;
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

}  // namespace

Int128 power_of_ten(int exponent) noexcept {
  TIDEMARK_DCHECK(exponent >= 0 && exponent <= kMaxDecimalPrecision, "a power within 38 digits");
  return kPowers[static_cast<std::size_t>(exponent)];
}

bool fits_precision(Int128 unscaled, int precision) noexcept {
  const Int128 limit = power_of_ten(precision);
  return unscaled < limit && unscaled > -limit;
}

std::optional<Int128> rescale(Int128 unscaled, int from_scale, int to_scale) noexcept {
  if (to_scale == from_scale) return within_limit(unscaled);
  if (to_scale < from_scale) {
    const int dropped = from_scale - to_scale;
    if (dropped > kMaxDecimalPrecision) return 0;
    return within_limit(divide_rounded(unscaled, power_of_ten(dropped)));
  }
  const int added = to_scale - from_scale;
  if (added > kMaxDecimalPrecision) return unscaled == 0 ? std::optional<Int128>(0) : std::nullopt;
  Int128 result = 0;
  if (__builtin_mul_overflow(unscaled, power_of_ten(added), &result)) return std::nullopt;
  return within_limit(result);
}

std::optional<Int128> decimal_add(Int128 a, Int128 b) noexcept {
  Int128 sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return within_limit(sum);
}

std::optional<Int128> decimal_subtract(Int128 a, Int128 b) noexcept {
  Int128 difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return within_limit(difference);
}

std::optional<Int128> decimal_multiply(Int128 a, int scale_a, Int128 b, int scale_b,
                                       int to_scale) noexcept {
  const int scale = scale_a + scale_b;
  Int128 product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    if (scale == to_scale) return within_limit(product);
    return rescale(product, scale, to_scale);
  }
  const Wide wide = Wide(a) * Wide(b);
  if (to_scale >= scale) return wide_divide_rounded(wide * wide_power_of_ten(to_scale - scale), 1);
  return wide_divide_rounded(wide, wide_power_of_ten(scale - to_scale));
}

std::optional<Int128> decimal_divide(Int128 a, int scale_a, Int128 b, int scale_b,
                                     int to_scale) noexcept {
  TIDEMARK_DCHECK(b != 0, "a divisor");
  // a / 10^sa / (b / 10^sb) at scale t is a * 10^(t - sa + sb) / b.
  const int exponent = to_scale - scale_a + scale_b;
  if (exponent >= 0 && exponent <= kMaxDecimalPrecision) {
    Int128 dividend = 0;
    if (!__builtin_mul_overflow(a, power_of_ten(exponent), &dividend))
      return within_limit(divide_rounded(dividend, b));
  }
  if (exponent >= 0) return wide_divide_rounded(Wide(a) * wide_power_of_ten(exponent), Wide(b));
  return wide_divide_rounded(Wide(a), Wide(b) * wide_power_of_ten(-exponent));
}

std::string decimal_to_string(Int128 unscaled, int scale) {
  // 39 digits of an Int128, a point, a sign, and up to 38 zeros in front.
  std::array<char, 96> buffer;
  std::size_t at = buffer.size();
  unsigned __int128 rest = unscaled < 0 ? -static_cast<unsigned __int128>(unscaled)
                                        : static_cast<unsigned __int128>(unscaled);
  int written = 0;
  while (rest != 0 || written <= scale) {
    if (scale > 0 && written == scale) buffer[--at] = '.';
    buffer[--at] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
    ++written;
  }
  if (unscaled < 0) buffer[--at] = '-';
  return {buffer.data() + at, buffer.size() - at};
}

std::optional<Int128> parse_decimal(std::string_view text, int precision, int scale) noexcept {
  const std::optional<DecimalText> parts = split_decimal(text);
  if (!parts) return std::nullopt;
  std::size_t first = 0;
  while (first < parts->digits() && parts->digit(first) == 0) ++first;
  const auto significant = static_cast<std::int64_t>(parts->digits() - first);
  if (significant == 0) return 0;

  // The unscaled value is the digits times 10^shift: digits beyond `kept` only round.
  const std::int64_t shift =
      std::int64_t{parts->exponent} - static_cast<std::int64_t>(parts->fraction.size()) + scale;
  const std::int64_t kept = significant + std::min<std::int64_t>(shift, 0);
  if (kept < 0) return 0;
  if (significant + shift > kMaxDecimalPrecision) return std::nullopt;
  Int128 value = 0;
  for (std::int64_t i = 0; i < kept; ++i)
    value = value * 10 + parts->digit(first + static_cast<std::size_t>(i));
  if (shift > 0) value *= power_of_ten(static_cast<int>(shift));
  if (kept < significant && parts->digit(first + static_cast<std::size_t>(kept)) >= 5) ++value;
  if (!fits_precision(value, precision)) return std::nullopt;
  return parts->negative ? -value : value;
}

double decimal_to_double(Int128 unscaled, int scale) noexcept {
  // Both exact in a double: one division rounds once, which is the nearest double.
  constexpr Int128 kExact = Int128{1} << 53;
  constexpr int kExactPower = 22;
  if (unscaled <= kExact && unscaled >= -kExact && scale <= kExactPower)
    return static_cast<double>(unscaled) / static_cast<double>(power_of_ten(scale));
  const std::string text = decimal_to_string(unscaled, scale);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace tidemark
