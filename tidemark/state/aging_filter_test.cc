// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/aging_filter.h"

#include <gtest/gtest.h>

#include "tidemark/base/random.h"

namespace tidemark {
namespace {

class BlockedFilterTest : public ::testing::TestWithParam<double> {};

TEST_P(BlockedFilterTest, KnowsWhatWasAddedAndRarelyMore) {
  const double rate = GetParam();
  for (const std::size_t expected : {std::size_t{20'000}, std::size_t{100}}) {
    BlockedFilter filter(expected, rate);
    Random random(3);
    std::vector<std::uint64_t> added(20'000);
    for (std::uint64_t& hash : added) filter.add(hash = random.next());
    for (const std::uint64_t hash : added) ASSERT_TRUE(filter.may_contain(hash));
    std::size_t wrong = 0;
    constexpr std::size_t kAsked = 200'000;
    for (std::size_t i = 0; i < kAsked; ++i) wrong += filter.may_contain(random.next()) ? 1 : 0;
    EXPECT_LE(static_cast<double>(wrong), 1.2 * rate * kAsked) << "of " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, BlockedFilterTest, ::testing::Values(0.1, 0.01, 0.001));

// Hashes of one subtask of many lie in a narrow range.
TEST(BlockedFilterTest, HashesOfOneKeyGroupAreSpreadToo) {
  BlockedFilter filter(20'000, 0.01);
  Random random(3);
  const auto narrow = [&] { return random.next() >> 12; };
  for (int i = 0; i < 20'000; ++i) filter.add(narrow());
  std::size_t wrong = 0;
  for (int i = 0; i < 100'000; ++i) wrong += filter.may_contain(narrow()) ? 1 : 0;
  EXPECT_LE(wrong, 1'500u);
}

TEST(AgingFilterTest, NeverForgetsWhatLivesAndForgetsTheRest) {
  constexpr Millis kTtl = 1'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    AgingFilter filter({.ttl = kTtl, .expected_keys = 100});
    std::vector<std::pair<std::uint64_t, std::int64_t>> added;
    std::int64_t now = -5'000;
    std::size_t most = 0;
    for (int step = 0; step < 5'000; ++step) {
      now += static_cast<std::int64_t>(random.below(5));
      filter.advance(now);
      const std::uint64_t hash = random.next();
      filter.add(hash, now);
      added.emplace_back(hash, now);
      most = std::max(most, filter.memory_bytes());
      const auto& [asked, time] = added[random.below(added.size())];
      ASSERT_TRUE(time + kTtl <= now || filter.may_contain(asked));
    }
    EXPECT_LT(most, 20'000u) << "five quarters of a second of keys, not all of them";
    filter.advance(now + 2 * kTtl);
    EXPECT_FALSE(filter.may_contain(added.back().first));
  }
}

}  // namespace
}  // namespace tidemark
