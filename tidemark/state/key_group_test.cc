// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/key_group.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tidemark/base/random.h"

namespace tidemark {
namespace {

TEST(KeyGroupTest, RangesOfAllSubtasksCoverEveryGroupOnce) {
  for (const std::uint32_t max_parallelism : {1u, 7u, 128u, 4096u, 32768u}) {
    for (std::uint32_t parallelism = 1; parallelism <= std::min(max_parallelism, 9u);
         ++parallelism) {
      KeyGroup next = 0;
      for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
        const KeyGroupRange range = range_of(subtask, parallelism, max_parallelism);
        ASSERT_EQ(range.begin, next);
        for (KeyGroup group = range.begin; group < range.end; ++group)
          ASSERT_EQ(subtask_of(group, parallelism, max_parallelism), subtask);
        next = range.end;
      }
      ASSERT_EQ(next, max_parallelism);
    }
  }
}

// Flink's ranges for 128 groups.
TEST(KeyGroupTest, RangesAreFlinks) {
  EXPECT_EQ(range_of(0, 3, 128), (KeyGroupRange{0, 43}));
  EXPECT_EQ(range_of(1, 3, 128), (KeyGroupRange{43, 86}));
  EXPECT_EQ(range_of(2, 3, 128), (KeyGroupRange{86, 128}));
  EXPECT_EQ(range_of(3, 5, 128), (KeyGroupRange{77, 103}));
}

TEST(KeyGroupTest, AGroupIsARangeOfHashes) {
  Random random(3);
  for (const std::uint32_t max_parallelism : {1u, 3u, 4096u, 32767u}) {
    EXPECT_EQ(key_group_of(0, max_parallelism), 0u);
    EXPECT_EQ(key_group_of(~std::uint64_t{0}, max_parallelism), max_parallelism - 1);
    for (int i = 0; i < 1000; ++i) {
      const KeyGroup group = static_cast<KeyGroup>(random.below(max_parallelism));
      const std::uint64_t first = first_hash_of(group, max_parallelism);
      ASSERT_EQ(key_group_of(first, max_parallelism), group);
      if (group > 0) {
        ASSERT_EQ(key_group_of(first - 1, max_parallelism), group - 1);
      }
    }
  }
}

}  // namespace
}  // namespace tidemark
