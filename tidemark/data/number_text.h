// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers and truth values as text, the way Flink's CAST reads and prints them.

namespace tidemark {

/// Without white space (any character up to U+0020) at both ends, as Java's String.trim.
std::string_view trim_space(std::string_view text) noexcept;

/// [+-]digits[.digits]: the fraction is checked and dropped, as Flink does. nullopt for anything
/// else and outside 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
/// A Java double: digits, exponent, "NaN", "Infinity". Too large is infinite, too small is zero.
std::optional<double> parse_real(std::string_view text);
/// t true y yes 1, f false n no 0, in any case.
std::optional<bool> parse_boolean(std::string_view text) noexcept;

/// As Java's Double.toString and Float.toString: at least one digit after the point, and 1.0E10
/// outside [0.001, 10000000), with the fewest digits that read back as the same number.
void append_real(std::string& out, double value);
void append_real(std::string& out, float value);
void append_integer(std::string& out, std::int64_t value);

}  // namespace tidemark
