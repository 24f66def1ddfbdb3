// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/literal.h"

#include <gtest/gtest.h>

namespace tidemark::sql {
namespace {

std::string number(std::string_view text, bool negative = false) {
  const auto value = number_literal(text, negative);
  if (!value.ok()) return value.error().message;
  return to_string(value->type) + " " + to_string(*value);
}

TEST(LiteralTest, NumbersHaveFlinksTypes) {
  EXPECT_EQ(number("1"), "INT NOT NULL 1");
  EXPECT_EQ(number("2147483647"), "INT NOT NULL 2147483647");
  EXPECT_EQ(number("2147483648"), "BIGINT NOT NULL 2147483648");
  EXPECT_EQ(number("2147483648", true), "INT NOT NULL -2147483648");
  EXPECT_EQ(number("9223372036854775808"), "DECIMAL(19, 0) NOT NULL 9223372036854775808");
  EXPECT_EQ(number("9223372036854775808", true), "BIGINT NOT NULL -9223372036854775808");
  EXPECT_EQ(number("1.5"), "DECIMAL(2, 1) NOT NULL 1.5");
  EXPECT_EQ(number("0.50", true), "DECIMAL(3, 2) NOT NULL -0.50");
  EXPECT_EQ(number(".5"), "DECIMAL(1, 1) NOT NULL 0.5");
  EXPECT_EQ(number("1e3"), "DOUBLE NOT NULL 1000.0");
  EXPECT_EQ(number("1.5E-3", true), "DOUBLE NOT NULL -0.0015");
  EXPECT_EQ(number("123456789012345678901234567890123456789"),
            "123456789012345678901234567890123456789 has more than the 38 digits of a DECIMAL");
  EXPECT_EQ(number("1e999"), "1e999 does not fit in a DOUBLE");
}

std::string interval(std::string_view text, IntervalField from, IntervalField to,
                     bool negative = false, std::uint32_t digits = 0) {
  const auto value = interval_literal(text, negative, {from, to, digits});
  if (!value.ok()) return value.error().message;
  return std::to_string(static_cast<std::int64_t>(value->integer)) +
         (value->type.kind == TypeKind::kIntervalMonth ? " months" : " ms");
}

TEST(LiteralTest, Intervals) {
  using enum IntervalField;
  EXPECT_EQ(interval("120", kMinute, kMinute), "7200000 ms");
  EXPECT_EQ(interval("1", kHour, kHour), "3600000 ms");
  EXPECT_EQ(interval("0.001", kSecond, kSecond), "1 ms");
  EXPECT_EQ(interval("1 02:03", kDay, kMinute), "93780000 ms");
  EXPECT_EQ(interval("1 02:03:04.5", kDay, kSecond), "93784500 ms");
  EXPECT_EQ(interval("10:30", kMinute, kSecond), "630000 ms");
  EXPECT_EQ(interval("-1", kDay, kDay), "-86400000 ms");
  EXPECT_EQ(interval("-1", kDay, kDay, true), "86400000 ms");
  EXPECT_EQ(interval("1-2", kYear, kMonth), "14 months");
  EXPECT_EQ(interval("3", kQuarter, kQuarter), "9 months");
  EXPECT_EQ(interval("2", kWeek, kWeek), "1209600000 ms");
}

TEST(LiteralTest, IntervalErrorsShowTheForm) {
  using enum IntervalField;
  EXPECT_EQ(interval("1:2", kDay, kMinute),
            "an INTERVAL DAY TO MINUTE is written like '1 02:03', not '1:2'");
  EXPECT_EQ(interval("1 25:00", kDay, kMinute),
            "an INTERVAL DAY TO MINUTE is written like '1 02:03', not '1 25:00'");
  EXPECT_EQ(interval("1 hour", kHour, kHour), "an INTERVAL HOUR is written like '1', not '1 hour'");
  EXPECT_EQ(interval("100", kDay, kDay, false, 2),
            "an INTERVAL DAY is written like '1', not '100'");
  EXPECT_EQ(interval("1", kYear, kDay), "SQL has no INTERVAL YEAR TO DAY");
  EXPECT_EQ(interval("999999999999999999", kDay, kDay),
            "INTERVAL '999999999999999999' DAY is too long");
}

TEST(LiteralTest, Times) {
  const auto timestamp = time_literal("TIMESTAMP", "2001-01-01 01:24:00.123");
  ASSERT_TRUE(timestamp.ok());
  EXPECT_EQ(to_string(timestamp->type), "TIMESTAMP(3) NOT NULL");
  EXPECT_EQ(to_string(*timestamp), "2001-01-01 01:24:00.123");
  EXPECT_EQ(to_string(time_literal("TIMESTAMP", "2001-01-01 00:00:00")->type),
            "TIMESTAMP(0) NOT NULL");
  EXPECT_EQ(time_literal("DATE", "2001-02-30").error().message,
            "a DATE is written 'yyyy-MM-dd', not '2001-02-30'");
  EXPECT_EQ(time_literal("TIME", "25:00:00").error().message,
            "a TIME is written 'HH:mm:ss', not '25:00:00'");
}

}  // namespace
}  // namespace tidemark::sql
