// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"
#include "tidemark/state/keyed_state.h"

// Harnesses for unit tests: an operator, or a pipeline (api/stream_harness.h), is called directly,
// on the test's thread, with a clock that stands still. No threads, sleeps or files.

namespace tidemark {

struct HarnessOptions {
  std::string uid = "operator";
  std::uint32_t subtask = 0;
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
  bool keyed_state = true;  // a hashmap backend for the subtask's key groups
  /// Refuses every other time that the operator asks whether its output is ready, so that its
  /// Step::kMore is tested.
  bool refuse_every_other = false;
  ProcessingTime now = 0;
};

/// Something that an operator said: a batch on an output, or a watermark.
struct HarnessElement {
  OutputIndex output = kMainOutput;
  BatchPtr batch;  // null for a watermark
  EventTime watermark = kMinTime;
};

/// One subtask of an operator, called as its task would call it.
///   OperatorHarness harness([] { return make_my_operator(); });
///   harness.push(batch);
///   harness.advance_watermark(10'000);
///   EXPECT_EQ(harness.take_rows<Out>(), ...);
/// One thread.
class OperatorHarness {
 public:
  using Factory = std::function<std::unique_ptr<Operator>()>;

  explicit OperatorHarness(const Factory& make, HarnessOptions options = {});
  /// A new subtask, restored from the snapshots of all subtasks that there were, whose number may
  /// be another than options.parallelism.
  OperatorHarness(const Factory& make, HarnessOptions options,
                  std::span<const std::string> snapshots);
  ~OperatorHarness();
  OperatorHarness(OperatorHarness&&) noexcept;
  OperatorHarness& operator=(OperatorHarness&&) noexcept;

  /// Rows, after the last watermark and before the next. Empty batches are left out, as a task
  /// does.
  void push(const BatchPtr& batch, std::size_t input = 0);
  /// The same by value, with an event time each (or none).
  template <typename T>
  void push_rows(const std::vector<T>& rows, const std::vector<EventTime>& times = {},
                 std::size_t input = 0) {
    RecordWriter<T> writer;
    for (const T& row : rows) writer.append(row);
    push(writer.finish(times.empty() ? nullptr : make_time_column(times.data(), times.size())),
         input);
  }
  /// The combined watermark of all inputs; one that does not rise is left out, as a task does.
  void advance_watermark(EventTime watermark);
  /// Moves the clock, stopping at each time that the operator asked for.
  void advance_processing_time(Millis by);
  /// The end of every input: a watermark of kMaxTime, then finish and close.
  void finish();

  /// All state of the subtask, as a checkpoint would hold it.
  std::string snapshot();
  /// The same, but only the freezing: write_snapshot_part writes about `bytes_max` more of it (true
  /// when it is done, and `bytes` is then the snapshot), while rows may be pushed in between.
  void begin_snapshot();
  bool write_snapshot_part(std::size_t bytes_max, std::string& bytes);

  /// What the operator said since the last take, in order.
  std::vector<HarnessElement> take_elements() { return std::exchange(elements_, {}); }
  /// The batches of one output among it; the rest of it is forgotten.
  std::vector<BatchPtr> take_output(OutputIndex output = kMainOutput);
  template <typename T>
  std::vector<T> take_rows(OutputIndex output = kMainOutput) {
    std::vector<T> rows;
    for (const BatchPtr& batch : take_output(output)) {
      for (T& row : read_records<T>(*batch)) rows.push_back(std::move(row));
      kept_.push_back(batch);
    }
    return rows;
  }

  /// The last watermark that the operator passed on.
  EventTime output_watermark() const noexcept { return output_watermark_; }
  const OperatorMetrics& metrics() const noexcept;
  /// Rows that came too late, dropped or handed to a side output.
  std::uint64_t late_rows() const noexcept;
  /// The first of them (operator/late_sample.h).
  std::vector<std::string> late_sample() const;
  ProcessingTime now() const;

 private:
  class RecordingOutput;
  struct Parts;

  void run(Step step);

  std::unique_ptr<Parts> parts_;
  std::vector<HarnessElement> elements_;
  std::vector<BatchPtr> kept_;  // what std::string_view members of rows handed out point into
  EventTime input_watermark_ = kMinTime;
  EventTime output_watermark_ = kMinTime;
};

}  // namespace tidemark
