// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/time.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Time, SaturatingAdditionStopsAtTheEnds) {
  EXPECT_EQ(saturating_add(kMaxTime, 1), kMaxTime);
  EXPECT_EQ(saturating_add(kMinTime, -1), kMinTime);
  EXPECT_EQ(saturating_add(kMaxTime - 5, 5), kMaxTime);
  EXPECT_EQ(saturating_sub(kMinTime, 1), kMinTime);
  EXPECT_EQ(saturating_sub(kMaxTime, -1), kMaxTime);
  EXPECT_EQ(saturating_sub(0, kMinTime), kMaxTime);
  EXPECT_EQ(saturating_sub(7, 2), 5);
}

TEST(Time, FloorModAndDivAgreeForNegativeTimes) {
  EXPECT_EQ(floor_mod(-1, 5000), 4999);
  EXPECT_EQ(floor_mod(-5000, 5000), 0);
  EXPECT_EQ(floor_mod(-5001, 5000), 4999);
  for (std::int64_t a = -23; a <= 23; ++a)
    for (std::int64_t b = 1; b <= 7; ++b) {
      EXPECT_EQ(floor_div(a, b) * b + floor_mod(a, b), a);
      EXPECT_GE(floor_mod(a, b), 0);
      EXPECT_LT(floor_mod(a, b), b);
    }
}

}  // namespace
}  // namespace tidemark
