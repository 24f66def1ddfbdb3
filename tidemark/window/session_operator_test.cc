// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/session_operator.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/window/session_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// Conformance vector 12: sessions that touch are one.
TEST(SessionOperatorTest, RowsAGapApartAreOneSession) {
  TestSubtask one = session_subtask(sessions(10));
  one.process({{1, 5, 0}, {1, 6, 10}});
  one.watermark(19);
  EXPECT_THAT(one.take_results(), IsEmpty());
  one.watermark(20);
  EXPECT_THAT(one.take_results(), ElementsAre(TestResult{{0, 20}, 1, 11, 2}));

  TestSubtask two = session_subtask(sessions(10));
  two.process({{1, 5, 0}, {1, 6, 11}});
  two.watermark(kMaxTime);
  EXPECT_THAT(two.take_results(),
              ElementsAre(TestResult{{0, 10}, 1, 5, 1}, TestResult{{11, 21}, 1, 6, 1}));
  EXPECT_EQ(stored_keys(two), 0u) << "the state was freed";
}

TEST(SessionOperatorTest, ResultsCarryTheLastMillisecondAndStandBeforeTheWatermark) {
  TestSubtask window = session_subtask(sessions(10));
  window.process({{1, 1, 5}});
  window.out.on_watermark = [&](EventTime) { EXPECT_THAT(window.out.batches, SizeIs(1)); };
  window.watermark(15);
  ASSERT_THAT(window.out.batches, SizeIs(1));
  EXPECT_EQ(window.out.batches[0]->event_times()[0], 14);
  EXPECT_THAT(window.out.watermarks, ElementsAre(15));
}

// Conformance vector 13 (+1): a late row that touches a live session is kept.
TEST(SessionOperatorTest, ALateRowThatTouchesALiveSessionIsKept) {
  TestSubtask kept = session_subtask(sessions(10));
  kept.process({{1, 1, 22}, {1, 2, 30}});
  kept.watermark(26);
  kept.process({{1, 10, 12}});
  EXPECT_EQ(kept.metrics.late_dropped.get(), 0u);
  kept.watermark(40);
  EXPECT_THAT(kept.take_results(), ElementsAre(TestResult{{12, 40}, 1, 13, 3}));

  TestSubtask alone = session_subtask(sessions(10));
  alone.watermark(26);
  alone.process({{1, 10, 12}});
  EXPECT_EQ(alone.metrics.late_dropped.get(), 1u);
  EXPECT_EQ(stored_keys(alone), 0u) << "a late row leaves nothing behind";
  alone.watermark(kMaxTime);
  EXPECT_THAT(alone.take_results(), IsEmpty());
}

TEST(SessionOperatorTest, ARowAloneIsLateWhenItsOwnSessionHasEnded) {
  TestSubtask window = session_subtask(sessions(10));
  window.watermark(22);
  window.process({{1, 1, 12}, {2, 1, 13}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  window.watermark(23);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{13, 23}, 2, 1, 1}));
}

// Conformance vector 14 (+1).
TEST(SessionOperatorTest, ALateRowBridgesSessionsThatHaveFired) {
  TestSubtask window = session_subtask(sessions(10, 100));
  window.process({{1, 1, 0}, {1, 2, 15}});
  window.watermark(25);
  EXPECT_THAT(window.take_results(),
              ElementsAre(TestResult{{0, 10}, 1, 1, 1}, TestResult{{15, 25}, 1, 2, 1}));
  window.process({{1, 4, 8}});
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 25}, 1, 7, 3}))
      << "fires at once with all contents";
  window.watermark(125);
  EXPECT_THAT(window.take_results(), IsEmpty());
  EXPECT_EQ(stored_keys(window), 0u) << "the state was freed";
}

// The other half of vector 14: what has not ended fires at its end.
TEST(SessionOperatorTest, ALateRowLetsAFiredSessionGrow) {
  TestSubtask window = session_subtask(sessions(10, 100));
  window.process({{1, 1, 0}, {1, 2, 15}});
  window.watermark(24);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 1, 1, 1}));
  window.process({{1, 4, 8}});
  EXPECT_THAT(window.take_results(), IsEmpty());
  window.watermark(25);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 25}, 1, 7, 3}));
}

TEST(SessionOperatorTest, AllowedLatenessKeepsFiredSessionsSoLong) {
  TestSubtask window = session_subtask(sessions(10, 5));
  window.process({{1, 1, 0}});
  window.watermark(14);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 1, 1, 1}));
  window.process({{1, 2, 0}, {1, 4, 0}});
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 10}, 1, 7, 3})) << "once a batch";
  window.watermark(15);
  EXPECT_EQ(stored_keys(window), 0u);
  window.process({{1, 8, 0}});
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
  // Not late by itself: the row begins a session that has ended already.
  window.process({{1, 16, 1}});
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{1, 11}, 1, 16, 1}));
}

TEST(SessionOperatorTest, LateRowsGoToTheSideOutputAsTheyCame) {
  SessionOperatorDescription description = sessions(10);
  description.late_side_output = true;
  TestSubtask window = session_subtask(description);
  window.watermark(100);
  window.process({{1, 10, 12}, {2, 20, 95}, {3, 30, 3}});
  ASSERT_THAT(window.out.side, SizeIs(1));
  const Batch& late = *window.out.side[0];
  ASSERT_EQ(late.rows(), 2u);
  EXPECT_EQ(late.column(1).value<std::int64_t>(1), 30);
  EXPECT_EQ(late.event_times()[0], 12);
  EXPECT_EQ(window.metrics.late_side_output.get(), 2u);
  EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
}

// B11 (+1 for each watermark).
TEST(SessionOperatorTest, B11TheRowThatBridgesComesOutOfOrder) {
  TestSubtask a = session_subtask(sessions(10));
  a.process({{1, 1, 0}, {1, 1, 15}});
  a.watermark(6);
  a.process({{1, 1, 8}});
  a.watermark(25);
  EXPECT_THAT(a.take_results(), ElementsAre(TestResult{{0, 25}, 1, 3, 3}));

  TestSubtask b = session_subtask(sessions(10));
  b.process({{1, 1, 0}});
  b.process({{2, 1, 8}});
  b.watermark(8);
  b.process({{1, 1, 3}});
  b.watermark(31);
  EXPECT_THAT(b.take_results(),
              ElementsAre(TestResult{{0, 13}, 1, 2, 2}, TestResult{{8, 18}, 2, 1, 1}));

  TestSubtask c = session_subtask(sessions(10));
  c.process({{1, 1, 0}});
  c.watermark(31);
  EXPECT_THAT(c.take_results(), ElementsAre(TestResult{{0, 10}, 1, 1, 1}));
  c.process({{1, 1, 5}});
  EXPECT_EQ(c.metrics.late_dropped.get(), 1u);
  c.process({{1, 1, 40}});
  c.watermark(61);
  EXPECT_THAT(c.take_results(), ElementsAre(TestResult{{40, 50}, 1, 1, 1}));
}

// One batch in which sessions begin, grow and merge again and again: each row counts once.
TEST(SessionOperatorTest, SessionsMergeWithinOneBatch) {
  TestSubtask window = session_subtask(sessions(10));
  window.process({{1, 1, 0}, {1, 2, 40}, {1, 4, 20}, {1, 8, 30}, {1, 16, 60}, {1, 32, 10}});
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(),
              ElementsAre(TestResult{{0, 50}, 1, 47, 5}, TestResult{{60, 70}, 1, 16, 1}));
}

// A session begins ended, late as its rows are, and grows past the watermark within its batch.
TEST(SessionOperatorTest, ASessionMayOutgrowTheWatermarkWithinOneBatch) {
  TestSubtask window = session_subtask(sessions(10, 100));
  window.watermark(50);
  window.process({{1, 1, 30}, {1, 2, 25}, {1, 4, 38}, {1, 8, 45}});
  EXPECT_THAT(window.take_results(), IsEmpty());
  window.watermark(55);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{25, 55}, 1, 15, 4}));
}

TEST(SessionOperatorTest, FiresByTimeThenKeyGroupThenKey) {
  TestSubtask window = session_subtask(sessions(10));
  std::vector<TestRow> rows;
  for (std::int64_t key = 0; key < 300; ++key)
    for (const EventTime time : {key % 3, 200 + key % 2}) rows.push_back({key, 1, time});
  window.process(rows);
  window.watermark(kMaxTime);
  const std::vector<TestResult> results = window.take_results();
  ASSERT_THAT(results, SizeIs(600));
  std::vector<std::pair<EventTime, KeyGroup>> order;
  const KeyCodec codec({0}, {DataType::big_int().with_nullable(false)});
  for (const TestResult& result : results) {
    KeyBatch key;
    codec.encode(*test_batch({{result.key, 0, 0}}), key);
    order.emplace_back(result.window.end, key_group_of(key.hashes[0], kDefaultMaxParallelism));
  }
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// A session that grew past another one's end fires after it, though its timer was set before.
TEST(SessionOperatorTest, SessionsThatGrewFireInTheOrderOfTheirEnds) {
  TestSubtask window = session_subtask(sessions(100));
  window.process({{1, 1, 0}, {2, 1, 30}, {1, 1, 90}, {3, 1, 500}, {1, 1, 170}});
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(),
              ElementsAre(TestResult{{30, 130}, 2, 1, 1}, TestResult{{0, 270}, 1, 3, 3},
                          TestResult{{500, 600}, 3, 1, 1}));
}

TEST(SessionOperatorTest, WaitsForRoomBetweenBatches) {
  TestSubtask window = session_subtask(sessions(10));
  std::vector<TestRow> rows;
  for (std::int64_t key = 0; key < 3'000; ++key) rows.push_back({key, 1, key % 7});
  window.process(rows);
  window.out.refusing = true;
  Step step = window.get().on_watermark(1'000, window.out);
  EXPECT_EQ(step, Step::kMore);
  EXPECT_THAT(window.out.watermarks, IsEmpty());
  int steps = 1;
  for (; step == Step::kMore; ++steps) step = window.get().resume(window.out);
  EXPECT_GE(steps, 3);
  EXPECT_THAT(window.take_results(), SizeIs(3'000));
  EXPECT_THAT(window.out.watermarks, ElementsAre(1'000));
}

TEST(SessionOperatorTest, GapsMayComeFromTheRows) {
  SessionOperatorDescription description = sessions(0);
  description.gap_of = [](const Batch& batch, std::span<Millis> gaps) {
    std::copy_n(batch.column(1).values<std::int64_t>(), batch.rows(), gaps.begin());
  };
  TestSubtask window = session_subtask(description);
  window.process({{1, 5, 0}, {1, 30, 4}, {1, 3, 10}, {1, 7, 40}});
  window.watermark(33);
  EXPECT_THAT(window.take_results(), IsEmpty());
  window.watermark(34);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{0, 34}, 1, 38, 3}));
  // A long gap reaches forward over later sessions.
  window.process({{1, 100, 45}, {1, 2, 35}, {1, 3, 50}});
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(),
              ElementsAre(TestResult{{35, 37}, 1, 2, 1}, TestResult{{40, 145}, 1, 110, 3}));
  TestSubtask bad = session_subtask(description);
  EXPECT_THAT(
      [&] {
        bad.process({{1, 1, 0}, {1, 0, 0}});
      },
      ::testing::ThrowsMessage<Failure>(HasSubstr("the gap of a session is 0 ms")));
}

TEST(SessionOperatorTest, TimesAtTheEdges) {
  TestSubtask window = session_subtask(sessions(10));
  window.process({{1, 1, -7}, {1, 1, -1}, {2, 1, kMaxTime}, {2, 1, kMaxTime - 3}});
  window.watermark(kMaxTime);
  EXPECT_THAT(window.take_results(), ElementsAre(TestResult{{-7, 9}, 1, 2, 2},
                                                 TestResult{{kMaxTime - 3, kMaxTime}, 2, 2, 2}));
  EXPECT_EQ(stored_keys(window), 0u);
}

TEST(SessionOperatorTest, RefusesUntimedRowsAndChanges) {
  TestSubtask window = session_subtask(sessions(10));
  EXPECT_THAT(
      [&] {
        window.process({{1, 1, kMinTime}});
      },
      ::testing::ThrowsMessage<Failure>(HasSubstr("no event time")));
  const BatchPtr rows = test_batch({{1, 1, 1}});
  ColumnBuilder kinds(DataType::tiny_int().with_nullable(false));
  *kinds.extend<std::int8_t>(1) = static_cast<std::int8_t>(RowKind::kDelete);
  const auto change = std::make_shared<const Batch>(rows->schema_ptr(), 1, rows->columns(),
                                                    rows->event_times_ptr(), kinds.finish());
  EXPECT_THAT([&] { window.process(change); },
              ::testing::ThrowsMessage<Failure>(HasSubstr("updates or deletes")));
}

TEST(SessionOperatorTest, RefusesImpossibleSessions) {
  EXPECT_FALSE(validate(SessionDescription{0, 0}).ok());
  EXPECT_FALSE(validate(SessionDescription{-1, 0}).ok());
  EXPECT_FALSE(validate(SessionDescription{1, -1}).ok());
  EXPECT_TRUE(validate(SessionDescription{1, 0}).ok());
}

TEST(SessionOperatorTest, GoesOnAfterARestoreAtAnyParallelism) {
  std::vector<std::unique_ptr<TestSubtask>> before;
  for (std::uint32_t subtask = 0; subtask < 3; ++subtask)
    before.push_back(std::make_unique<TestSubtask>(
        make_session_operator(sessions(10, 50), std::make_unique<SumCountAggregator>()), subtask,
        3));
  // Each key to the subtask that owns it.
  const KeyCodec codec({0}, {DataType::big_int().with_nullable(false)});
  const auto owner = [&](std::int64_t key) {
    KeyBatch keys;
    codec.encode(*test_batch({{key, 0, 0}}), keys);
    return subtask_of(key_group_of(keys.hashes[0], kDefaultMaxParallelism), 3,
                      kDefaultMaxParallelism);
  };
  MemorySnapshot snapshot;
  for (std::int64_t key = 0; key < 50; ++key)
    before[owner(key)]->process({{key, 1, 0}, {key, 2, 30}, {key, 4, 100}});
  for (const auto& subtask : before) {
    subtask->watermark(41);
    subtask->snapshot(snapshot);
  }
  TestSubtask after = session_subtask(sessions(10, 50));
  after.restore(snapshot);
  std::vector<TestRow> late;
  for (std::int64_t key = 0; key < 50; ++key) late.push_back({key, 8, 25});
  after.process(late);
  const std::vector<TestResult> again = after.take_results();
  ASSERT_THAT(again, SizeIs(50));
  for (const TestResult& result : again)
    EXPECT_EQ(result, (TestResult{{25, 40}, result.key, 10, 2}));
  after.watermark(kMaxTime);
  const std::vector<TestResult> rest = after.take_results();
  ASSERT_THAT(rest, SizeIs(50));
  for (const TestResult& result : rest)
    EXPECT_EQ(result, (TestResult{{100, 110}, result.key, 4, 1}));
  EXPECT_EQ(stored_keys(after), 0u);
}

// Sessions of processing time: rows come when they come, their own times do not count.
TEST(SessionOperatorTest, ProcessingTimeIsThatOfTheClock) {
  SessionOperatorDescription description = sessions(10);
  description.time = WindowTime::kProcessingTime;
  ManualClock clock(100);
  const auto backend = make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
  OperatorContext context{.uid = "sessions", .clock = &clock, .keyed_state = backend.get()};
  const auto op = make_session_operator(description, std::make_unique<SumCountAggregator>());
  op->open(context);
  CollectingOutput out;
  EXPECT_EQ(op->next_processing_time(), kMaxTime);
  EXPECT_EQ(op->process(test_batch({{1, 1, 5}}), 0, out), Step::kDone);
  EXPECT_EQ(op->next_processing_time(), 110);
  clock.advance(7);
  EXPECT_EQ(op->process(test_batch({{1, 2, 900}}), 0, out), Step::kDone);
  EXPECT_EQ(op->on_watermark(1'000, out), Step::kDone);
  EXPECT_EQ(op->on_processing_time(110, out), Step::kDone);
  EXPECT_THAT(out.batches, IsEmpty());
  EXPECT_EQ(op->next_processing_time(), 117) << "noted again for the end that it has grown to";
  EXPECT_EQ(op->on_processing_time(117, out), Step::kDone);
  EXPECT_THAT(results_of(out.batches), ElementsAre(TestResult{{100, 117}, 1, 3, 2}));
  EXPECT_THAT(out.watermarks, ElementsAre(1'000)) << "event time passes through";
  EXPECT_EQ(op->next_processing_time(), kMaxTime);
  clock.advance(43);
  EXPECT_EQ(op->process(test_batch({{1, 4, 0}}), 0, out), Step::kDone);
  EXPECT_EQ(op->on_watermark(kMaxTime, out), Step::kDone);
  EXPECT_THAT(results_of(out.batches), ::testing::Contains(TestResult{{150, 160}, 1, 4, 1}))
      << "the end of input ends what is open";
}

}  // namespace
}  // namespace tidemark
