// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/data/batch.h"

namespace tidemark {

/// Derives watermarks from the event times of one split. Convention (ARCHITECTURE.md, "Time"):
/// watermark W promises that no row with event time < W is still to come. One thread.
class WatermarkGenerator {
 public:
  virtual ~WatermarkGenerator() = default;

  /// Sees the rows' event times in order. Row i is followed by the watermark after(i), where
  /// `watermarks[i]` receives it: the running promise, never falling.
  virtual void observe(const Batch& batch, std::span<EventTime> watermarks) = 0;
  /// The promise after everything observed so far; kMinTime before the first row.
  virtual EventTime current() const = 0;
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

/// Combines the watermarks of several inputs (channels of a gate, splits of a reader):
/// out = max(last out, min over active inputs); all idle: the max over all, then idle; an input that
/// wakes up is counted in again; a minimum over nothing is nothing. Pure; one thread.
class WatermarkCombiner {
 public:
  explicit WatermarkCombiner(std::size_t inputs);

  /// Adds an input (a split found later); returns its index.
  std::size_t add_input();
  /// Each returns whether the combined watermark or the idle status changed.
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
  };
  bool recompute();

  std::vector<Input> inputs_;
  EventTime combined_ = kMinTime;
  bool idle_ = false;
};

}  // namespace tidemark
