// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "tidemark/runtime/job.h"

namespace tidemark {

/// Decides after each failure whether the job is started again, and when (restart-strategy.*).
/// Pure: time is handed in. One thread.
class RestartPolicy {
 public:
  explicit RestartPolicy(RestartConfig config) : config_(config) {}

  /// The delay before the next attempt; absent: the job fails.
  std::optional<Millis> on_failure(ProcessingTime now);

 private:
  std::optional<Millis> exponential(ProcessingTime now);
  std::optional<Millis> by_rate(ProcessingTime now);

  RestartConfig config_;
  std::uint32_t attempts_ = 0;
  Millis next_delay_ = 0;
  std::optional<ProcessingTime> last_failure_;
  std::deque<ProcessingTime> recent_;  // at most failures_per_interval + 1
};

}  // namespace tidemark
