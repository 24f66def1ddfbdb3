// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/split_state.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

SplitState state(const std::string& id, std::optional<std::string> position,
                 bool finished = false) {
  return {.split = {id, "payload of " + id},
          .position = std::move(position),
          .watermark = 7,
          .finished = finished,
          .rows_read = 3,
          .bytes_read = 9,
          .generator = "g"};
}

TEST(SplitStates, ReadBack) {
  for (const SplitState& written :
       {state("a", "12"), state("b", std::nullopt, true), state("", "")}) {
    const SplitState read = decode_split_state(encode(written));
    EXPECT_EQ(read.split.id, written.split.id);
    EXPECT_EQ(read.split.payload, written.split.payload);
    EXPECT_EQ(read.position, written.position);
    EXPECT_EQ(read.watermark, written.watermark);
    EXPECT_EQ(read.finished, written.finished);
    EXPECT_EQ(read.rows_read, written.rows_read);
    EXPECT_EQ(read.bytes_read, written.bytes_read);
    EXPECT_EQ(read.generator, written.generator);
  }
}

TEST(SplitStates, DamagedOnesAreRefused) {
  const std::string good = encode(state("a", "12"));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(decode_split_state(good.substr(0, size)), Failure);
  EXPECT_THROW(decode_split_state("\x02" + good.substr(1)), Failure);
}

// Ten restores at changing parallelism, and one in which a split is not found.
TEST(SplitStates, EverySplitHasExactlyOneReaderOverManyRestores) {
  std::vector<SplitState> known = {state("p0", "100"), state("p1", "200"), state("p2", "300"),
                                   state("p3", "400")};
  std::vector<Split> found = {{"p0", ""}, {"p1", ""}, {"p2", ""}, {"p3", ""}};
  for (int cycle = 0; cycle < 10; ++cycle) {
    std::vector<Split> now = found;
    if (cycle == 4) now.pop_back();
    const std::uint32_t parallelism = std::array{4u, 1u, 3u}[cycle % 3];
    const auto assigned = assign_splits(merge_splits(known, now), parallelism);
    known.clear();
    std::size_t least = 4;
    std::size_t most = 0;
    for (const auto& splits : assigned) {
      least = std::min(least, splits.size());
      most = std::max(most, splits.size());
      // The order of subtasks' state is not the order of splits.
      known.insert(known.begin(), splits.begin(), splits.end());
    }
    EXPECT_LE(most - least, 1u);
    ASSERT_EQ(known.size(), 4u);
    std::map<std::string, std::string> positions;
    for (const SplitState& split : known) positions[split.split.id] = *split.position;
    EXPECT_EQ(positions, (std::map<std::string, std::string>{
                             {"p0", "100"}, {"p1", "200"}, {"p2", "300"}, {"p3", "400"}}));
  }
}

TEST(SplitStates, NewSplitsStartAtTheirBeginningAndFinishedOnesStayFinished) {
  const auto merged =
      merge_splits({state("b", "5", true), state("a", "3")}, {{"c", "new"}, {"a", ""}, {"b", ""}});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].split.id, "a");
  EXPECT_EQ(merged[0].split.payload, "payload of a");
  EXPECT_TRUE(merged[1].finished);
  EXPECT_EQ(merged[2].split.id, "c");
  EXPECT_FALSE(merged[2].position.has_value());
}

TEST(SplitStates, UnfinishedSplitsAreHandedOutEvenly) {
  std::vector<SplitState> splits;
  for (int i = 0; i < 9; ++i) splits.push_back(state("s" + std::to_string(i), "1", i < 5));
  const auto assigned = assign_splits(splits, 4);
  for (const auto& subtask : assigned)
    EXPECT_EQ(std::count_if(subtask.begin(), subtask.end(),
                            [](const SplitState& split) { return !split.finished; }),
              1);
}

}  // namespace
}  // namespace tidemark
