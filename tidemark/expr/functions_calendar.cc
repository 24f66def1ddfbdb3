// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tidemark/data/calendar.h"
#include "tidemark/expr/cast.h"
#include "tidemark/expr/date_pattern.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/temporal_arithmetic.h"
#include "tidemark/expr/time_units.h"
#include "tidemark/expr/type_rules.h"

// Fields of dates and times, and distances between them.

namespace tidemark {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// ISO 8601: week 1 has the year's first Thursday. The year may be the one before or after.
struct IsoWeek {
  std::int64_t year;
  std::int64_t week;
};
IsoWeek iso_week(std::int32_t days) {
  const auto thursday = static_cast<std::int32_t>(days - floor_mod(days + 3, 7) + 3);
  const CivilDate date = civil_from_days(thursday);
  return {date.year, (thursday - days_from_civil(date.year, 1, 1)) / 7 + 1};
}

std::int64_t field_of_date(std::int32_t days, TimeUnit unit) {
  const CivilDate date = civil_from_days(days);
  switch (unit) {
    case TimeUnit::kDay: return date.day;
    case TimeUnit::kMonth: return date.month;
    case TimeUnit::kQuarter: return (date.month + 2) / 3;
    case TimeUnit::kYear: return date.year;
    case TimeUnit::kDecade: return floor_div(date.year, 10);
    case TimeUnit::kCentury: return floor_div(date.year - 1, 100) + 1;
    case TimeUnit::kMillennium: return floor_div(date.year - 1, 1000) + 1;
    case TimeUnit::kWeek: return iso_week(days).week;
    case TimeUnit::kIsoYear: return iso_week(days).year;
    case TimeUnit::kDayOfYear: return days - days_from_civil(date.year, 1, 1) + 1;
    case TimeUnit::kDayOfWeek: return floor_mod(days + 4, 7) + 1;
    default: return floor_mod(days + 3, 7) + 1;  // kIsoDayOfWeek
  }
}

bool is_field_of_time(TimeUnit unit) {
  return unit <= TimeUnit::kHour;
}

std::int64_t field_of_time(std::int64_t nanos, TimeUnit unit) {
  const std::int64_t seconds = nanos / kNanosPerSecond;
  switch (unit) {
    case TimeUnit::kHour: return seconds / 3600;
    case TimeUnit::kMinute: return seconds / 60 % 60;
    case TimeUnit::kSecond: return seconds % 60;
    case TimeUnit::kMillisecond: return nanos % kNanosPerSecond / 1'000'000;
    case TimeUnit::kMicrosecond: return nanos % kNanosPerSecond / 1'000;
    default: return nanos % kNanosPerSecond;
  }
}

std::int64_t field_of(const WallTime& time, TimeUnit unit) {
  if (unit == TimeUnit::kEpoch) return time.days * 86'400 + time.nanos_of_day / kNanosPerSecond;
  if (is_field_of_time(unit)) return field_of_time(time.nanos_of_day, unit);
  return field_of_date(static_cast<std::int32_t>(time.days), unit);
}

Result<KernelPtr> make_field_kernel(const DataType& type, TimeUnit unit) {
  if (type.kind == TypeKind::kTime && !is_field_of_time(unit))
    return Error{ErrorCode::kInvalidSql, "a TIME has no such field"};
  if (type.kind == TypeKind::kDate)
    return make_row_kernel<std::int64_t(std::int32_t)>(
        [unit](Row&, std::int32_t days) { return field_of({.days = days}, unit); });
  if (type.kind == TypeKind::kTime)
    return make_row_kernel<std::int64_t(std::int32_t)>([unit](Row&, std::int32_t millis) {
      return field_of_time(std::int64_t{millis} * 1'000'000, unit);
    });
  const std::int64_t units = timestamp_units_per_second(type.precision);
  // The epoch of an instant does not depend on where the clock hangs.
  if (type.kind == TypeKind::kTimestamp || unit == TimeUnit::kEpoch)
    return make_row_kernel<std::int64_t(std::int64_t)>([unit, units](Row&, std::int64_t value) {
      return field_of(WallTime::of(value, units), unit);
    });
  return make_row_kernel<std::int64_t(std::int64_t)>(
      [unit, units, zone = SessionZone()](Row& row, std::int64_t value) mutable {
        const TimeZone* local = zone.get(row);
        if (local == nullptr) return std::int64_t{0};
        return field_of(WallTime::of(local->to_local(value, units), units), unit);
      });
}

// A text is read as a timestamp, or as a time when the field is of one.
std::optional<DataType> temporal_argument(const DataType& type) {
  if (is_temporal(type.kind)) return type;
  if (type.kind == TypeKind::kString || type.kind == TypeKind::kNull) return DataType::timestamp(3);
  return std::nullopt;
}

// Drops the first argument, the unit, which the kernel was made for.
class WithoutUnit final : public Kernel {
 public:
  explicit WithoutUnit(KernelPtr kernel) : kernel_(std::move(kernel)) {}
  ColumnPtr run(Invocation& call) override {
    call.arguments = call.arguments.subspan(1);
    return kernel_->run(call);
  }

 private:
  KernelPtr kernel_;
};

Result<TimeUnit> unit_argument(const CallSite& site) {
  const std::string* name = site.text(0);
  const auto unit = name == nullptr ? std::nullopt : parse_time_unit(*name);
  if (unit) return *unit;
  return Error{
      ErrorCode::kInvalidSql,
      fmt::format("'{}' is not a time unit: expected SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, "
                  "QUARTER, YEAR or another of EXTRACT's",
                  name == nullptr ? "?" : *name)};
}

Function extract() {
  return {
      .name = "EXTRACT",
      .signature = "EXTRACT(unit FROM time)",
      .summary =
          "A field: SECOND, MINUTE, HOUR, DAY, WEEK (ISO), MONTH, QUARTER, YEAR, DOW (1 is "
          "Sunday), DOY, ISODOW, ISOYEAR, DECADE, CENTURY, MILLENNIUM, MILLISECOND, "
          "MICROSECOND, NANOSECOND (of the second), EPOCH.",
      .resolve = [](std::span<const ExpressionPtr> arguments) -> std::optional<Resolution> {
        if (arguments.size() != 2 || arguments[0]->type.kind != TypeKind::kString)
          return std::nullopt;
        const auto type = temporal_argument(arguments[1]->type);
        if (!type) return std::nullopt;
        return Resolution{.arguments = {DataType::string(), *type}, .result = DataType::big_int()};
      },
      .make = [](const CallSite& site) -> Result<KernelPtr> {
        TIDEMARK_ASSIGN_OR_RETURN(const TimeUnit unit, unit_argument(site));
        TIDEMARK_ASSIGN_OR_RETURN(KernelPtr kernel, make_field_kernel(site.arguments[1], unit));
        return KernelPtr(std::make_unique<WithoutUnit>(std::move(kernel)));
      },
      .purity = Purity::kTimeZone};
}

Function field(std::string name, TimeUnit unit, std::string summary) {
  const std::string signature = name + "(time)";
  return {
      .name = std::move(name),
      .signature = signature,
      .summary = std::move(summary),
      .resolve = [](std::span<const ExpressionPtr> arguments) -> std::optional<Resolution> {
        if (arguments.size() != 1) return std::nullopt;
        const auto type = temporal_argument(arguments[0]->type);
        if (!type) return std::nullopt;
        return Resolution{.arguments = {*type}, .result = DataType::big_int()};
      },
      .make = [unit](const CallSite& site) { return make_field_kernel(site.arguments[0], unit); },
      .purity = Purity::kTimeZone};
}

struct Step {
  std::int64_t millis = 0;
  std::int32_t months = 0;
};

std::optional<Step> step_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMillisecond: return Step{.millis = 1};
    case TimeUnit::kSecond: return Step{.millis = 1'000};
    case TimeUnit::kMinute: return Step{.millis = 60'000};
    case TimeUnit::kHour: return Step{.millis = 3'600'000};
    case TimeUnit::kDay: return Step{.millis = kMillisPerDay};
    case TimeUnit::kWeek: return Step{.millis = 7 * kMillisPerDay};
    case TimeUnit::kMonth: return Step{.months = 1};
    case TimeUnit::kQuarter: return Step{.months = 3};
    case TimeUnit::kYear: return Step{.months = 12};
    case TimeUnit::kDecade: return Step{.months = 120};
    case TimeUnit::kCentury: return Step{.months = 1'200};
    default: return std::nullopt;
  }
}

Error wrong_step(std::string_view function) {
  return Error{
      ErrorCode::kInvalidSql,
      fmt::format("{} takes a unit (MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER "
                  "or YEAR), then two more arguments",
                  function)};
}

// TIMESTAMPADD(unit, n, t) is t + n * INTERVAL '1' unit.
Result<ExpressionPtr> rewrite_add(std::vector<ExpressionPtr> arguments) {
  if (arguments.size() != 3 || arguments[0]->kind != Expression::Kind::kLiteral)
    return wrong_step("TIMESTAMPADD");
  const auto unit = parse_time_unit(arguments[0]->literal.text);
  const auto step = unit ? step_of(*unit) : std::nullopt;
  if (!step) return wrong_step("TIMESTAMPADD");
  const Value interval = step->months != 0
                             ? Value::of_integer(DataType::interval_month(), step->months)
                             : Value::of_integer(DataType::interval_day(), step->millis);
  TIDEMARK_ASSIGN_OR_RETURN(auto total,
                            call_expression("*", {literal_expression(interval), arguments[1]}));
  TIDEMARK_ASSIGN_OR_RETURN(auto sum, call_expression("+", {arguments[2], std::move(total)}));
  // Whole days later a DATE is still one.
  const bool whole_days = step->months != 0 || step->millis % kMillisPerDay == 0;
  if (arguments[2]->type.kind == TypeKind::kDate && whole_days)
    return cast_expression(std::move(sum), DataType::date());
  return sum;
}

// Whole months from a to b, towards zero.
std::int64_t months_between(std::int64_t a, std::int64_t b, std::int64_t units_per_day) {
  const CivilDate x = civil_from_days(static_cast<std::int32_t>(floor_div(a, units_per_day)));
  const CivilDate y = civil_from_days(static_cast<std::int32_t>(floor_div(b, units_per_day)));
  const std::int64_t months = (std::int64_t{y.year} - x.year) * 12 + (y.month - x.month);
  const std::int64_t reached = add_months(a, units_per_day, months).value_or(b);
  if (months > 0 && reached > b) return months - 1;
  if (months < 0 && reached < b) return months + 1;
  return months;
}

KernelPtr make_difference(const DataType& type, const Step& step) {
  const std::int64_t units = timestamp_units_per_second(type.precision);
  return make_row_kernel<std::int32_t(std::int64_t, std::int64_t)>(
      [units, step](Row& row, std::int64_t a, std::int64_t b) {
        std::int64_t count = 0;
        if (step.months != 0) {
          count = months_between(a, b, units * 86'400) / step.months;
        } else if (__builtin_sub_overflow(b, a, &count)) {
          row.fail("date or time out of range");
        } else {
          count /= units / 1000 * step.millis;
        }
        if (count != static_cast<std::int32_t>(count)) row.fail("INT overflow");
        return static_cast<std::int32_t>(count);
      });
}

Function timestamp_difference() {
  return {
      .name = "TIMESTAMPDIFF",
      .signature = "TIMESTAMPDIFF(unit, from, to)",
      .summary = "Whole units from one time to another, as INT.",
      .resolve = [](std::span<const ExpressionPtr> arguments) -> std::optional<Resolution> {
        if (arguments.size() != 3 || arguments[0]->type.kind != TypeKind::kString)
          return std::nullopt;
        const auto a = temporal_argument(arguments[1]->type);
        const auto b = temporal_argument(arguments[2]->type);
        if (!a || !b) return std::nullopt;
        auto common = merged_type(*a, *b);
        if (!common || common->kind == TypeKind::kTime) return std::nullopt;
        if (common->kind == TypeKind::kDate) common = DataType::timestamp(3);
        return Resolution{.arguments = {DataType::string(), *common, *common},
                          .result = DataType::integer()};
      },
      .make = [](const CallSite& site) -> Result<KernelPtr> {
        TIDEMARK_ASSIGN_OR_RETURN(const TimeUnit unit, unit_argument(site));
        const auto step = step_of(unit);
        if (!step) return wrong_step("TIMESTAMPDIFF");
        return KernelPtr(std::make_unique<WithoutUnit>(make_difference(site.arguments[1], *step)));
      }};
}

}  // namespace

void add_calendar_functions(FunctionTable& table) {
  table.topic("Dates and times");
  table.add(extract());
  table.add(field("YEAR", TimeUnit::kYear, "The year."));
  table.add(field("QUARTER", TimeUnit::kQuarter, "1 to 4."));
  table.add(field("MONTH", TimeUnit::kMonth, "1 to 12."));
  table.add(field("WEEK", TimeUnit::kWeek, "The ISO week, 1 to 53."));
  table.add(field("DAYOFYEAR", TimeUnit::kDayOfYear, "1 to 366."));
  table.add(field("DAYOFMONTH", TimeUnit::kDay, "1 to 31."));
  table.add(field("DAYOFWEEK", TimeUnit::kDayOfWeek, "1 (Sunday) to 7."));
  table.add(field("HOUR", TimeUnit::kHour, "0 to 23."));
  table.add(field("MINUTE", TimeUnit::kMinute, "0 to 59."));
  table.add(field("SECOND", TimeUnit::kSecond, "0 to 59."));
  table.add({.name = "TIMESTAMPADD",
             .signature = "TIMESTAMPADD(unit, count, time)",
             .summary = "The time so many units later.",
             .rewrite = rewrite_add});
  table.add(timestamp_difference());
}

}  // namespace tidemark
