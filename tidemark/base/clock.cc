// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/clock.h"

#include <chrono>

namespace tidemark {

ProcessingTime SystemClock::now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t SystemClock::monotonic_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace tidemark
