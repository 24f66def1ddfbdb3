// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/temporal_arithmetic.h"

#include <algorithm>
#include <limits>

#include "tidemark/base/time.h"
#include "tidemark/data/calendar.h"
#include "tidemark/expr/checked_integer.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

constexpr const char* kOutOfRange = "date or time out of range";

// A DATE moves by whole days; by hours it becomes a TIMESTAMP.
bool is_whole_days(const Expression& interval) {
  return interval.kind == Expression::Kind::kLiteral && !interval.literal.is_null &&
         interval.literal.integer % kMillisPerDay == 0;
}

std::optional<Resolution> resolve_shift(const Expression& temporal, const Expression& interval,
                                        bool swapped) {
  DataType moved = temporal.type;
  if (moved.kind == TypeKind::kDate && interval.type.kind == TypeKind::kIntervalDay &&
      !is_whole_days(interval))
    moved = DataType::timestamp(3);
  if (moved.kind == TypeKind::kTime && interval.type.kind == TypeKind::kIntervalMonth)
    return std::nullopt;
  std::vector<DataType> arguments = {moved, interval.type};
  if (swapped) std::swap(arguments[0], arguments[1]);
  return Resolution{.arguments = std::move(arguments), .result = moved};
}

// Timestamps count 1, 1000 or 1000000 units a millisecond of an interval.
std::int64_t units_per_milli(const DataType& type) {
  return timestamp_units_per_second(type.precision) / 1000;
}

bool move_by(std::int64_t value, std::int64_t interval, std::int64_t units, bool back,
             std::int64_t& out) {
  std::int64_t scaled = 0;
  if (__builtin_mul_overflow(interval, units, &scaled)) return false;
  return back ? !__builtin_sub_overflow(value, scaled, &out)
              : !__builtin_add_overflow(value, scaled, &out);
}

KernelPtr shift_timestamp_by_months(const DataType& type, bool back) {
  const std::int64_t units = kMillisPerDay * units_per_milli(type);
  return make_row_kernel<std::int64_t(std::int64_t, std::int32_t)>(
      [units, back](Row& row, std::int64_t value, std::int32_t months) {
        const auto moved = add_months(value, units, back ? -std::int64_t{months} : months);
        if (!moved) row.fail(kOutOfRange);
        return moved.value_or(0);
      });
}

KernelPtr shift_timestamp(const DataType& type, bool back) {
  const std::int64_t units = units_per_milli(type);
  if (units == 1) {
    // The usual watermark expression: a checked addition of one scalar.
    if (back) return std::make_unique<SubtractKernel<std::int64_t>>(kOutOfRange);
    return std::make_unique<AddKernel<std::int64_t>>(kOutOfRange);
  }
  return make_row_kernel<std::int64_t(std::int64_t, std::int64_t)>(
      [units, back](Row& row, std::int64_t value, std::int64_t interval) {
        std::int64_t moved = 0;
        if (!move_by(value, interval, units, back, moved)) row.fail(kOutOfRange);
        return moved;
      });
}

KernelPtr shift_date(bool months, bool back) {
  if (months)
    return make_row_kernel<std::int32_t(std::int32_t, std::int32_t)>(
        [back](Row& row, std::int32_t days, std::int32_t count) {
          const auto moved = add_months(days, back ? -std::int64_t{count} : count);
          if (!moved) row.fail(kOutOfRange);
          return moved.value_or(0);
        });
  return make_row_kernel<std::int32_t(std::int32_t, std::int64_t)>(
      [back](Row& row, std::int32_t days, std::int64_t interval) {
        const std::int64_t count = interval / kMillisPerDay;
        const std::int64_t moved = back ? days - count : days + count;
        if (moved != static_cast<std::int32_t>(moved)) row.fail(kOutOfRange);
        return static_cast<std::int32_t>(moved);
      });
}

KernelPtr shift_time(bool back) {
  return make_row_kernel<std::int32_t(std::int32_t, std::int64_t)>([back](Row&, std::int32_t millis,
                                                                          std::int64_t interval) {
    const std::int64_t by = interval % kMillisPerDay;
    return static_cast<std::int32_t>(floor_mod(back ? millis - by : millis + by, kMillisPerDay));
  });
}

// Swaps the arguments of interval + date, so that one kernel serves both orders.
class SwappedKernel final : public Kernel {
 public:
  explicit SwappedKernel(KernelPtr kernel) : kernel_(std::move(kernel)) {}
  ColumnPtr run(Invocation& call) override {
    const Vector swapped[2] = {call.arguments[1], call.arguments[0]};
    call.arguments = swapped;
    return kernel_->run(call);
  }

 private:
  KernelPtr kernel_;
};

KernelPtr make_shift_kernel(const DataType& temporal, TypeKind interval, bool back) {
  const bool months = interval == TypeKind::kIntervalMonth;
  if (temporal.kind == TypeKind::kDate) return shift_date(months, back);
  if (temporal.kind == TypeKind::kTime) return shift_time(back);
  return months ? shift_timestamp_by_months(temporal, back) : shift_timestamp(temporal, back);
}

KernelPtr make_difference_kernel(const DataType& type) {
  if (type.kind == TypeKind::kDate || type.kind == TypeKind::kTime) {
    const std::int64_t millis = type.kind == TypeKind::kDate ? kMillisPerDay : 1;
    return make_row_kernel<std::int64_t(std::int32_t, std::int32_t)>(
        [millis](Row&, std::int32_t a, std::int32_t b) { return (std::int64_t{a} - b) * millis; });
  }
  const std::int64_t units = units_per_milli(type);
  return make_row_kernel<std::int64_t(std::int64_t, std::int64_t)>(
      [units](Row& row, std::int64_t a, std::int64_t b) {
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a, b, &difference)) row.fail(kOutOfRange);
        return floor_div(difference, units);
      });
}

}  // namespace

std::optional<std::int32_t> add_months(std::int32_t days, std::int64_t months) noexcept {
  const CivilDate date = civil_from_days(days);
  const std::int64_t total = std::int64_t{date.year} * 12 + (date.month - 1) + months;
  const std::int64_t year = floor_div(total, 12);
  constexpr std::int64_t kLastYear = 5'800'000;  // DATE ends in the year 5881580
  if (year > kLastYear || year < -kLastYear) return std::nullopt;
  const auto month = static_cast<std::int32_t>(floor_mod(total, 12)) + 1;
  const auto y = static_cast<std::int32_t>(year);
  const std::int32_t first = days_from_civil(y, month, 1);
  const std::int32_t next =
      month == 12 ? days_from_civil(y + 1, 1, 1) : days_from_civil(y, month + 1, 1);
  return first + std::min(date.day, next - first) - 1;
}

std::optional<std::int64_t> add_months(std::int64_t value, std::int64_t units_per_day,
                                       std::int64_t months) noexcept {
  const std::int64_t days = floor_div(value, units_per_day);
  if (days != static_cast<std::int32_t>(days)) return std::nullopt;
  const auto moved = add_months(static_cast<std::int32_t>(days), months);
  if (!moved) return std::nullopt;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(std::int64_t{*moved}, units_per_day, &result)) return std::nullopt;
  if (__builtin_add_overflow(result, floor_mod(value, units_per_day), &result)) return std::nullopt;
  return result;
}

std::optional<Resolution> resolve_temporal(char operation, const Expression& a,
                                           const Expression& b) {
  const TypeKind x = a.type.kind;
  const TypeKind y = b.type.kind;
  if (is_interval(x) && x == y && (operation == '+' || operation == '-'))
    return Resolution{.arguments = {a.type, a.type}, .result = a.type};
  if (is_temporal(x) && is_interval(y) && (operation == '+' || operation == '-'))
    return resolve_shift(a, b, false);
  if (is_interval(x) && is_temporal(y) && operation == '+') return resolve_shift(b, a, true);
  if (is_interval(x) && is_integer(y) && (operation == '*' || operation == '/')) {
    const DataType number = x == TypeKind::kIntervalDay ? DataType::big_int() : DataType::integer();
    return Resolution{.arguments = {a.type, number}, .result = a.type};
  }
  if (is_integer(x) && is_interval(y) && operation == '*') {
    const DataType number = y == TypeKind::kIntervalDay ? DataType::big_int() : DataType::integer();
    return Resolution{.arguments = {number, b.type}, .result = b.type};
  }
  if (operation == '-' && is_temporal(x) && is_temporal(y)) {
    const auto type = merged_type(a.type, b.type);
    if (type) return Resolution{.arguments = {*type, *type}, .result = DataType::interval_day()};
  }
  return std::nullopt;
}

Result<KernelPtr> make_temporal_kernel(char operation, const CallSite& site) {
  const DataType& a = site.arguments[0];
  const DataType& b = site.arguments[1];
  if (is_temporal(a.kind) && is_interval(b.kind))
    return make_shift_kernel(a, b.kind, operation == '-');
  if (is_temporal(b.kind) && is_interval(a.kind))
    return KernelPtr(std::make_unique<SwappedKernel>(make_shift_kernel(b, a.kind, false)));
  if (is_temporal(a.kind)) return make_difference_kernel(a);
  // What is left computes with intervals as integers.
  const auto integer_kernel = [operation](auto zero) -> KernelPtr {
    using T = decltype(zero);
    constexpr const char* kOverflow = "INTERVAL overflow";
    switch (operation) {
      case '+': return std::make_unique<AddKernel<T>>(kOverflow);
      case '-': return std::make_unique<SubtractKernel<T>>(kOverflow);
      case '*': return std::make_unique<MultiplyKernel<T>>(kOverflow);
      default: return std::make_unique<DivideKernel<T>>(kOverflow);
    }
  };
  if (site.result.kind == TypeKind::kIntervalMonth) return integer_kernel(std::int32_t{});
  return integer_kernel(std::int64_t{});
}

}  // namespace tidemark
