// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "tidemark/base/time.h"
#include "tidemark/operator/late_sample.h"

namespace tidemark {

/// A count written by one thread and read by others without a lock.
class Counter {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Names in comments are those of Flink's metrics. For each operator the sum holds:
///   records_in = records absorbed or emitted + filtered + unassigned + late + rejected.
struct OperatorMetrics {
  Counter records_in;            // numRecordsIn
  Counter records_out;           // numRecordsOut, main output
  Counter bytes_in;              // numBytesIn; for sources, bytes read
  Counter filtered;              // rows a predicate removed
  Counter unassigned;            // rows in a gap between windows (slide > size)
  Counter late_dropped;          // numLateRecordsDropped
  Counter late_side_output;      // late rows that went to a side output
  LateSample late_sample;        // of both
  Counter rejected_skipped;      // bad records skipped by policy (numRecordsInErrors)
  Counter rejected_dead_letter;  // bad records kept by policy
  Counter nulled;                // emitted rows with a value that became NULL by policy
  std::atomic<EventTime> watermark{kMinTime};  // currentOutputWatermark + 1 (our convention)
};

/// Where a task's time goes, nanoseconds since its start (busyTimeMs, idleTimeMs,
/// backPressuredTimeMs).
struct TaskMetrics {
  Counter busy_ns;
  Counter idle_ns;
  Counter backpressured_ns;
};

}  // namespace tidemark
