// SPDX-License-Identifier: Apache-2.0
// Windows that take back what they said: late rows, early and delayed results.
#include <gmock/gmock.h>

#include <map>

#include "tidemark/window/window_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

WindowOperatorDescription updating(Millis size, Millis lateness) {
  WindowOperatorDescription description = tumbling(size, 0, lateness);
  description.updating = true;
  return description;
}

/// "+U key count [start, end)" of each row, in order.
std::vector<std::string> take_changes(TestSubtask& subtask) {
  static const char* const kKinds[] = {"+I", "-U", "+U", "-D"};
  std::vector<std::string> changes;
  for (const BatchPtr& batch : std::exchange(subtask.out.batches, {})) {
    const std::vector<TestResult> results = results_of({batch});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const TestResult& r = results[i];
      changes.push_back(std::string(kKinds[batch->row_kinds() ? batch->row_kinds()[i] : 0]) + " " +
                        std::to_string(r.key) + " " + std::to_string(r.count) + " [" +
                        std::to_string(r.window.start) + ", " + std::to_string(r.window.end) + ")");
    }
  }
  return changes;
}

// Conformance vector 9 (+1), as a changelog.
TEST(WindowChangelogTest, ALateRowTakesBackWhatItsWindowSaid) {
  TestSubtask window = window_subtask(updating(10'000, 5'000));
  window.process({{1, 1, 1'000}, {2, 2, 2'000}});
  window.watermark(14'999);
  EXPECT_THAT(take_changes(window), UnorderedElementsAre("+I 1 1 [0, 10000)", "+I 2 1 [0, 10000)"));
  window.process({{1, 10, 5'000}, {1, 10, 5'001}, {3, 1, 7}});
  EXPECT_THAT(take_changes(window),
              ElementsAre("-U 1 1 [0, 10000)", "+U 1 3 [0, 10000)", "+I 3 1 [0, 10000)"));
  window.process({{3, 1, 8}});
  EXPECT_THAT(take_changes(window), ElementsAre("-U 3 1 [0, 10000)", "+U 3 2 [0, 10000)"));
  window.watermark(15'000);
  window.process({{1, 10, 5'000}});
  EXPECT_THAT(take_changes(window), IsEmpty());
  EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
}

TEST(WindowChangelogTest, ALateRowTakesBackEveryWindowThatItIsIn) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = updating(10, 100);
    description.window.slide = 5;
    TestSubtask window = window_subtask(description, 0, 1, merging);
    window.process({{1, 1, 1}, {1, 10, 6}});
    window.watermark(15);
    EXPECT_THAT(take_changes(window),
                ElementsAre("+I 1 1 [-5, 5)", "+I 1 2 [0, 10)", "+I 1 1 [5, 15)"));
    window.process({{1, 100, 7}});
    EXPECT_THAT(take_changes(window), ElementsAre("-U 1 2 [0, 10)", "+U 1 3 [0, 10)",
                                                  "-U 1 1 [5, 15)", "+U 1 2 [5, 15)"));
  }
}

TEST(WindowChangelogTest, WhatWasSaidIsTakenBackAfterARestore) {
  TestSubtask before = window_subtask(updating(10, 100));
  before.process({{1, 1, 1}});
  before.watermark(10);
  take_changes(before);
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  TestSubtask after = window_subtask(updating(10, 100));
  after.restore(snapshot);
  after.process({{1, 1, 2}});
  EXPECT_THAT(take_changes(after), ElementsAre("-U 1 1 [0, 10)", "+U 1 2 [0, 10)"));
}

TEST(WindowChangelogTest, EarlyResultsComeWithEveryBatch) {
  WindowOperatorDescription description = updating(10, 0);
  description.early_fire_delay = 0;
  TestSubtask window = window_subtask(description);
  window.process({{1, 1, 1}, {2, 1, 2}, {1, 1, 12}});
  EXPECT_THAT(take_changes(window),
              UnorderedElementsAre("+I 1 1 [0, 10)", "+I 2 1 [0, 10)", "+I 1 1 [10, 20)"));
  window.process({{1, 1, 3}});
  EXPECT_THAT(take_changes(window), ElementsAre("-U 1 1 [0, 10)", "+U 1 2 [0, 10)"));
  window.watermark(20);
  EXPECT_THAT(take_changes(window), IsEmpty()) << "all was said before";
  MemorySnapshot snapshot;
  window.snapshot(snapshot);
  EXPECT_TRUE(snapshot.find("window-said")->blocks.empty()) << "the state was freed";
}

TEST(WindowChangelogTest, EarlyResultsWaitForTheirDelay) {
  WindowOperatorDescription description = updating(10, 0);
  description.early_fire_delay = 1'000;
  TestSubtask window = window_subtask(description);
  EXPECT_EQ(window.get().next_processing_time(), kMaxTime);
  window.process({{1, 1, 1}, {2, 1, 2}});
  window.clock.advance(400);
  window.process({{1, 1, 3}});
  EXPECT_THAT(take_changes(window), IsEmpty());
  EXPECT_EQ(window.get().next_processing_time(), 1'000);
  window.clock.advance(600);
  window.get().on_processing_time(1'000, window.out);
  EXPECT_THAT(take_changes(window), UnorderedElementsAre("+I 1 2 [0, 10)", "+I 2 1 [0, 10)"));
  EXPECT_EQ(window.get().next_processing_time(), kMaxTime);
  window.process({{2, 1, 4}});
  EXPECT_EQ(window.get().next_processing_time(), 2'000);
  window.watermark(10);
  EXPECT_THAT(take_changes(window), ElementsAre("-U 2 1 [0, 10)", "+U 2 2 [0, 10)"));
}

TEST(WindowChangelogTest, WhatHadChangedIsSaidAfterARestore) {
  WindowOperatorDescription description = updating(10, 50);
  description.early_fire_delay = 1'000;
  description.late_fire_delay = 1'000;
  TestSubtask before = window_subtask(description);
  before.process({{1, 1, 1}, {2, 1, 1}, {2, 1, 11}});
  before.watermark(10);
  EXPECT_EQ(take_changes(before).size(), 2u);
  before.process({{1, 1, 2}});
  EXPECT_THAT(take_changes(before), IsEmpty());
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  TestSubtask after = window_subtask(description);
  after.restore(snapshot);
  EXPECT_EQ(after.get().next_processing_time(), 1'000);
  after.get().on_processing_time(1'000, after.out);
  EXPECT_THAT(take_changes(after),
              UnorderedElementsAre("-U 1 1 [0, 10)", "+U 1 2 [0, 10)", "+I 2 1 [10, 20)"));
}

TEST(WindowChangelogTest, LateResultsAreSaidBeforeTheirWindowExpires) {
  WindowOperatorDescription description = updating(10, 50);
  description.late_fire_delay = 1'000'000;
  TestSubtask window = window_subtask(description);
  window.process({{1, 1, 1}});
  window.watermark(30);
  window.process({{1, 1, 2}});
  window.watermark(59);
  EXPECT_THAT(take_changes(window), ElementsAre("+I 1 1 [0, 10)"));
  window.watermark(60);
  EXPECT_THAT(take_changes(window), ElementsAre("-U 1 1 [0, 10)", "+U 1 2 [0, 10)"));
  EXPECT_EQ(window.out.last_watermark, 60);
}

}  // namespace
}  // namespace tidemark
