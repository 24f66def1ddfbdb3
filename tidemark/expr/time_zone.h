// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemark/base/result.h"
#include "tidemark/base/time.h"

namespace tidemark {

/// A time zone of the IANA database (read from the operating system's files), or a fixed offset.
/// Conversions remember the last stretch of time without a change of the clocks, so converting a
/// batch costs a comparison and an addition a row. One thread; copies are independent and cheap.
///
/// Values are counts of `units` a second: 1000 for event time. kMinTime and kMaxTime stay
/// themselves.
class TimeZone {
 public:
  /// UTC.
  TimeZone() = default;

  /// "Europe/Berlin", "UTC", "Z", "GMT+08:00", "UTC-3", "+05:30". The error names the nearest zone.
  static Result<TimeZone> find(std::string_view name);

  /// What the clocks show at an instant, as if it were UTC.
  std::int64_t to_local(std::int64_t instant, std::int64_t units = 1000) const;

  /// The instant of a wall-clock time, as Java's LocalDateTime.atZone: a time that the clocks skip
  /// is moved later by the length of the gap; of a time that they show twice the earlier one is
  /// taken.
  std::int64_t to_instant(std::int64_t local, std::int64_t units = 1000) const;

  /// The instant at which a window that ends at a wall-clock time ends (Flink's TimeWindowUtil,
  /// toEpochMillsForTimer): the first instant after a gap, and the later one of two, so that the
  /// window holds both hours.
  std::int64_t window_end_to_instant(std::int64_t local, std::int64_t units = 1000) const;

  void to_local(std::span<const std::int64_t> instants, std::int64_t* local,
                std::int64_t units = 1000) const;
  void to_instant(std::span<const std::int64_t> local, std::int64_t* instants,
                  std::int64_t units = 1000) const;

  const std::string& name() const { return name_; }

 private:
  // Seconds [begin, end) in which the offset is the same; of instants, and of local times.
  struct Stretch {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    std::int64_t offset = 0;
    bool holds(std::int64_t second) const { return second >= begin && second < end; }
  };
  // Seconds to subtract from a local time.
  std::int64_t offset_of_local(std::int64_t second, bool window_end) const;
  std::int64_t convert_local(std::int64_t local, std::int64_t units, bool window_end) const;

  std::string name_ = "UTC";
  const void* zone_ = nullptr;  // date::time_zone; null for a fixed offset
  std::int64_t fixed_offset_ = 0;
  mutable Stretch instants_;
  mutable Stretch locals_;
};

}  // namespace tidemark
