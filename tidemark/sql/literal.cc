// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tidemark/data/calendar.h"
#include "tidemark/data/decimal.h"

namespace tidemark::sql {
namespace {

Error invalid(std::string message) {
  return {ErrorCode::kInvalidSql, std::move(message)};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

DataType not_null(DataType type) {
  return type.with_nullable(false);
}

Result<Value> double_literal(std::string_view text, bool negative) {
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) return invalid(fmt::format("{} does not fit in a DOUBLE", text));
  return Value::of_real(not_null(DataType::float64()), negative ? -value : value);
}

Result<Value> decimal_literal(std::string_view text, bool negative) {
  const std::size_t point = text.find('.');
  const std::size_t scale = point == std::string_view::npos ? 0 : text.size() - point - 1;
  const std::size_t digits = text.size() - (point == std::string_view::npos ? 0 : 1);
  const auto fits = [](std::size_t n) { return n <= kMaxDecimalPrecision; };
  const auto value = fits(digits)
                         ? parse_decimal(text, kMaxDecimalPrecision, static_cast<int>(scale))
                         : std::nullopt;
  if (!value)
    return invalid(
        fmt::format("{} has more than the {} digits of a DECIMAL", text, kMaxDecimalPrecision));
  const DataType type =
      DataType::decimal(static_cast<std::uint8_t>(std::max<std::size_t>(1, digits)),
                        static_cast<std::uint8_t>(scale));
  return Value::of_integer(not_null(type), negative ? -*value : *value);
}

std::optional<std::int64_t> take_digits(std::string_view& text) {
  std::size_t length = 0;
  std::int64_t value = 0;
  while (length < text.size() && is_digit(text[length])) {
    if (length == 18) return std::nullopt;
    value = value * 10 + (text[length++] - '0');
  }
  if (length == 0) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

std::optional<std::int64_t> take_fraction_millis(std::string_view& text) {
  if (text.empty() || text.front() != '.') return 0;
  text.remove_prefix(1);
  std::int64_t millis = 0;
  std::size_t length = 0;
  for (; length < text.size() && is_digit(text[length]); ++length)
    if (length < 3) millis = millis * 10 + (text[length] - '0');
  if (length == 0 || length > 9) return std::nullopt;
  for (std::size_t i = length; i < 3; ++i) millis *= 10;
  text.remove_prefix(length);
  return millis;
}

constexpr std::int64_t kSecondMillis = 1000;
constexpr std::int64_t kDayMillis = 86'400 * kSecondMillis;

/// Milliseconds of one unit, or months for the first three.
std::int64_t unit_size(IntervalField field) {
  switch (field) {
    case IntervalField::kYear: return 12;
    case IntervalField::kQuarter: return 3;
    case IntervalField::kMonth: return 1;
    case IntervalField::kWeek: return 7 * kDayMillis;
    case IntervalField::kDay: return kDayMillis;
    case IntervalField::kHour: return 3'600 * kSecondMillis;
    case IntervalField::kMinute: return 60 * kSecondMillis;
    case IntervalField::kSecond: return kSecondMillis;
  }
  return 0;
}

constexpr auto kFieldNames = std::to_array<std::string_view>(
    {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"});

bool is_month_field(IntervalField field) {
  return field <= IntervalField::kMonth;
}

std::string qualifier_text(const IntervalQualifier& qualifier) {
  const auto name = [](IntervalField field) {
    return kFieldNames[static_cast<std::size_t>(field)];
  };
  if (qualifier.from == qualifier.to) return std::string(name(qualifier.from));
  return fmt::format("{} TO {}", name(qualifier.from), name(qualifier.to));
}

bool is_valid_range(const IntervalQualifier& qualifier) {
  if (qualifier.from == qualifier.to) return true;
  if (qualifier.from == IntervalField::kYear) return qualifier.to == IntervalField::kMonth;
  return qualifier.from >= IntervalField::kDay && qualifier.to > qualifier.from;
}

std::string example(const IntervalQualifier& qualifier) {
  if (qualifier.from == IntervalField::kYear && qualifier.to == IntervalField::kMonth) return "1-2";
  if (qualifier.from == qualifier.to) return "1";
  static constexpr std::string_view kFull = "1 02:03:04";
  const auto offset = [](IntervalField field) -> std::size_t {
    switch (field) {
      case IntervalField::kDay: return 0;
      case IntervalField::kHour: return 2;
      case IntervalField::kMinute: return 5;
      default: return 8;
    }
  };
  const std::size_t end = offset(qualifier.to) + (qualifier.to == IntervalField::kDay ? 1 : 2);
  return std::string(kFull.substr(offset(qualifier.from), end - offset(qualifier.from)));
}

/// The number of a field after the first of a range: it may not reach the next larger unit.
std::int64_t field_limit(IntervalField field) {
  switch (field) {
    case IntervalField::kMonth: return 11;
    case IntervalField::kHour: return 23;
    default: return 59;
  }
}

/// The text between the field before `field` and it.
char separator(IntervalField field) {
  if (field == IntervalField::kMonth) return '-';
  return field == IntervalField::kHour ? ' ' : ':';
}

/// The sum of the fields, or nullopt when the text does not have the qualifier's form.
std::optional<__int128> interval_magnitude(std::string_view text,
                                           const IntervalQualifier& qualifier) {
  __int128 total = 0;
  const auto first = static_cast<int>(qualifier.from);
  const auto last = static_cast<int>(qualifier.to);
  const bool years_to_months = qualifier.from == IntervalField::kYear && last != first;
  for (int i = first; i <= last; i += years_to_months ? 2 : 1) {
    const auto field = static_cast<IntervalField>(i);
    if (i != first) {
      if (text.empty() || text.front() != separator(field)) return std::nullopt;
      text.remove_prefix(1);
    }
    const std::string_view before = text;
    const auto whole = take_digits(text);
    if (!whole || (i != first && *whole > field_limit(field))) return std::nullopt;
    if (i == first && qualifier.leading_digits != 0 &&
        before.size() - text.size() > qualifier.leading_digits)
      return std::nullopt;
    total += static_cast<__int128>(*whole) * unit_size(field);
    if (field != IntervalField::kSecond) continue;
    const auto millis = take_fraction_millis(text);
    if (!millis) return std::nullopt;
    total += *millis;
  }
  if (!text.empty()) return std::nullopt;
  return total;
}

}  // namespace

Result<Value> number_literal(std::string_view text, bool negative) {
  if (text.find_first_of("eE") != std::string_view::npos) return double_literal(text, negative);
  if (text.find('.') != std::string_view::npos) return decimal_literal(text, negative);
  const auto value = parse_decimal(text, kMaxDecimalPrecision, 0);
  if (!value)
    return invalid(
        fmt::format("{} has more than the {} digits of a DECIMAL", text, kMaxDecimalPrecision));
  const __int128 signed_value = negative ? -*value : *value;
  const auto fits = [signed_value](auto limits) {
    return signed_value >= limits.min() && signed_value <= limits.max();
  };
  if (fits(std::numeric_limits<std::int32_t>()))
    return Value::of_integer(not_null(DataType::integer()), signed_value);
  if (fits(std::numeric_limits<std::int64_t>()))
    return Value::of_integer(not_null(DataType::big_int()), signed_value);
  const auto digits = static_cast<std::uint8_t>(decimal_to_string(*value, 0).size());
  return Value::of_integer(not_null(DataType::decimal(digits, 0)), signed_value);
}

Result<Value> time_literal(std::string_view type, std::string_view text) {
  if (type == "DATE") {
    const auto days = parse_date(text);
    if (!days) return invalid(fmt::format("a DATE is written 'yyyy-MM-dd', not '{}'", text));
    return Value::of_integer(not_null(DataType::date()), *days);
  }
  if (type == "TIME") {
    const auto millis = parse_time(text);
    if (!millis) return invalid(fmt::format("a TIME is written 'HH:mm:ss', not '{}'", text));
    return Value::of_integer(not_null(DataType::time()), *millis);
  }
  const std::size_t point = text.rfind('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : text.size() - point - 1;
  const auto precision = static_cast<std::uint8_t>(std::min<std::size_t>(digits, 9));
  const auto units = digits > 9 ? std::nullopt : parse_timestamp(text, precision);
  if (!units)
    return invalid(
        fmt::format("a TIMESTAMP is written 'yyyy-MM-dd HH:mm:ss[.fraction]', not '{}'", text));
  return Value::of_integer(not_null(DataType::timestamp(precision)), *units);
}

std::optional<IntervalField> interval_field(std::string_view word) {
  for (std::size_t i = 0; i < kFieldNames.size(); ++i) {
    const std::string_view name = kFieldNames[i];
    const bool plural = word.size() == name.size() + 1 && word.back() == 'S';
    if (word == name || (plural && word.substr(0, name.size()) == name))
      return static_cast<IntervalField>(i);
  }
  return std::nullopt;
}

Result<Value> interval_literal(std::string_view text, bool negative,
                               const IntervalQualifier& qualifier) {
  const std::string name = qualifier_text(qualifier);
  if (!is_valid_range(qualifier))
    return Error{ErrorCode::kUnsupported, fmt::format("SQL has no INTERVAL {}", name)};
  std::string_view digits = text;
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) {
    negative ^= digits.front() == '-';
    digits.remove_prefix(1);
  }
  const auto magnitude = interval_magnitude(digits, qualifier);
  if (!magnitude)
    return invalid(fmt::format("an INTERVAL {} is written like '{}', not '{}'", name,
                               example(qualifier), text));
  const bool months = is_month_field(qualifier.from);
  const __int128 limit =
      months ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  if (*magnitude > limit) return invalid(fmt::format("INTERVAL '{}' {} is too long", text, name));
  const DataType type = months ? DataType::interval_month() : DataType::interval_day();
  return Value::of_integer(not_null(type), negative ? -*magnitude : *magnitude);
}

}  // namespace tidemark::sql
