// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simulation/simulated_job.h"
#include "tidemark/base/log.h"

// Whole jobs on the simulator, over seeds. A failing seed is replayed with every step printed by
// `campaign --first-seed=<seed> --seeds=1 --log`.

namespace tidemark::simulation {
namespace {

constexpr std::uint64_t kSeedsPerTest = 25;

class JobSimulation : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  JobSimulation() { set_log_level(LogLevel::kError); }
};

TEST_P(JobSimulation, CommitsEveryResultOnce) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeedsPerTest; ++seed) {
    const Scenario scenario = Scenario::from_seed(seed);
    const Outcome outcome = run(scenario);
    EXPECT_EQ(outcome.wrong, "") << scenario.describe();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JobSimulation,
                         ::testing::Range<std::uint64_t>(0, 8 * kSeedsPerTest, kSeedsPerTest));

INSTANTIATE_TEST_SUITE_P(Savepoints, JobSimulation,
                         ::testing::Range<std::uint64_t>(kSavepointSeeds,
                                                         kSavepointSeeds + 4 * kSeedsPerTest,
                                                         kSeedsPerTest));

// Another state backend gives the same results, whatever happens, and a savepoint changes it.
TEST_P(JobSimulation, CommitsEveryResultOnceFromRocksdb) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeedsPerTest; seed += 5) {
    Scenario scenario = Scenario::from_seed(seed);
    scenario.rocksdb = true;
    const Outcome outcome = run(scenario);
    EXPECT_EQ(outcome.wrong, "") << scenario.describe();
  }
}

// Seeds that failed once. 10011, 10047: a checkpoint that was written while its tasks came to their
// end said that the job had finished. 25100: the directory of the checkpoints was not durable.
TEST(JobSimulationItself, SeedsThatFailedOnce) {
  for (const std::uint64_t seed : {10'011u, 10'047u, 25'100u}) {
    const Scenario scenario = Scenario::from_seed(seed);
    EXPECT_EQ(run(scenario).wrong, "") << scenario.describe();
  }
}

TEST(JobSimulationItself, OneSeedIsOneRun) {
  for (const std::uint64_t seed : {3u, 4u, 5u}) {
    const Scenario scenario = Scenario::from_seed(seed);
    std::vector<std::string> first, second;
    const Outcome a = run(scenario, [&](std::string_view line) { first.emplace_back(line); });
    const Outcome b = run(scenario, [&](std::string_view line) { second.emplace_back(line); });
    EXPECT_EQ(a.trace_hash, b.trace_hash) << "seed=" << seed;
    EXPECT_EQ(first, second) << "seed=" << seed;
    EXPECT_EQ(run(scenario).trace_hash, a.trace_hash) << "with and without a log";
  }
}

TEST(JobSimulationItself, TheSeedsReachWhatTheyAreFor) {
  Outcome total;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Outcome outcome = run(Scenario::from_seed(seed));
    total.starts += outcome.starts;
    total.restores += outcome.restores;
    total.rescales += outcome.rescales;
    total.restarts += outcome.restarts;
    total.checkpoints += outcome.checkpoints;
    total.late += outcome.late;
    total.results += outcome.results;
  }
  Outcome moving;
  for (std::uint64_t seed = kSavepointSeeds; seed < kSavepointSeeds + 60; ++seed)
    moving.moves += run(Scenario::from_seed(seed)).moves;
  EXPECT_GT(moving.moves, 10u);
  EXPECT_GT(total.restores, 30u) << "of " << total.starts << " starts";
  EXPECT_GT(total.rescales, 10u);
  EXPECT_GT(total.restarts, 10u);
  EXPECT_GT(total.checkpoints, 200u);
  EXPECT_GT(total.late, 100u);
  EXPECT_GT(total.results, 1'000u);
}

}  // namespace
}  // namespace tidemark::simulation
