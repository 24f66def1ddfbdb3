// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/verify_operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "tidemark/data/value.h"

namespace tidemark {
namespace {

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
// Of a snapshot that is written between rows: so little a step that most of it comes after them.
constexpr std::size_t kSlowBytes = 16;

enum class Snapshots { kNone, kTaken, kRestoredAtEach, kRestoredAtEverySecond };

struct Way {
  std::size_t batch_rows;
  Snapshots snapshots;
  bool refuse_every_other;

  std::string describe() const {
    static constexpr const char* kNames[] = {"no snapshot", "snapshots", "restore at each step",
                                             "restore at every second step"};
    const std::string rows = batch_rows == kWhole ? std::string("whole batches")
                                                  : "batches of " + std::to_string(batch_rows);
    return rows + ", " + kNames[static_cast<int>(snapshots)] +
           (refuse_every_other ? ", outputs that refuse" : "");
  }
};

struct Outcome {
  VerifiedRows rows;
  EventTime watermark = kMinTime;
  std::uint64_t late = 0;
  std::uint64_t filtered = 0;
};

std::string row_text(const Batch& batch, std::size_t row) {
  std::string text;
  for (std::size_t column = 0; column < batch.columns().size(); ++column)
    text += (column == 0 ? "" : ", ") + to_string(value_at(batch.column(column), row));
  if (batch.event_times() != nullptr) text += " @" + std::to_string(batch.event_times()[row]);
  if (batch.row_kinds() != nullptr) text += " kind " + std::to_string(batch.row_kinds()[row]);
  return text;
}

// One operator under one way of running it.
class Run {
 public:
  Run(const OperatorHarness::Factory& make, Way way, const VerifyOptions& options)
      : make_(make), way_(way), options_(options.harness), outputs_(options.outputs) {
    options_.refuse_every_other = way.refuse_every_other;
    harness_.emplace(make_, options_);
    outcome_.rows.resize(outputs_);
  }

  Outcome run(const std::vector<VerifyStep>& steps) {
    for (const VerifyStep& step : steps) take_step(step);
    write_rest_of_snapshot();
    harness_->finish();
    keep_output();
    keep_counts();
    outcome_.watermark = harness_->output_watermark();
    for (auto& rows : outcome_.rows) std::sort(rows.begin(), rows.end());
    return std::move(outcome_);
  }

 private:
  void take_step(const VerifyStep& step) {
    if (const auto* rows = std::get_if<VerifyRows>(&step)) {
      push_in_pieces(*rows);
    } else if (const auto* watermark = std::get_if<VerifyWatermark>(&step)) {
      harness_->advance_watermark(watermark->time);
      between_steps();
    } else {
      harness_->advance_processing_time(std::get<VerifyProcessingTime>(step).advance);
      between_steps();
    }
  }

  void push_in_pieces(const VerifyRows& rows) {
    const std::size_t total = rows.batch->rows();
    for (std::size_t begin = 0; begin < total;) {
      const std::size_t count = std::min(way_.batch_rows, total - begin);
      harness_->push(slice(rows.batch, begin, count), rows.input);
      begin += count;
      between_steps();
    }
  }

  void between_steps() {
    keep_output();
    ++steps_;
    switch (way_.snapshots) {
      case Snapshots::kNone: return;
      case Snapshots::kTaken: return write_snapshot_slowly();
      case Snapshots::kRestoredAtEach: return restart();
      case Snapshots::kRestoredAtEverySecond:
        if (steps_ % 2 == 0) restart();
        return;
    }
  }

  void write_snapshot_slowly() {
    std::string bytes;
    if (!writing_) {
      harness_->begin_snapshot();
      writing_ = true;
    } else if (harness_->write_snapshot_part(kSlowBytes, bytes)) {
      writing_ = false;
    }
  }

  void write_rest_of_snapshot() {
    std::string bytes;
    while (writing_ && !harness_->write_snapshot_part(kSlowBytes, bytes)) continue;
    writing_ = false;
  }

  void restart() {
    const std::string snapshot = harness_->snapshot();
    keep_counts();
    HarnessOptions options = options_;
    options.now = harness_->now();
    harness_.emplace(make_, options, std::span(&snapshot, 1));
  }

  void keep_output() {
    for (const HarnessElement& element : harness_->take_elements()) {
      if (!element.batch || element.output >= outputs_) continue;
      for (std::size_t row = 0; row < element.batch->rows(); ++row)
        outcome_.rows[element.output].push_back(row_text(*element.batch, row));
    }
  }

  void keep_counts() {
    outcome_.late += harness_->late_rows();
    outcome_.filtered += harness_->metrics().filtered.get();
  }

  const OperatorHarness::Factory& make_;
  Way way_;
  HarnessOptions options_;
  OutputIndex outputs_;
  std::optional<OperatorHarness> harness_;
  Outcome outcome_;
  std::size_t steps_ = 0;
  bool writing_ = false;
};

void expect_same(const Outcome& outcome, const Outcome& plain, const Way& way) {
  EXPECT_EQ(outcome.rows, plain.rows) << way.describe();
  EXPECT_EQ(outcome.watermark, plain.watermark) << way.describe();
  EXPECT_EQ(outcome.late, plain.late) << way.describe();
  EXPECT_EQ(outcome.filtered, plain.filtered) << way.describe();
}

}  // namespace

VerifiedRows verify_operator(const OperatorHarness::Factory& make,
                             const std::vector<VerifyStep>& steps, VerifyOptions options) {
  const Outcome plain = Run(make, {kWhole, Snapshots::kNone, false}, options).run(steps);
  for (const std::size_t batch_rows : {std::size_t{1}, std::size_t{7}, kWhole}) {
    if (batch_rows != kWhole && !options.batch_sizes) continue;
    for (const Snapshots snapshots :
         {Snapshots::kNone, Snapshots::kTaken, Snapshots::kRestoredAtEach,
          Snapshots::kRestoredAtEverySecond}) {
      for (const bool refuse : {false, true}) {
        const Way way{batch_rows, snapshots, refuse};
        expect_same(Run(make, way, options).run(steps), plain, way);
      }
    }
  }
  return plain.rows;
}

}  // namespace tidemark
