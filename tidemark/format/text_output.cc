// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/text_output.h"

#include "tidemark/base/time.h"
#include "tidemark/data/calendar.h"
#include "tidemark/data/number_text.h"
#include "tidemark/format/base64.h"

namespace tidemark {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

void append_two_digits(std::string& out, std::int64_t value) {
  out += static_cast<char>('0' + value / 10);
  out += static_cast<char>('0' + value % 10);
}

void append_clock(std::string& out, std::int64_t seconds) {
  append_two_digits(out, seconds / 3600);
  out += ':';
  append_two_digits(out, seconds / 60 % 60);
  out += ':';
  append_two_digits(out, seconds % 60);
}

// The first `digits` digits of a fraction of a second in units of 1 / `units`.
void append_fraction(std::string& out, std::int64_t fraction, std::int64_t units, int digits) {
  if (digits == 0) return;
  out += '.';
  for (std::int64_t unit = units / 10; digits > 0; --digits, unit /= 10) {
    out += unit == 0 ? '0' : static_cast<char>('0' + fraction / unit % 10);
  }
}

}  // namespace

void append_decimal(std::string& out, Int128 unscaled, int scale, bool plain) {
  const std::string text = decimal_to_string(unscaled, scale);
  if (plain || scale <= 6) {
    out += text;
    return;
  }
  Int128 magnitude = unscaled < 0 ? -unscaled : unscaled;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude > 0);
  const int exponent = static_cast<int>(digits.size()) - 1 - scale;
  if (exponent >= -6) {
    out += text;
    return;
  }
  if (unscaled < 0) out += '-';
  out += digits[0];
  if (digits.size() > 1) {
    out += '.';
    out.append(digits, 1);
  }
  out += 'E';
  append_integer(out, exponent);
}

void append_date(std::string& out, std::int32_t days) {
  const CivilDate date = civil_from_days(days);
  if (date.year < 0 || date.year > 9999) {
    out += date_to_string(days);
    return;
  }
  append_two_digits(out, date.year / 100);
  append_two_digits(out, date.year % 100);
  out += '-';
  append_two_digits(out, date.month);
  out += '-';
  append_two_digits(out, date.day);
}

void append_time(std::string& out, std::int32_t millis, std::uint8_t precision) {
  append_clock(out, millis / 1000);
  append_fraction(out, millis % 1000, 1000, precision);
}

void append_timestamp(std::string& out, std::int64_t value, std::uint8_t precision,
                      char separator) {
  const std::int64_t units = timestamp_units_per_second(precision);
  const std::int64_t seconds = floor_div(value, units);
  append_date(out, static_cast<std::int32_t>(floor_div(seconds, kSecondsPerDay)));
  out += separator;
  append_clock(out, floor_mod(seconds, kSecondsPerDay));
  append_fraction(out, floor_mod(value, units), units, precision);
}

void append_text(std::string& out, const Column& column, std::size_t row, const TextStyle& style) {
  switch (column.kind()) {
    case TypeKind::kBoolean: out += column.value<std::uint8_t>(row) ? "true" : "false"; return;
    case TypeKind::kTinyInt: return append_integer(out, column.value<std::int8_t>(row));
    case TypeKind::kSmallInt: return append_integer(out, column.value<std::int16_t>(row));
    case TypeKind::kIntervalMonth:
    case TypeKind::kInt: return append_integer(out, column.value<std::int32_t>(row));
    case TypeKind::kIntervalDay:
    case TypeKind::kBigInt: return append_integer(out, column.value<std::int64_t>(row));
    case TypeKind::kFloat: return append_real(out, column.value<float>(row));
    case TypeKind::kDouble: return append_real(out, column.value<double>(row));
    case TypeKind::kDecimal:
      return append_decimal(out, column.value<Int128>(row), column.type().scale,
                            style.plain_decimals);
    case TypeKind::kDate: return append_date(out, column.value<std::int32_t>(row));
    case TypeKind::kTime:
      return append_time(out, column.value<std::int32_t>(row), column.type().precision);
    case TypeKind::kTimestamp:
      return append_timestamp(out, column.value<std::int64_t>(row), column.type().precision,
                              style.separator);
    case TypeKind::kTimestampLtz:
      append_timestamp(out, column.value<std::int64_t>(row), column.type().precision,
                       style.separator);
      out += 'Z';
      return;
    case TypeKind::kBytes: return append_base64(out, column.string(row));
    case TypeKind::kString: out += column.string(row); return;
    case TypeKind::kNull: return;
  }
}

}  // namespace tidemark
