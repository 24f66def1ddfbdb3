// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/time_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tidemark/base/time.h"
#include "tidemark/data/calendar.h"
#include "tidemark/expr/cast.h"
#include "tidemark/expr/temporal_arithmetic.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

constexpr std::array<std::pair<std::string_view, TimeUnit>, 23> kUnits = {{
    {"NANOSECOND", TimeUnit::kNanosecond},
    {"MICROSECOND", TimeUnit::kMicrosecond},
    {"MILLISECOND", TimeUnit::kMillisecond},
    {"SECOND", TimeUnit::kSecond},
    {"MINUTE", TimeUnit::kMinute},
    {"HOUR", TimeUnit::kHour},
    {"DAY", TimeUnit::kDay},
    {"WEEK", TimeUnit::kWeek},
    {"MONTH", TimeUnit::kMonth},
    {"QUARTER", TimeUnit::kQuarter},
    {"YEAR", TimeUnit::kYear},
    {"DECADE", TimeUnit::kDecade},
    {"CENTURY", TimeUnit::kCentury},
    {"MILLENNIUM", TimeUnit::kMillennium},
    {"DOW", TimeUnit::kDayOfWeek},
    {"DAYOFWEEK", TimeUnit::kDayOfWeek},
    {"DOY", TimeUnit::kDayOfYear},
    {"DAYOFYEAR", TimeUnit::kDayOfYear},
    {"ISODOW", TimeUnit::kIsoDayOfWeek},
    {"ISOYEAR", TimeUnit::kIsoYear},
    {"EPOCH", TimeUnit::kEpoch},
    {"DAYOFMONTH", TimeUnit::kDay},
    {"FRAC_SECOND", TimeUnit::kMicrosecond},
}};

// Milliseconds of a unit that has always the same; 0 for months and their multiples.
std::int64_t fixed_millis(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMillisecond: return 1;
    case TimeUnit::kSecond: return 1'000;
    case TimeUnit::kMinute: return 60'000;
    case TimeUnit::kHour: return 3'600'000;
    case TimeUnit::kDay: return kMillisPerDay;
    default: return 0;
  }
}

std::int32_t start_of_week(std::int64_t days) {
  // 1970-01-04 was a Sunday, and Flink's weeks begin on it.
  return static_cast<std::int32_t>(days - floor_mod(days + 4, 7));
}

std::int32_t months_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMonth: return 1;
    case TimeUnit::kQuarter: return 3;
    case TimeUnit::kDecade: return 120;
    case TimeUnit::kCentury: return 1'200;
    case TimeUnit::kMillennium: return 12'000;
    default: return 12;
  }
}

std::int32_t start_of_months(std::int32_t days, TimeUnit unit) {
  const CivilDate date = civil_from_days(days);
  // Centuries and millennia begin with the year 1.
  const bool from_one = unit == TimeUnit::kCentury || unit == TimeUnit::kMillennium;
  const std::int32_t first = from_one ? 12 : 0;
  const std::int32_t length = months_of(unit);
  const std::int64_t month = std::int64_t{date.year} * 12 + date.month - 1 - first;
  const std::int64_t start = floor_div(month, length) * length + first;
  return days_from_civil(static_cast<std::int32_t>(floor_div(start, 12)),
                         static_cast<std::int32_t>(floor_mod(start, 12)) + 1, 1);
}

// Days since 1970 of the start of the unit that the day is in, and of the next.
std::int32_t day_floor(std::int32_t days, TimeUnit unit) {
  if (unit == TimeUnit::kWeek) return start_of_week(days);
  return fixed_millis(unit) > 0 ? days : start_of_months(days, unit);
}

std::int32_t next_start(std::int32_t start, TimeUnit unit) {
  if (unit == TimeUnit::kWeek) return start + 7;
  return add_months(start, months_of(unit)).value_or(start);
}

std::int32_t truncate_days(std::int32_t days, TimeUnit unit, bool ceil) {
  const std::int32_t start = day_floor(days, unit);
  return ceil && start != days ? next_start(start, unit) : start;
}

std::int64_t truncate_timestamp(std::int64_t value, std::int64_t units, TimeUnit unit, bool ceil) {
  if (const std::int64_t millis = fixed_millis(unit)) {
    const std::int64_t step = millis * (units / 1000);
    const std::int64_t rest = floor_mod(value, step);
    return saturating_add(value, ceil && rest != 0 ? step - rest : -rest);
  }
  const std::int64_t day = units * 86'400;
  const auto days = static_cast<std::int32_t>(floor_div(value, day));
  const std::int32_t start = day_floor(days, unit);
  if (start * day == value || !ceil) return start * day;
  return next_start(start, unit) * day;
}

}  // namespace

std::optional<TimeUnit> parse_time_unit(std::string_view name) {
  std::string upper;
  for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  std::string_view key = upper;
  if (key.starts_with("SQL_TSI_")) key.remove_prefix(8);
  for (const auto& [known, unit] : kUnits)
    if (key == known || (key.ends_with('S') && key.substr(0, key.size() - 1) == known)) return unit;
  return std::nullopt;
}

std::optional<Resolution> resolve_truncation(std::span<const ExpressionPtr> arguments) {
  const DataType& type = arguments[0]->type;
  if (!is_temporal(type.kind) || arguments[1]->type.kind != TypeKind::kString) return std::nullopt;
  return Resolution{.arguments = {type, DataType::string()}, .result = type};
}

Result<KernelPtr> make_truncation(const CallSite& site, bool ceil) {
  const std::string* name = site.text(1);
  const auto unit = name != nullptr ? parse_time_unit(*name) : std::nullopt;
  const DataType& type = site.arguments[0];
  const bool of_day = unit && fixed_millis(*unit) > 0;
  if (!unit || *unit < TimeUnit::kMillisecond || *unit > TimeUnit::kMillennium ||
      (type.kind == TypeKind::kTime && !of_day))
    return Error{
        ErrorCode::kInvalidSql,
        fmt::format("{} cannot be rounded to '{}': expected MILLISECOND, SECOND, MINUTE, HOUR, "
                    "DAY, WEEK, MONTH, QUARTER or YEAR",
                    to_string(type), name == nullptr ? "?" : *name)};
  using Unused = std::string_view;
  if (type.kind == TypeKind::kDate)
    return make_row_kernel<std::int32_t(std::int32_t, Unused)>(
        [unit = *unit, ceil](Row&, std::int32_t days, Unused) {
          return truncate_days(days, unit, ceil);
        });
  if (type.kind == TypeKind::kTime)
    return make_row_kernel<std::int32_t(std::int32_t, Unused)>(
        [unit = *unit, ceil](Row&, std::int32_t millis, Unused) {
          return static_cast<std::int32_t>(
              floor_mod(truncate_timestamp(millis, 1000, unit, ceil), kMillisPerDay));
        });
  const std::int64_t units = timestamp_units_per_second(type.precision);
  if (type.kind == TypeKind::kTimestamp)
    return make_row_kernel<std::int64_t(std::int64_t, Unused)>(
        [unit = *unit, units, ceil](Row&, std::int64_t value, Unused) {
          return truncate_timestamp(value, units, unit, ceil);
        });
  return make_row_kernel<std::int64_t(std::int64_t, Unused)>(
      [unit = *unit, units, ceil, zone = SessionZone()](Row& row, std::int64_t value,
                                                        Unused) mutable {
        const TimeZone* local = zone.get(row);
        if (local == nullptr) return value;
        return local->to_instant(
            truncate_timestamp(local->to_local(value, units), units, unit, ceil), units);
      });
}

}  // namespace tidemark
