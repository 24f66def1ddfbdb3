// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/key_stream.h"
#include "bench/window_loops.h"
#include "tidemark/base/clock.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"
#include "tidemark/window/window_description.h"

namespace tidemark::bench {

/// The checksum of a batch of window results (key, sum, count, ..., window_start, window_end,
/// window_time).
void add_results(const Batch& batch, ResultChecksum& checksum);

/// The engine's window operator with its state in memory, driven on the caller's thread as a task
/// drives it; results go to their checksum and nowhere else.
class WindowEngine final : private Output {
 public:
  /// The tumbling windows of the loops, or sessions with `session_gap`: SUM and COUNT.
  explicit WindowEngine(const KeyStream& stream, Millis session_gap = 0);
  /// `functions` of the value column, SUM and COUNT first: what is checked.
  WindowEngine(const KeyStream& stream, const WindowDescription& windows,
               const std::vector<std::string>& functions);

  void process(const BatchPtr& batch) { finish(operator_->process(batch, 0, *this)); }
  void on_watermark(EventTime watermark) { finish(operator_->on_watermark(watermark, *this)); }
  std::uint64_t take_checksum();

 private:
  WindowEngine(const KeyStream& stream, const WindowDescription& windows, Millis session_gap,
               const std::vector<std::string>& functions);
  void emit(BatchPtr batch) override { add_results(*batch, checksum_); }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return true; }
  void finish(Step step) {
    while (step == Step::kMore) step = operator_->resume(*this);
  }

  ManualClock clock_;
  OperatorMetrics metrics_;
  std::unique_ptr<KeyedStateBackend> state_;
  OperatorContext context_;
  ResultChecksum checksum_;
  std::unique_ptr<Operator> operator_;
};

/// The same query as a job on the runtime, from start to end: a source that hands out the stream's
/// batches, watermarks of its own, the key-by, the window operator, a sink; on one core.
std::uint64_t run_window_job(const KeyStream& stream);

}  // namespace tidemark::bench
