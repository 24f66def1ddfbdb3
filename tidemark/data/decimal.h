// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// Unscaled DECIMAL values. 38 digits fit in 127 bits.
using Int128 = __int128;
inline constexpr int kMaxDecimalPrecision = 38;

/// 10^exponent. Requires 0 <= exponent <= 38.
Int128 power_of_ten(int exponent) noexcept;
/// Whether |unscaled| has at most `precision` digits.
bool fits_precision(Int128 unscaled, int precision) noexcept;

/// Moves a value between scales, rounding half away from zero (java.math.RoundingMode.HALF_UP, as
/// Flink does). nullopt when the result does not have at most 38 digits.
std::optional<Int128> rescale(Int128 unscaled, int from_scale, int to_scale) noexcept;

/// Checked arithmetic on values of equal scale; nullopt beyond 38 digits.
std::optional<Int128> decimal_add(Int128 a, Int128 b) noexcept;
std::optional<Int128> decimal_subtract(Int128 a, Int128 b) noexcept;
/// (a * b), brought from scale_a + scale_b to `to_scale`.
std::optional<Int128> decimal_multiply(Int128 a, int scale_a, Int128 b, int scale_b,
                                       int to_scale) noexcept;
/// (a / b) at `to_scale`, rounded half away from zero. Requires b != 0.
std::optional<Int128> decimal_divide(Int128 a, int scale_a, Int128 b, int scale_b,
                                     int to_scale) noexcept;

/// "-12.50" for (-1250, 2).
std::string decimal_to_string(Int128 unscaled, int scale);
/// Parses [+-]digits[.digits][e[+-]digits] and rounds to `scale`; nullopt when the text is none or
/// the value has more than `precision` digits.
std::optional<Int128> parse_decimal(std::string_view text, int precision, int scale) noexcept;
double decimal_to_double(Int128 unscaled, int scale) noexcept;

}  // namespace tidemark
