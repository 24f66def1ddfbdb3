// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tidemark/data/column.h"
#include "tidemark/data/schema.h"
#include "tidemark/expr/time_zone.h"

namespace tidemark {

// Values as text formats write them. Every text that is parsed here must be readable for 64 bytes
// past its end: the digits of a number are loaded by the word.

/// Why a text is no value of its column's type.
enum class TextError : std::uint8_t {
  kNone,
  kMalformed,   // 'abc' is not a number
  kOutOfRange,  // '300' does not fit TINYINT
  kFraction,    // '1.5' is not a whole number
};

/// Up to 8 decimal digits as a number. False when one of the `count` characters is no digit.
/// Requires 1 <= count <= 8. (D. Lemire, "Quickly parsing eight digits", 2018.)
inline bool parse_digits8(const char* text, std::size_t count, std::uint64_t& value) noexcept {
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, text, sizeof(chunk));
  // The digits move to the end and zeros go before them.
  chunk = (chunk << (64 - 8 * count)) | (0x0030303030303030ull >> (8 * (count - 1)));
  const std::uint64_t high = chunk & 0xf0f0f0f0f0f0f0f0ull;
  const std::uint64_t carried = (chunk + 0x0606060606060606ull) & 0xf0f0f0f0f0f0f0f0ull;
  if ((high | (carried >> 4)) != 0x3333333333333333ull) return false;
  chunk = (chunk & 0x0f0f0f0f0f0f0f0full) * 2561 >> 8;
  chunk = (chunk & 0x00ff00ff00ff00ffull) * 6553601 >> 16;
  value = (chunk & 0x0000ffff0000ffffull) * 42949672960001ull >> 32;
  return true;
}

/// [-]digits with at most 16 digits: the numbers that do without any check for overflow.
inline bool parse_short_integer(const char* text, std::size_t size, std::int64_t& value) noexcept {
  const std::size_t sign = *text == '-' ? 1 : 0;
  const char* digits = text + sign;
  const std::size_t count = size - sign;
  if (count - 1 > 15) return false;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  if (count <= 8) {
    if (!parse_digits8(digits, count, low)) return false;
  } else {
    if (!parse_digits8(digits, count - 8, high)) return false;
    if (!parse_digits8(digits + count - 8, 8, low)) return false;
  }
  const auto magnitude = static_cast<std::int64_t>(high * 100'000'000 + low);
  const auto negate = -static_cast<std::int64_t>(sign);
  value = (magnitude ^ negate) - negate;
  return true;
}

/// [+-]digits within 64 bits.
TextError read_integer(std::string_view text, std::int64_t& value) noexcept;
/// Decimal and scientific notation, NaN, Infinity. Too small a number is zero, too large an error.
TextError read_double(std::string_view text, double& value) noexcept;
TextError read_float(std::string_view text, float& value) noexcept;
/// true and false in any case.
TextError read_boolean(std::string_view text, bool& value) noexcept;

/// Text without the white space around it, as java.lang.String.trim() cuts it.
inline std::string_view trim_text(std::string_view text) noexcept {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

/// How a format writes timestamps.
enum class TimestampStandard : std::uint8_t {
  kAny,      // reading: a space or a T
  kSql,      // 2001-01-01 01:24:00
  kIso8601,  // 2001-01-01T01:24:00
};

/// Reads TIMESTAMP text; remembers the last date, because neighbours tend to share it. One thread.
class TimestampReader {
 public:
  TimestampReader(std::uint8_t precision, TimestampStandard standard);

  TextError parse(std::string_view text, std::int64_t& value) noexcept;

 private:
  bool parse_fraction(std::string_view text, std::int64_t& fraction) const noexcept;
  TextError parse_slowly(std::string_view text, std::int64_t& value) const noexcept;

  std::int64_t units_per_second_;
  std::array<std::int64_t, 9> units_of_digit_;  // units in 10^-i seconds
  std::uint8_t precision_;
  char separator_;               // 0: either
  std::uint64_t date_head_ = 0;  // the first 8 characters of the last date
  std::uint16_t date_tail_ = 0;  // and the other two
  std::int64_t date_seconds_ = 0;
};

/// Appends text to a column as values of its type. One a column; one thread.
class TextReader {
 public:
  /// `zone` gives TIMESTAMP_LTZ text without a zone its meaning.
  TextReader(const DataType& type, TimestampStandard standard, TimeZone zone);

  /// Appends one value, or nothing when there is an error.
  TextError append(ColumnBuilder& column, std::string_view text);

  TimestampReader& timestamps() noexcept { return timestamps_; }

 private:
  TextError append_parsed_timestamp(ColumnBuilder& column, std::string_view text);
  TextError append_timestamp_ltz(ColumnBuilder& column, std::string_view text);

  DataType type_;
  TimestampReader timestamps_;
  TimeZone zone_;
  std::string scratch_;
};

/// "column 'delay' (INT): 'abc' is not a number".
std::string describe(const Field& field, std::string_view text, TextError error);
/// "column 'delay' (INT)".
std::string describe(const Field& field);
/// Text for a message: at most 60 bytes, control characters as \n or \x01, cut at a character.
std::string quote_for_message(std::string_view text);

}  // namespace tidemark
