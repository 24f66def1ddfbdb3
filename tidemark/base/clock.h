// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/base/time.h"

namespace tidemark {

/// Seam one of four: the only way to read time. Implementations are thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Wall-clock time, for processing time and time stamps shown to people. May jump.
  virtual ProcessingTime now() const = 0;

  /// Nanoseconds since some fixed point, never going back. For durations and deadlines.
  virtual std::int64_t monotonic_ns() const = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  ProcessingTime now() const override;
  std::int64_t monotonic_ns() const override;
};

/// A clock that stands still until told to move. For tests and the harness.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(ProcessingTime now = 0) : now_(now) {}

  ProcessingTime now() const override { return now_; }
  std::int64_t monotonic_ns() const override { return elapsed_ns_; }

  void advance(Millis by) {
    now_ += by;
    elapsed_ns_ += by * 1'000'000;
  }

 private:
  ProcessingTime now_;
  std::int64_t elapsed_ns_ = 0;
};

}  // namespace tidemark
