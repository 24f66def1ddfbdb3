// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/cast.h"
#include "tidemark/expr/temporal_arithmetic.h"

// Among DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ. An instant becomes a wall-clock time, and back, in
// the session time zone.

namespace tidemark {
namespace {

constexpr const char* kOutOfRange = "date or time out of range";

// Moves a value between the units of two precisions and cuts the digits the new one does not have.
class Precision {
 public:
  Precision(std::uint8_t from, std::uint8_t to)
      : from_units_(timestamp_units_per_second(from)), to_units_(timestamp_units_per_second(to)) {
    int shown = to_units_ == 1'000 ? 3 : to_units_ == 1'000'000 ? 6 : 9;
    for (; shown > to; --shown) cut_ *= 10;
  }
  bool convert(std::int64_t value, std::int64_t& out) const {
    if (from_units_ > to_units_) {
      value = floor_div(value, from_units_ / to_units_);
    } else if (__builtin_mul_overflow(value, to_units_ / from_units_, &value)) {
      return false;
    }
    out = value - floor_mod(value, cut_);
    return true;
  }
  std::int64_t from_units() const { return from_units_; }
  std::int64_t to_units() const { return to_units_; }

 private:
  std::int64_t from_units_;
  std::int64_t to_units_;
  std::int64_t cut_ = 1;
};

KernelPtr timestamp_to_timestamp(const DataType& from, const DataType& to) {
  const Precision precision(from.precision, to.precision);
  const bool to_local = from.kind == TypeKind::kTimestampLtz && to.kind == TypeKind::kTimestamp;
  const bool to_instant = from.kind == TypeKind::kTimestamp && to.kind == TypeKind::kTimestampLtz;
  if (!to_local && !to_instant)
    return make_row_kernel<std::int64_t(std::int64_t)>([precision](Row& row, std::int64_t value) {
      std::int64_t converted = 0;
      if (!precision.convert(value, converted)) row.fail(kOutOfRange);
      return converted;
    });
  return make_row_kernel<std::int64_t(std::int64_t)>(
      [precision, to_local, zone = SessionZone()](Row& row, std::int64_t value) mutable {
        const TimeZone* local = zone.get(row);
        if (local == nullptr) return std::int64_t{0};
        const std::int64_t units = precision.from_units();
        const std::int64_t moved =
            to_local ? local->to_local(value, units) : local->to_instant(value, units);
        std::int64_t converted = 0;
        if (!precision.convert(moved, converted)) row.fail(kOutOfRange);
        return converted;
      });
}

KernelPtr date_to_timestamp(const DataType& to) {
  const std::int64_t units = timestamp_units_per_second(to.precision);
  const bool instant = to.kind == TypeKind::kTimestampLtz;
  return make_row_kernel<std::int64_t(std::int32_t)>(
      [units, instant, zone = SessionZone()](Row& row, std::int32_t days) mutable {
        std::int64_t value = 0;
        if (__builtin_mul_overflow(std::int64_t{days} * 86'400, units, &value))
          row.fail(kOutOfRange);
        if (!instant) return value;
        const TimeZone* local = zone.get(row);
        return local == nullptr ? 0 : local->to_instant(value, units);
      });
}

// The date or the time of day of a timestamp.
KernelPtr part_of_timestamp(const DataType& from, const DataType& to) {
  const std::int64_t units = timestamp_units_per_second(from.precision);
  const bool instant = from.kind == TypeKind::kTimestampLtz;
  const bool date = to.kind == TypeKind::kDate;
  return make_row_kernel<std::int32_t(std::int64_t)>(
      [units, instant, date, zone = SessionZone()](Row& row, std::int64_t value) mutable {
        if (instant) {
          const TimeZone* local = zone.get(row);
          if (local == nullptr) return 0;
          value = local->to_local(value, units);
        }
        const std::int64_t day = units * 86'400;
        if (!date) return static_cast<std::int32_t>(floor_mod(value, day) / (units / 1000));
        const std::int64_t days = floor_div(value, day);
        if (days != static_cast<std::int32_t>(days)) row.fail(kOutOfRange);
        return static_cast<std::int32_t>(days);
      });
}

KernelPtr time_to_time(const DataType& to) {
  std::int32_t cut = 1;
  for (int digits = 3; digits > to.precision; --digits) cut *= 10;
  return make_row_kernel<std::int32_t(std::int32_t)>(
      [cut](Row&, std::int32_t millis) { return millis - millis % cut; }, true);
}

}  // namespace

KernelPtr make_temporal_cast(const DataType& from, const DataType& to) {
  if (from.kind == TypeKind::kTime) return time_to_time(to);
  if (from.kind == TypeKind::kDate) return date_to_timestamp(to);
  if (is_timestamp(to.kind)) return timestamp_to_timestamp(from, to);
  return part_of_timestamp(from, to);
}

}  // namespace tidemark
