// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_table.h"

#include <gmock/gmock.h>

#include "tidemark/window/window_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::unique_ptr<Operator> table_of(WindowDescription window) {
  std::vector<Field> fields = test_schema()->fields;
  fields.push_back({"window_start", DataType::timestamp(3)});
  fields.push_back({"window_end", DataType::timestamp(3)});
  fields.push_back({"window_time", DataType::timestamp(3)});
  return make_window_table({.output = make_schema(fields), .window = window}).or_throw();
}

/// "key [start, end) at event time" of each row, in order.
std::vector<std::string> take_rows(TestSubtask& subtask) {
  std::vector<std::string> rows;
  for (const BatchPtr& batch : std::exchange(subtask.out.batches, {})) {
    EXPECT_LE(batch->rows(), kDefaultBatchRows);
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      const auto at = [&](std::size_t c) {
        return std::to_string(batch->column(c).value<std::int64_t>(row));
      };
      rows.push_back(at(0) + " [" + at(2) + ", " + at(3) + ") at " +
                     std::to_string(batch->event_times()[row]));
      EXPECT_EQ(batch->event_times()[row], batch->column(4).value<std::int64_t>(row));
    }
  }
  return rows;
}

// Conformance vector 6.
TEST(WindowTableTest, ARowComesOnceForEachWindowThatHoldsIt) {
  TestSubtask table(table_of({10, 4, 0, 0}));
  table.process({{1, 0, 9}, {2, 0, 11}});
  EXPECT_THAT(take_rows(table), ElementsAre("1 [0, 10) at 9", "1 [4, 14) at 13", "1 [8, 18) at 17",
                                            "2 [4, 14) at 13", "2 [8, 18) at 17"));
}

// Conformance vector 7.
TEST(WindowTableTest, ARowInAGapIsCounted) {
  TestSubtask table(table_of({3, 10, 0, 0}));
  table.process({{1, 0, 5}, {1, 0, 12}});
  EXPECT_THAT(take_rows(table), ElementsAre("1 [10, 13) at 12"));
  EXPECT_EQ(table.metrics.unassigned.get(), 1u);
}

TEST(WindowTableTest, CumulatingWindowsBeginTogether) {
  TestSubtask table(table_of({12, 4, 2, 0, WindowShape::kCumulating}));
  table.process({{1, 0, 7}, {2, 0, 1}});
  EXPECT_THAT(take_rows(table),
              ElementsAre("1 [2, 10) at 9", "1 [2, 14) at 13", "2 [-10, 2) at 1"));
}

TEST(WindowTableTest, StopsWhereTheOutputIsFull) {
  TestSubtask table(table_of({5000, 1, 0, 0}));
  table.out.refusing = true;
  Step step = table.get().process(test_batch({{1, 0, 9}, {2, 0, 9}}), 0, table.out);
  std::size_t steps = 1;
  for (; step == Step::kMore; ++steps) {
    EXPECT_EQ(table.out.batches.size(), steps);
    step = table.get().resume(table.out);
  }
  EXPECT_EQ(steps, 10u);
  EXPECT_EQ(take_rows(table).size(), 10'000u);
}

TEST(WindowTableTest, NothingComesOfNothing) {
  TestSubtask table(table_of({10, 5, 0, 0}));
  table.process(std::vector<TestRow>());
  EXPECT_THAT(take_rows(table), IsEmpty());
}

}  // namespace
}  // namespace tidemark
