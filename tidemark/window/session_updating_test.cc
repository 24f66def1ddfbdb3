// SPDX-License-Identifier: Apache-2.0
// Sessions whose results are a changelog: a reader that folds it has what a job without late rows
// would have said.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tidemark/base/random.h"
#include "tidemark/window/session_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SessionOperatorDescription updating(Millis gap, Millis lateness) {
  SessionOperatorDescription description = sessions(gap, lateness);
  description.updating = true;
  return description;
}

struct Change {
  RowKind kind;
  TestResult result;
  friend bool operator==(const Change&, const Change&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Change& change) {
    static const char* const kNames[] = {"+I", "-U", "+U", "-D"};
    return out << kNames[static_cast<std::size_t>(change.kind)] << " " << change.result;
  }
};

std::vector<Change> take_changes(TestSubtask& subtask) {
  std::vector<Change> changes;
  for (const BatchPtr& batch : std::exchange(subtask.out.batches, {})) {
    const std::vector<TestResult> results = results_of({batch});
    for (std::size_t i = 0; i < results.size(); ++i)
      changes.push_back({batch->row_kinds() == nullptr
                             ? RowKind::kInsert
                             : static_cast<RowKind>(batch->row_kinds()[i]),
                         results[i]});
  }
  return changes;
}

TEST(SessionUpdatingTest, ASessionThatFiresAgainUpdatesWhatItSaid) {
  TestSubtask window = session_subtask(updating(10, 100));
  window.process({{1, 1, 0}});
  window.watermark(10);
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kInsert, {{0, 10}, 1, 1, 1}}));
  window.process({{1, 2, 0}, {1, 4, 0}});
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kUpdateBefore, {{0, 10}, 1, 1, 1}},
                                                Change{RowKind::kUpdateAfter, {{0, 10}, 1, 7, 3}}));
}

TEST(SessionUpdatingTest, SessionsThatBecomeOneAreDeleted) {
  TestSubtask window = session_subtask(updating(10, 100));
  window.process({{1, 1, 0}, {1, 2, 15}});
  window.watermark(25);
  take_changes(window);
  window.process({{1, 4, 8}});
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kDelete, {{0, 10}, 1, 1, 1}},
                                                Change{RowKind::kDelete, {{15, 25}, 1, 2, 1}},
                                                Change{RowKind::kInsert, {{0, 25}, 1, 7, 3}}));
}

TEST(SessionUpdatingTest, ASessionThatGrowsIsTakenBackUntilItsNewEnd) {
  TestSubtask window = session_subtask(updating(10, 100));
  window.process({{1, 1, 0}});
  window.watermark(12);
  take_changes(window);
  window.process({{1, 2, 5}});
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kDelete, {{0, 10}, 1, 1, 1}}));
  window.watermark(15);
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kInsert, {{0, 15}, 1, 3, 2}}));
}

TEST(SessionUpdatingTest, ALateSessionOfItsOwnIsAnInsert) {
  TestSubtask window = session_subtask(updating(10, 100));
  window.watermark(50);
  window.process({{1, 2, 5}});
  EXPECT_THAT(take_changes(window), ElementsAre(Change{RowKind::kInsert, {{5, 15}, 1, 2, 1}}));
}

// Random rows, far out of order, over snapshots: what the changelog folds to is what the sessions
// of all rows are.
TEST(SessionUpdatingTest, TheChangelogFoldsToTheSessionsOfAllRows) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto fresh = [] {
      return std::make_unique<TestSubtask>(
          make_session_operator(updating(10, 100'000), std::make_unique<SumCountAggregator>()));
    };
    auto window = fresh();
    std::vector<TestRow> all;
    std::vector<TestResult> folded;
    const auto fold = [&] {
      for (const Change& change : take_changes(*window)) {
        const auto at = std::find(folded.begin(), folded.end(), change.result);
        if (change.kind == RowKind::kInsert || change.kind == RowKind::kUpdateAfter) {
          folded.push_back(change.result);
        } else {
          ASSERT_NE(at, folded.end()) << change << " was never said";
          folded.erase(at);
        }
      }
    };
    for (int step = 0; step < 30; ++step) {
      std::vector<TestRow> rows(random.below(8));
      for (TestRow& row : rows)
        row = {static_cast<std::int64_t>(random.below(3)),
               static_cast<std::int64_t>(random.below(50)),
               static_cast<EventTime>(random.below(400))};
      window->process(rows);
      all.insert(all.end(), rows.begin(), rows.end());
      if (random.one_in(2)) window->watermark(step * 14);
      fold();
      if (!random.one_in(5)) continue;
      MemorySnapshot snapshot;
      window->snapshot(snapshot);
      window = fresh();
      window->restore(snapshot);
    }
    window->watermark(kMaxTime);
    fold();
    std::vector<TestResult> expected;
    std::sort(all.begin(), all.end(), [](const TestRow& a, const TestRow& b) {
      return std::pair(a.key, a.time) < std::pair(b.key, b.time);
    });
    for (const TestRow& row : all) {
      if (expected.empty() || expected.back().key != row.key ||
          expected.back().window.end < row.time)
        expected.push_back({{row.time, row.time + 10}, row.key, 0, 0});
      TestResult& session = expected.back();
      session.window.end = row.time + 10;
      session.sum += row.value;
      ++session.count;
    }
    std::sort(expected.begin(), expected.end());
    std::sort(folded.begin(), folded.end());
    ASSERT_EQ(folded, expected);
  }
}

}  // namespace
}  // namespace tidemark
