// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/function.h"

namespace tidemark::test {
namespace {

std::string tumble_start(std::string_view time, std::int64_t size, std::int64_t offset) {
  const auto start = evaluate_constant(
      call("__TUMBLE_START", {lit(timestamp(time)), lit(millis(size)), lit(millis(offset))}));
  return start.ok() ? to_string(*start) : start.error().message;
}

TEST(PlannerFunctionsTest, WindowsBeforeTheEpochStartBeforeTheirRows) {
  EXPECT_EQ(tumble_start("1970-01-01 00:00:04.999", 5000, 0), "1970-01-01 00:00:00.000");
  EXPECT_EQ(tumble_start("1969-12-31 23:59:59.999", 5000, 0), "1969-12-31 23:59:55.000");
  EXPECT_EQ(tumble_start("1969-12-31 23:59:55.000", 5000, 0), "1969-12-31 23:59:55.000");
  EXPECT_EQ(tumble_start("1969-12-31 23:59:54.999", 5000, 0), "1969-12-31 23:59:50.000");
}

TEST(PlannerFunctionsTest, OffsetsMoveWindowsBothWays) {
  constexpr std::int64_t kHour = 3'600'000;
  EXPECT_EQ(tumble_start("2024-01-01 15:59:59.999", 24 * kHour, -8 * kHour),
            "2023-12-31 16:00:00.000");
  EXPECT_EQ(tumble_start("2024-01-01 16:00:00.000", 24 * kHour, -8 * kHour),
            "2024-01-01 16:00:00.000");
  EXPECT_EQ(tumble_start("2024-01-01 00:01:00.000", kHour, 5 * 60'000), "2023-12-31 23:05:00.000");
}

TEST(PlannerFunctionsTest, NotNullPassesValuesAndReportsNulls) {
  const auto place = lit(text("'a' of 't'"));
  const auto seven = evaluate_constant(call("__NOT_NULL", {lit(integer(7)), place}));
  ASSERT_TRUE(seven.ok());
  EXPECT_EQ(to_string(*seven), "7");
  const auto none = evaluate_constant(call("__NOT_NULL", {lit(null(DataType::integer())), place}));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("NULL in 'a' of 't', which is NOT NULL"), std::string::npos)
      << none.error().message;
}

TEST(PlannerFunctionsTest, AreNotShownToUsers) {
  const auto names = scalar_function_names();
  EXPECT_TRUE(std::none_of(names.begin(), names.end(),
                           [](const std::string& name) { return name.starts_with("__"); }));
  EXPECT_EQ(function_reference().find("__TUMBLE"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::test
