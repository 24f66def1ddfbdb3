// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/runtime/rate_limiter.h"
#include "tidemark/runtime/restart_policy.h"
#include "tidemark/runtime/source_options.h"

namespace tidemark {
namespace {

using Type = RestartConfig::Type;

TEST(RestartPolicies, NoneNeverRestarts) {
  EXPECT_FALSE(RestartPolicy({.type = Type::kNone}).on_failure(0).has_value());
}

TEST(RestartPolicies, FixedDelayRestartsSoManyTimes) {
  RestartPolicy policy({.type = Type::kFixedDelay, .attempts_max = 2, .delay = 500});
  EXPECT_EQ(policy.on_failure(0), 500);
  EXPECT_EQ(policy.on_failure(1), 500);
  EXPECT_FALSE(policy.on_failure(2).has_value());
}

TEST(RestartPolicies, ExponentialDelayGrowsToItsLimitAndForgetsAfterQuietTimes) {
  RestartPolicy policy({.type = Type::kExponentialDelay,
                        .attempts_max = 5,
                        .delay = 1000,
                        .delay_max = 3000,
                        .backoff = 2.0,
                        .reset_after = 100'000});
  EXPECT_EQ(policy.on_failure(0), 1000);
  EXPECT_EQ(policy.on_failure(10), 2000);
  EXPECT_EQ(policy.on_failure(20), 3000);
  EXPECT_EQ(policy.on_failure(30), 3000);
  EXPECT_EQ(policy.on_failure(100'030), 1000);
}

TEST(RestartPolicies, ExponentialDelayGivesUp) {
  RestartPolicy policy({.type = Type::kExponentialDelay, .attempts_max = 2});
  EXPECT_TRUE(policy.on_failure(0).has_value());
  EXPECT_TRUE(policy.on_failure(1).has_value());
  EXPECT_FALSE(policy.on_failure(2).has_value());
}

TEST(RestartPolicies, FailureRateCountsWithinAnInterval) {
  RestartPolicy policy({.type = Type::kFailureRate,
                        .delay = 10,
                        .failures_per_interval = 2,
                        .failure_interval = 1000});
  EXPECT_EQ(policy.on_failure(0), 10);
  EXPECT_EQ(policy.on_failure(900), 10);
  EXPECT_EQ(policy.on_failure(1000), 10);
  EXPECT_FALSE(policy.on_failure(1500).has_value());
}

TEST(RateLimiters, AllowExactlyTheRate) {
  for (const double rate : {0.5, 3.0, 1000.0, 1e6}) {
    RateLimiter limiter(rate, 0);
    std::int64_t now_ns = 0;
    double rows = 0;
    while (now_ns < 20'000'000'000) {
      const RateLimiter::Grant grant = limiter.take(1024, now_ns);
      rows += static_cast<double>(grant.rows);
      if (grant.rows == 0) {
        ASSERT_GT(grant.wait, 0);
        now_ns += grant.wait * 1'000'000;
      }
    }
    EXPECT_LE(rows, rate * 20 + 1);
    EXPECT_GE(rows, rate * 20 * 0.95 - 1);
  }
}

TEST(RateLimiters, APauseIsNotFollowedByABurst) {
  RateLimiter limiter(1000, 0);
  std::size_t rows = 0;
  for (RateLimiter::Grant grant = limiter.take(1024, 3'600'000'000'000); grant.rows > 0;
       grant = limiter.take(1024, 3'600'000'000'000))
    rows += grant.rows;
  EXPECT_LE(rows, 100u);
}

TEST(RateLimiters, TakeBackWhatWasNotRead) {
  RateLimiter limiter(10, 0);
  ASSERT_EQ(limiter.take(1, 100'000'000).rows, 1u);
  limiter.give_back(1);
  EXPECT_EQ(limiter.take(1, 100'000'000).rows, 1u);
}

TEST(SourceOptionsOfATable, AreReadAndChecked) {
  const auto read = read_source_options("t", {{"scan.rows-per-second", "2.5"},
                                              {"scan.record-errors", "skip"},
                                              {"scan.max-future-skew", "1 h"},
                                              {"scan.watermark.emit.strategy", "on-event"},
                                              {"connector", "anything"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->rows_per_second, 2.5);
  EXPECT_EQ(read->record_errors, RecordErrorPolicy::kSkip);
  EXPECT_EQ(read->max_future_skew, 3'600'000);
  EXPECT_EQ(read->emission, WatermarkEmission::kPerEvent);
  EXPECT_FALSE(read->idle_after.has_value());
  const auto error_of = [](const OptionMap& options) {
    const auto result = read_source_options("t", options);
    return result.ok() ? std::string() : result.error().message;
  };
  EXPECT_NE(error_of({{"scan.record-errors", "dead-letter"}}).find("scan.dead-letter.path"),
            std::string::npos);
  EXPECT_NE(error_of({{"scan.record-errors", "ignore"}}).find("skip"), std::string::npos);
  EXPECT_NE(error_of({{"scan.rows-per-second", "-1"}}).find("scan.rows-per-second"),
            std::string::npos);
}

}  // namespace
}  // namespace tidemark
