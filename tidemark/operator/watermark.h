// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/base/time.h"
#include "tidemark/data/batch.h"
#include "tidemark/expr/expression.h"

namespace tidemark {

/// Derives watermarks from the event times of one split. Convention (ARCHITECTURE.md, "Time"):
/// watermark W promises that no row with event time < W is still to come. One thread.
class WatermarkGenerator {
 public:
  virtual ~WatermarkGenerator() = default;

  /// Sees the rows in order. `watermarks` is empty when only current() is wanted; otherwise
  /// `watermarks[i]` receives the promise that holds after row i: never falling, below kMaxTime. A
  /// time of kMinTime or kMaxTime is no time and moves nothing.
  virtual void observe(const Batch& batch, std::span<EventTime> watermarks) = 0;
  /// The promise after everything observed so far; kMinTime before the first row.
  virtual EventTime current() const = 0;

  /// The generator's position: what it needs to go on as if it had seen all rows so far.
  virtual void snapshot(ByteWriter& out) const = 0;
  virtual void restore(ByteReader& in) = 0;
};

/// When a source sends its watermark on (`scan.watermark.emit.strategy`).
enum class WatermarkEmission : std::uint8_t {
  kPerBatch,  // after each batch (Flink's on-periodic, at a finer period)
  kPerEvent,  // after each row that raises it (on-event): batches are split there
};

struct WatermarkStrategy {
  std::function<std::unique_ptr<WatermarkGenerator>()> make_generator;
  WatermarkEmission emission = WatermarkEmission::kPerBatch;
  Millis idle_after = 0;  // a split silent for so long does not hold others back; 0 is never
};

/// W = max(ts) - `bound`. A row is then late when it is more than `bound` behind.
WatermarkStrategy bounded_out_of_orderness(Millis bound);
/// W = max(ts): rows with equal times are not late.
WatermarkStrategy monotonous_timestamps();
/// SQL's WATERMARK FOR ts AS expr: W = expr + 1 ms, so that a window fires at the same row as on
/// Flink. The expression is a TIMESTAMP, a TIMESTAMP_LTZ or a BIGINT of milliseconds over the rows'
/// schema; NULL moves nothing. A row for which it cannot be evaluated is a Failure.
WatermarkStrategy expression_watermark(ExpressionPtr expression);
/// A generator of the user's own.
WatermarkStrategy custom_watermarks(
    std::function<std::unique_ptr<WatermarkGenerator>()> make_generator);

/// Combines the watermarks of several inputs (channels of a gate, splits of a reader):
/// out = max(last out, min over active inputs); all idle: the max over all, then idle; an input
/// that wakes up is counted in again; a minimum over nothing is nothing, and no inputs are idle. An
/// input at kMaxTime has ended and takes no further part: the end of time is reached when all have
/// ended, never because the others are idle. Pure; one thread.
class WatermarkCombiner {
 public:
  explicit WatermarkCombiner(std::size_t inputs);

  /// Adds an input (a split found later); returns its index.
  std::size_t add_input();
  /// Each returns whether the combined watermark or the idle status changed. A watermark makes its
  /// input active.
  bool on_watermark(std::size_t input, EventTime watermark);
  bool on_status(std::size_t input, bool active);
  /// The input will send no more: it stands at kMaxTime for good.
  bool on_end(std::size_t input) { return on_watermark(input, kMaxTime); }

  EventTime watermark() const noexcept { return combined_; }
  bool idle() const noexcept { return idle_; }
  EventTime input_watermark(std::size_t input) const noexcept { return inputs_[input].watermark; }

 private:
  struct Input {
    EventTime watermark = kMinTime;
    bool active = true;

    bool ended() const noexcept { return watermark == kMaxTime; }
  };
  bool recompute();

  std::vector<Input> inputs_;
  EventTime combined_ = kMinTime;
  bool idle_;
};

}  // namespace tidemark
