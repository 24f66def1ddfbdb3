// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/watermark_assigner.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/state/memory_snapshot.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Writes down what it gets: "2 rows to 40" (the time of the last row), "W 30".
class Recorder final : public Output {
 public:
  void emit(BatchPtr batch) override {
    full_ = refusing;
    if (batch->rows() == 0) return;
    log.push_back(std::to_string(batch->rows()) + " rows to " +
                  std::to_string(batch->event_times()[batch->rows() - 1]));
  }
  void emit_side(OutputIndex side, BatchPtr batch) override {
    log.push_back(std::to_string(batch->rows()) + " rows aside to " + std::to_string(side));
  }
  void emit_watermark(EventTime watermark) override {
    log.push_back("W " + (watermark == kMaxTime ? "end" : std::to_string(watermark)));
  }
  bool ready() const override { return !std::exchange(full_, false); }

  bool refusing = false;
  std::vector<std::string> log;

 private:
  mutable bool full_ = false;
};

BatchPtr rows_at(const std::vector<std::optional<std::int64_t>>& times) {
  ColumnBuilder builder(DataType::timestamp(3));
  for (const auto& time : times) {
    if (time) {
      builder.append(*time);
    } else {
      builder.append_null();
    }
  }
  return std::make_shared<const Batch>(make_schema({{"seen_at", DataType::timestamp(3)}}),
                                       times.size(), std::vector{builder.finish()});
}

class WatermarkAssignerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Operator> make(WatermarkEmission emission,
                                 RecordErrorPolicy errors = RecordErrorPolicy::kFail) {
    WatermarkAssignerDescription description{
        .strategy = bounded_out_of_orderness(10), .rowtime = 0, .errors = errors};
    description.strategy.emission = emission;
    auto made = make_watermark_assigner(std::move(description));
    made->open(context_);
    return made;
  }
  std::vector<std::string> take_log() { return std::exchange(out_.log, {}); }

  OperatorMetrics metrics_;
  OperatorContext context_{.uid = "times-1", .metrics = &metrics_};
  Recorder out_;
};

TEST_F(WatermarkAssignerTest, PerBatchTheWatermarkFollowsTheBatch) {
  const auto assigner = make(WatermarkEmission::kPerBatch);
  EXPECT_EQ(assigner->process(rows_at({30, 50, 40}), 0, out_), Step::kDone);
  EXPECT_EQ(assigner->process(rows_at({45}), 0, out_), Step::kDone);
  EXPECT_THAT(take_log(), ElementsAre("3 rows to 40", "W 40", "1 rows to 45"));
}

TEST_F(WatermarkAssignerTest, PerEventBatchesAreSplitWhereThePromiseRises) {
  const auto assigner = make(WatermarkEmission::kPerEvent);
  EXPECT_EQ(assigner->process(rows_at({30, 25, 50, 40, 45}), 0, out_), Step::kDone);
  EXPECT_THAT(take_log(),
              ElementsAre("1 rows to 30", "W 20", "2 rows to 50", "W 40", "2 rows to 45"));
}

TEST_F(WatermarkAssignerTest, AFullOutputIsWaitedFor) {
  const auto assigner = make(WatermarkEmission::kPerEvent);
  out_.refusing = true;
  EXPECT_EQ(assigner->process(rows_at({30, 40, 35}), 0, out_), Step::kMore);
  EXPECT_THAT(take_log(), ElementsAre("1 rows to 30", "W 20"));
  EXPECT_EQ(assigner->resume(out_), Step::kMore);
  EXPECT_THAT(take_log(), ElementsAre("1 rows to 40", "W 30"));
  EXPECT_EQ(assigner->resume(out_), Step::kDone);
  EXPECT_THAT(take_log(), ElementsAre("1 rows to 35"));
}

TEST_F(WatermarkAssignerTest, OfUpstreamsWatermarksOnlyTheEndPasses) {
  const auto assigner = make(WatermarkEmission::kPerBatch);
  assigner->on_watermark(1000, out_);
  EXPECT_THAT(take_log(), IsEmpty());
  assigner->on_watermark(kMaxTime, out_);
  EXPECT_THAT(take_log(), ElementsAre("W end"));
}

TEST_F(WatermarkAssignerTest, AfterARestoreThePromiseIsMadeAgainFirst) {
  MemorySnapshot snapshot;
  for (const std::int64_t newest : {70, 50}) {
    const auto assigner = make(WatermarkEmission::kPerEvent);
    assigner->process(rows_at({newest}), 0, out_);
    snapshot.take(*assigner->snapshot(1));
  }
  take_log();
  const auto restored = make(WatermarkEmission::kPerEvent);
  restored->restore(MemorySnapshotReader(snapshot));
  restored->process(rows_at({20, 51}), 0, out_);
  EXPECT_THAT(take_log(), ElementsAre("W 40", "2 rows to 51", "W 41")) << "the slower of the two";
}

TEST_F(WatermarkAssignerTest, ANullTimeFailsTheJobNamingTheColumn) {
  const auto assigner = make(WatermarkEmission::kPerBatch);
  try {
    assigner->process(rows_at({1, std::nullopt}), 0, out_);
    FAIL() << "took a NULL for a time";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("'seen_at' is NULL"));
    EXPECT_THAT(failure.what(), HasSubstr("times-1"));
  }
}

TEST_F(WatermarkAssignerTest, ANullTimeIsSkippedOrKeptByPolicy) {
  const auto skipping = make(WatermarkEmission::kPerBatch, RecordErrorPolicy::kSkip);
  skipping->process(rows_at({std::nullopt, 20, std::nullopt}), 0, out_);
  EXPECT_THAT(take_log(), ElementsAre("1 rows to 20", "W 10"));
  EXPECT_EQ(metrics_.rejected_skipped.get(), 2u);

  const auto keeping = make(WatermarkEmission::kPerBatch, RecordErrorPolicy::kDeadLetter);
  keeping->process(rows_at({std::nullopt}), 0, out_);
  EXPECT_THAT(take_log(), ElementsAre("1 rows aside to 1"));
  EXPECT_EQ(metrics_.rejected_dead_letter.get(), 1u);
}

}  // namespace
}  // namespace tidemark
