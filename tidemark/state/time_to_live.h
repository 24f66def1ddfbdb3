// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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
  enum class Clock : std::uint8_t { kProcessingTime, kEventTime };

  Millis ttl = 0;  // milliseconds; 0: for ever
  Update update = Update::kOnWrite;
  Visibility visibility = Visibility::kNeverExpired;
  Clock clock = Clock::kProcessingTime;

  bool enabled() const noexcept { return ttl > 0; }
};

}  // namespace tidemark
