// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_operator.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tidemark/base/error.h"
#include "tidemark/window/window_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t kKey = 7;

TEST(WindowOperatorTest, FiresWhenTheWatermarkReachesTheEnd) {
  TestSubtask window = window_subtask(tumbling(10'000));
  window.process({{1, 5, 0}, {2, 6, 9'999}, {1, 7, 3}, {1, 100, 10'000}});
  window.watermark(9'999);
  EXPECT_THAT(window.take_results(), IsEmpty());
  window.watermark(10'000);
  EXPECT_THAT(window.take_results(), UnorderedElementsAre(TestResult{{0, 10'000}, 1, 12, 2},
                                                          TestResult{{0, 10'000}, 2, 6, 1}));
  EXPECT_THAT(window.out.watermarks, ElementsAre(9'999, 10'000));
}

TEST(WindowOperatorTest, ResultsStandBeforeTheWatermarkAndCarryTheLastMillisecond) {
  TestSubtask window = window_subtask(tumbling(10));
  window.process({{1, 1, 5}});
  window.watermark(10);
  ASSERT_EQ(window.out.batches.size(), 1u);
  EXPECT_EQ(window.out.batches[0]->event_times()[0], 9);
}

TEST(WindowOperatorTest, WindowsFireInTheOrderOfTheirEnds) {
  TestSubtask window = window_subtask(tumbling(10));
  window.process({{1, 1, 35}, {1, 1, 5}, {1, 1, 25}, {1, 1, 15}, {1, 1, -5}});
  window.watermark(kMaxTime);
  const std::vector<TestResult> results = window.take_results();
  ASSERT_EQ(results.size(), 5u);
  EXPECT_TRUE(std::is_sorted(results.begin(), results.end()));
  EXPECT_EQ(window.out.last_watermark, kMaxTime);
}

// Conformance vector 8 (+1): a row is late when its window has fired.
TEST(WindowOperatorTest, ARowIsLateWhenItsWindowHasFired) {
  TestSubtask window = window_subtask(tumbling(10'000));
  window.watermark(9'999);
  window.process({{1, 1, 5'000}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
  window.watermark(10'000);
  EXPECT_EQ(window.take_results().size(), 1u);
  window.process({{1, 1, 5'000}, {1, 1, 10'000}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  window.watermark(20'000);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{10'000, 20'000}, 1, 1, 1}));
}

TEST(WindowOperatorTest, LateRowsGoToTheSideOutputAsTheyCame) {
  WindowOperatorDescription description = tumbling(10);
  description.late_side_output = true;
  TestSubtask window = window_subtask(description);
  window.watermark(20);
  window.process({{1, 10, 12}, {2, 20, 25}, {3, 30, 3}, {4, 40, 19}});
  ASSERT_EQ(window.out.side.size(), 1u);
  const Batch& late = *window.out.side[0];
  ASSERT_EQ(late.rows(), 3u);
  const std::vector<std::int64_t> keys(late.column(0).values<std::int64_t>(),
                                       late.column(0).values<std::int64_t>() + 3);
  EXPECT_THAT(keys, ElementsAre(1, 3, 4));
  EXPECT_EQ(late.event_times()[1], 3);
  EXPECT_EQ(window.metrics.late_side_output.get(), 3u);
  EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
}

// Conformance vectors 9 and 10 (+1).
TEST(WindowOperatorTest, AllowedLatenessFiresTheWholeWindowAgainForTheLateKeys) {
  TestSubtask window = window_subtask(tumbling(10'000, 0, 5'000));
  window.process({{1, 1, 1'000}, {2, 2, 2'000}});
  window.watermark(14'999);
  EXPECT_EQ(window.take_results().size(), 2u);
  window.process({{1, 10, 5'000}, {1, 10, 5'001}});
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10'000}, 1, 21, 3}));
  window.watermark(15'000);
  window.process({{1, 10, 5'000}});
  EXPECT_THAT(window.take_results(), IsEmpty());
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  MemorySnapshot snapshot;
  window.snapshot(snapshot);
  EXPECT_TRUE(snapshot.find("window-slices")->blocks.empty()) << "the state was freed";
}

// B06: a jump to the year 2100 enumerates no empty window.
TEST(WindowOperatorTest, B06AJumpOfTheWatermarkCostsNothing) {
  constexpr Millis kDelay = 5'000;
  const std::vector<EventTime> times = {1700000000000, 4102444800000, 1700000010000, 1700000035000,
                                        1700000100000};
  for (const WindowDescription shape :
       {WindowDescription{60'000, 60'000, 0, 0}, WindowDescription{2'000, 1'000, 0, 0}}) {
    WindowOperatorDescription description = tumbling(60'000);
    description.window = shape;
    TestSubtask window = window_subtask(description);
    EventTime newest = kMinTime;
    for (const EventTime time : times) {
      window.process({{kKey, 1, time}});
      newest = std::max(newest, time);
      window.watermark(newest - kDelay);
    }
    const std::size_t windows_a_row = shape.size / shape.slide;
    EXPECT_EQ(window.take_results().size(), windows_a_row);
    EXPECT_EQ(window.metrics.late_dropped.get(), 3u);
    window.watermark(kMaxTime);
    EXPECT_EQ(window.take_results().size(), windows_a_row);
  }
}

// B07 (a).
TEST(WindowOperatorTest, B07TimesBefore1970) {
  TestSubtask window = window_subtask(tumbling(5000));
  window.process({{1, 0, -1}, {1, 0, -5000}, {1, 0, -5001}, {1, 0, 0}, {1, 0, 4999}});
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(),
              ElementsAre(TestResult{{-10000, -5000}, 1, 0, 1}, TestResult{{-5000, 0}, 1, 0, 2},
                          TestResult{{0, 5000}, 1, 0, 2}));
}

// B09: rows in gaps are counted as unassigned, not as late.
TEST(WindowOperatorTest, B09HoppingWindowsWithGapsAndOverlaps) {
  WindowOperatorDescription description = tumbling(2000);
  description.window.slide = 5000;
  TestSubtask gaps = window_subtask(description);
  gaps.process({{1, 1, 3000}, {1, 2, 6000}});
  gaps.watermark(kMaxTime);
  EXPECT_THAT(gaps.take_results(), ElementsAre(TestResult{{5000, 7000}, 1, 2, 1}));
  EXPECT_EQ(gaps.metrics.unassigned.get(), 1u);
  EXPECT_EQ(gaps.metrics.late_dropped.get(), 0u);

  description.window = {7500, 7000, 0, 0};
  TestSubtask overlaps = window_subtask(description);
  overlaps.process({{1, 1, 730200}, {1, 10, 735300}});
  overlaps.watermark(kMaxTime);
  EXPECT_THAT(overlaps.take_results(), ElementsAre(TestResult{{728000, 735500}, 1, 11, 2},
                                                   TestResult{{735000, 742500}, 1, 10, 1}));
}

// B14 (a) (+1): E(1000) promises W = 1000; E(999) is late then and E(1000) is not.
TEST(WindowOperatorTest, B14ARowAtTheWatermarkIsNotLate) {
  TestSubtask window = window_subtask(tumbling(1000));
  window.process({{1, 1, 1000}});
  window.watermark(1000);
  window.process({{1, 1, 999}, {1, 1, 1000}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{1000, 2000}, 1, 2, 2}));
}

TEST(WindowOperatorTest, AHoppingRowThatIsLateForSomeWindowsCountsInTheOthers) {
  WindowOperatorDescription description = tumbling(10);
  description.window.slide = 5;
  TestSubtask window = window_subtask(description);
  window.process({{1, 1, 7}});
  window.watermark(10);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 1, 1, 1}));
  window.process({{1, 100, 8}, {1, 1000, 2}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  window.watermark(15);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{5, 15}, 1, 101, 2}));
}

TEST(WindowOperatorTest, AHoppingWindowFiresAgainWithAllItsSlices) {
  WindowOperatorDescription description = tumbling(10, 0, 100);
  description.window.slide = 5;
  TestSubtask window = window_subtask(description);
  window.process({{1, 1, 1}, {1, 10, 6}, {2, 5, 1}});
  window.watermark(10);
  EXPECT_EQ(window.take_results().size(), 4u);  // [-5, 5) and [0, 10), two keys
  window.process({{1, 100, 7}});
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 1, 111, 3}));
}

// Every way of making windows of several slices, and rows that are late for some of them (B13).
TEST(WindowOperatorTest, B13ALateRowCountsInTheWindowsThatAreStillOpen) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = tumbling(20);
    description.window.slide = 5;
    TestSubtask window = window_subtask(description, 0, 1, merging);
    window.process({{1, 3, 1}, {1, 5, 6}, {2, 7, 6}, {1, 9, 12}});
    window.watermark(15);
    window.take_results();
    window.process({{1, 100, 7}, {3, 50, 3}});
    window.watermark(30);
    std::vector<TestResult> results = window.take_results();
    for (TestResult& result : results) result.sum = 0;  // ordered sums differ
    EXPECT_THAT(results,
                UnorderedElementsAre(TestResult{{0, 20}, 1, 0, 4}, TestResult{{0, 20}, 2, 0, 1},
                                     TestResult{{0, 20}, 3, 0, 1}, TestResult{{5, 25}, 1, 0, 3},
                                     TestResult{{5, 25}, 2, 0, 1}, TestResult{{10, 30}, 1, 0, 1}));
    EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
  }
}

TEST(WindowOperatorTest, ASlidingWindowGivesUpItsState) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = tumbling(20);
    description.window.slide = 5;
    TestSubtask window = window_subtask(description, 0, 1, merging);
    window.process({{1, 3, 1}, {1, 5, 6}});
    window.watermark(25);
    MemorySnapshot snapshot;
    window.snapshot(snapshot);
    EXPECT_EQ(window.take_results().size(), 5u);
    window.watermark(26);
    EXPECT_TRUE(window.take_results().empty());
    MemorySnapshot after;
    window.snapshot(after);
    EXPECT_TRUE(after.find("window-slices")->blocks.empty());
  }
}

// flink_semantics 2.9: a cumulating window speaks at every step to the end of its period, new rows
// or not.
TEST(WindowOperatorTest, CumulatingWindowsGrowToTheEndOfTheirPeriod) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = tumbling(6);
    description.window = {6, 2, 0, 0, WindowShape::kCumulating};
    TestSubtask window = window_subtask(description, 0, 1, merging);
    window.process({{1, 1, 1}, {1, 1, 2}, {2, 1, 7}});
    window.watermark(8);
    std::vector<TestResult> results = window.take_results();
    for (TestResult& result : results) result.sum = 0;
    EXPECT_THAT(results, ElementsAre(TestResult{{0, 2}, 1, 0, 1}, TestResult{{0, 4}, 1, 0, 2},
                                     TestResult{{0, 6}, 1, 0, 2}, TestResult{{6, 8}, 2, 0, 1}));
    window.process({{1, 1, 6}, {1, 1, 5}});
    EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
    window.watermark(kMaxTime);
    results = window.take_results();
    for (TestResult& result : results) result.sum = 0;
    EXPECT_THAT(results,
                UnorderedElementsAre(TestResult{{6, 10}, 1, 0, 1}, TestResult{{6, 10}, 2, 0, 1},
                                     TestResult{{6, 12}, 1, 0, 1}, TestResult{{6, 12}, 2, 0, 1}));
  }
}

TEST(WindowOperatorTest, ALargeFiringOfSeveralSlicesStopsWhereTheOutputIsFull) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = tumbling(10);
    description.window.slide = 5;
    TestSubtask window = window_subtask(description, 0, 1, merging);
    std::vector<TestRow> rows;
    for (std::int64_t key = 0; key < 5000; ++key) rows.push_back({key, 1, key % 2 == 0 ? 4 : 5});
    window.process(rows);
    window.out.refusing = true;
    Step step = window.get().on_watermark(10, window.out);
    std::size_t emitted = 0;
    for (; step == Step::kMore; step = window.get().resume(window.out)) {
      EXPECT_LE(window.out.batches.size(), emitted + 1) << "a batch without room for it";
      emitted = window.out.batches.size();
    }
    EXPECT_EQ(window.take_results().size(), 7500u);
    EXPECT_THAT(window.out.watermarks, ElementsAre(10));
  }
}

TEST(WindowOperatorTest, AFiringForLateRowsStopsWhereTheOutputIsFull) {
  TestSubtask window = window_subtask(tumbling(10, 0, 100));
  std::vector<TestRow> rows;
  for (std::int64_t key = 0; key < 3000; ++key) rows.push_back({key, 1, 5});
  window.watermark(20);
  window.out.refusing = true;
  Step step = window.get().process(test_batch(rows), 0, window.out);
  EXPECT_EQ(step, Step::kMore);
  EXPECT_EQ(window.out.batches.size(), 1u);
  while (step == Step::kMore) step = window.get().resume(window.out);
  EXPECT_EQ(window.take_results().size(), 3000u);
  EXPECT_THAT(window.out.watermarks, ElementsAre(20));
}

TEST(WindowOperatorTest, ALargeFiringComesInBatchesAndStopsWhereTheOutputIsFull) {
  TestSubtask window = window_subtask(tumbling(10));
  std::vector<TestRow> rows;
  for (std::int64_t key = 0; key < 5000; ++key) rows.push_back({key, 1, 5});
  window.process(rows);
  window.out.refusing = true;
  Step step = window.get().on_watermark(10, window.out);
  EXPECT_EQ(step, Step::kMore);
  EXPECT_EQ(window.out.batches.size(), 1u);
  EXPECT_THAT(window.out.watermarks, IsEmpty());
  std::size_t steps = 0;
  for (; step == Step::kMore; ++steps) step = window.get().resume(window.out);
  EXPECT_EQ(steps, 5u);
  for (const BatchPtr& batch : window.out.batches) EXPECT_LE(batch->rows(), kDefaultBatchRows);
  EXPECT_THAT(window.out.watermarks, ElementsAre(10));
  EXPECT_EQ(window.take_results().size(), 5000u);
}

TEST(WindowOperatorTest, WhatWasLateBeforeARestoreIsLateAfterIt) {
  TestSubtask before = window_subtask(tumbling(10));
  before.process({{1, 1, 5}, {1, 2, 15}});
  before.watermark(10);
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  for (const std::uint32_t parallelism : {1u, 3u}) {
    std::uint64_t late = 0;
    std::vector<TestResult> results;
    for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
      TestSubtask after = window_subtask(tumbling(10), subtask, parallelism);
      after.restore(snapshot);
      const BatchPtr row = test_batch({{1, 1, 5}, {1, 4, 16}});
      KeyBatch keys;
      KeyCodec({0}, {DataType::big_int().with_nullable(false)}).encode(*row, keys);
      const KeyGroup group = key_group_of(keys.hashes[0], kDefaultMaxParallelism);
      if (subtask_of(group, parallelism, kDefaultMaxParallelism) == subtask) after.process(row);
      after.watermark(20);
      late += after.metrics.late_dropped.get();
      for (const TestResult& result : after.take_results()) results.push_back(result);
    }
    EXPECT_EQ(late, 1u);
    EXPECT_THAT(results, ElementsAre(TestResult{{10, 20}, 1, 6, 2}));
  }
}

TEST(WindowOperatorTest, ARestoreTakesTheSlowestWatermark) {
  MemorySnapshot snapshot;
  TestSubtask first = window_subtask(tumbling(10), 0, 2);
  TestSubtask second = window_subtask(tumbling(10), 1, 2);
  first.watermark(30);
  second.watermark(20);
  first.snapshot(snapshot);
  second.snapshot(snapshot);
  TestSubtask restored = window_subtask(tumbling(10));
  restored.restore(snapshot);
  restored.process({{1, 1, 19}, {1, 1, 20}});
  EXPECT_EQ(restored.metrics.late_dropped.get(), 1u);
}

std::string failure_of(const BatchPtr& batch) {
  TestSubtask window = window_subtask(tumbling(10));
  try {
    window.process(batch);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

TEST(WindowOperatorTest, RowsWithoutEventTimesAreAFailure) {
  const BatchPtr timed = test_batch({{1, 1, 1}});
  const auto untimed =
      std::make_shared<const Batch>(timed->schema_ptr(), timed->rows(), timed->columns());
  for (const BatchPtr& batch : {BatchPtr(untimed), test_batch({{1, 1, 1}, {1, 1, kMinTime}})}) {
    EXPECT_THAT(failure_of(batch), HasSubstr("no event time"));
    EXPECT_THAT(failure_of(batch), HasSubstr("window-1"));
  }
}

TEST(WindowOperatorTest, ChangesOfEarlierRowsAreAFailure) {
  const BatchPtr rows = test_batch({{1, 1, 1}});
  ColumnBuilder kinds(DataType::tiny_int().with_nullable(false));
  kinds.append<std::int8_t>(static_cast<std::int8_t>(RowKind::kDelete));
  EXPECT_THAT(failure_of(std::make_shared<const Batch>(rows->schema_ptr(), 1, rows->columns(),
                                                       rows->event_times_ptr(), kinds.finish())),
              HasSubstr("updates or deletes"));
}

TEST(WindowOperatorTest, WindowsOfAnotherSizeAreRefusedInARestore) {
  TestSubtask before = window_subtask(tumbling(10));
  before.process({{1, 1, 5}});
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  TestSubtask after = window_subtask(tumbling(20));
  try {
    after.restore(snapshot);
    FAIL() << "restored";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kCheckpointMismatch);
    EXPECT_THAT(failure.what(), HasSubstr("windows of 10 ms"));
    EXPECT_THAT(failure.what(), HasSubstr("windows of 20 ms"));
  }
}

TEST(WindowOperatorTest, NoKeyColumnsAreOneGroup) {
  WindowOperatorDescription description = tumbling(10);
  description.key_columns.clear();
  description.key_types.clear();
  TestSubtask window = window_subtask(description);
  window.process({{1, 1, 5}, {2, 2, 6}});
  window.watermark(10);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 0, 3, 2}));
}

TEST(WindowOperatorDeathTest, ASnapshotWithinAFiringIsABug) {
  TestSubtask window = window_subtask(tumbling(10));
  std::vector<TestRow> rows;
  for (std::int64_t key = 0; key < 3000; ++key) rows.push_back({key, 1, 5});
  window.process(rows);
  window.out.refusing = true;
  ASSERT_EQ(window.get().on_watermark(10, window.out), Step::kMore);
  EXPECT_DEATH(window.get().snapshot(1), "between two steps");
}

}  // namespace
}  // namespace tidemark
