// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tidemark/operator/watermark_assigner.h"
#include "tidemark/state/key.h"
#include "tidemark/window/window_fixture.h"

namespace tidemark {

/// Rows -> watermarks -> keyed windows, on any number of subtasks: what a job does with them,
/// without a runtime. Rows of a key go to the subtask that owns its key group; watermarks go to
/// all.
class WindowPipeline {
 public:
  struct Shape {
    WindowOperatorDescription window;
    /// Where given, makes each subtask's operator instead of `window`.
    std::function<std::unique_ptr<Operator>()> make_operator;
    WatermarkStrategy watermarks;
    std::uint32_t parallelism = 1;
    bool refusing_outputs = false;
    Merging merging = Merging::kMerge;
  };

  explicit WindowPipeline(const Shape& shape)
      : codec_({0}, {DataType::big_int().with_nullable(false)}),
        assigner_(make_watermark_assigner({.strategy = shape.watermarks})) {
    for (std::uint32_t subtask = 0; subtask < shape.parallelism; ++subtask) {
      windows_.push_back(std::make_unique<TestSubtask>(
          shape.make_operator
              ? shape.make_operator()
              : make_window_operator(shape.window, make_test_aggregator(shape.merging)),
          subtask, shape.parallelism));
      windows_.back()->out.refusing = shape.refusing_outputs;
    }
    assigner_.out.refusing = shape.refusing_outputs;
    assigner_.out.on_batch = [this](const BatchPtr& batch) { route(batch); };
    assigner_.out.on_watermark = [this](EventTime watermark) {
      for (const auto& window : windows_) window->watermark(watermark);
    };
  }

  void process(const std::vector<TestRow>& rows) { assigner_.process(test_batch(rows)); }
  void end_of_input() { assigner_.watermark(kMaxTime); }

  MemorySnapshot snapshot() {
    MemorySnapshot snapshot;
    assigner_.snapshot(snapshot);
    for (const auto& window : windows_) window->snapshot(snapshot);
    return snapshot;
  }
  void restore(const MemorySnapshot& snapshot) {
    assigner_.restore(snapshot);
    for (const auto& window : windows_) window->restore(snapshot);
  }

  /// In each subtask's order, one subtask after the other.
  std::vector<TestResult> take_results() {
    std::vector<TestResult> all;
    for (const auto& window : windows_)
      for (const TestResult& result : window->take_results()) all.push_back(result);
    return all;
  }
  /// The same with the row kinds of a changelog.
  std::vector<std::pair<RowKind, TestResult>> take_changes() {
    std::vector<std::pair<RowKind, TestResult>> all;
    for (const auto& window : windows_)
      for (const BatchPtr& batch : std::exchange(window->out.batches, {})) {
        const std::int8_t* kinds = batch->row_kinds();
        for (const TestResult& result : results_of({batch}))
          all.emplace_back(kinds == nullptr ? RowKind::kInsert : static_cast<RowKind>(*kinds++),
                           result);
      }
    return all;
  }
  const std::vector<EventTime>& watermarks() const { return assigner_.out.watermarks; }
  std::uint64_t late() const {
    std::uint64_t late = 0;
    for (const auto& window : windows_) late += window->metrics.late_dropped.get();
    return late;
  }
  std::uint64_t unassigned() const {
    std::uint64_t rows = 0;
    for (const auto& window : windows_) rows += window->metrics.unassigned.get();
    return rows;
  }

 private:
  void route(const BatchPtr& batch) {
    codec_.encode(*batch, keys_);
    const auto parallelism = static_cast<std::uint32_t>(windows_.size());
    for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
      std::vector<RowIndex> rows;
      for (RowIndex row = 0; row < batch->rows(); ++row) {
        const KeyGroup group = key_group_of(keys_.hashes[row], kDefaultMaxParallelism);
        if (subtask_of(group, parallelism, kDefaultMaxParallelism) == subtask) rows.push_back(row);
      }
      if (!rows.empty()) windows_[subtask]->process(gather(*batch, rows));
    }
  }

  KeyCodec codec_;
  KeyBatch keys_;
  TestSubtask assigner_;
  std::vector<std::unique_ptr<TestSubtask>> windows_;
};

}  // namespace tidemark
