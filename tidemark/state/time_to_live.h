// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidemark/base/time.h"

namespace tidemark {

/// How long the entries of a keyed state live (Flink's StateTtlConfig). An entry is expired once
/// its last touch is `ttl` or more behind the time that it is judged by. Expired entries are
/// removed when they are met: by a look-up, by a snapshot, and bit by bit in the background.
struct TimeToLive {
  /// What renews an entry.
  enum class Update : std::uint8_t {
    kOnWrite,         // making it and every look-up for writing
    kOnReadAndWrite,  // any look-up
  };
  /// Whether a look-up may find an entry that is expired and not removed yet.
  enum class Visibility : std::uint8_t { kNeverExpired, kExpiredIfNotCleaned };
  /// Processing time goes on while a job is down; the watermark does not.
  enum class Clock : std::uint8_t { kProcessingTime, kEventTime };

  Millis ttl = 0;  // milliseconds; 0: for ever
  Update update = Update::kOnWrite;
  Visibility visibility = Visibility::kNeverExpired;
  Clock clock = Clock::kProcessingTime;

  constexpr bool enabled() const noexcept { return ttl > 0; }
};

/// The two clocks of an operator's state. kMinTime: nothing is known yet.
struct StateTime {
  ProcessingTime now = kMinTime;
  EventTime watermark = kMinTime;

  std::int64_t of(TimeToLive::Clock clock) const noexcept {
    return clock == TimeToLive::Clock::kEventTime ? watermark : now;
  }
  /// Clocks do not go back.
  void advance(const StateTime& other) noexcept {
    now = std::max(now, other.now);
    watermark = std::max(watermark, other.watermark);
  }
};

// In a table with a time to live the 8 bytes in front of a value are its stamp: the time of its
// last touch, milliseconds, by the table's clock. kMinTime: touched while the clock was unknown;
// its life begins when the clock is first known.

inline constexpr std::size_t kStampBytes = sizeof(std::int64_t);

inline std::int64_t stamp_of(const std::byte* value) noexcept {
  std::int64_t stamp = 0;
  std::memcpy(&stamp, value - kStampBytes, sizeof(stamp));
  return stamp;
}
inline void set_stamp(std::byte* value, std::int64_t stamp) noexcept {
  std::memcpy(value - kStampBytes, &stamp, sizeof(stamp));
}
/// A touch at `time`. Late touches do not take from an entry's life.
inline void renew(std::byte* value, std::int64_t time) noexcept {
  if (stamp_of(value) < time) set_stamp(value, time);
}

/// Flink's rule: expired when stamp + ttl <= now.
constexpr bool is_expired(std::int64_t stamp, Millis ttl, std::int64_t now) noexcept {
  return stamp != kMinTime && saturating_add(stamp, ttl) <= now;
}

}  // namespace tidemark
