// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark::test {
namespace {

// A cast evaluated as a constant and over a column, which must agree.
std::string convert(const Value& value, DataType to, const std::string& zone = "UTC") {
  const std::string expected = constant(cast(lit(value), to), zone);
  const BatchPtr batch = batch_of({{value, Value::null(value.type), value}});
  EvaluationContext context;
  context.time_zone = zone;
  const auto rows = rows_of(cast(col(batch, 0), to), batch, context);
  const bool failed = expected.starts_with("error");
  EXPECT_EQ(rows[0], failed ? "NULL" : expected);
  EXPECT_EQ(rows[1], "NULL");
  EXPECT_EQ(context.errors.size(), failed ? 2u : 0u);
  EXPECT_EQ(constant(cast(lit(value), to, true), zone), failed ? "NULL" : expected) << "TRY_CAST";
  return failed ? "error" : expected;
}

TEST(Cast, BetweenIntegersIsChecked) {
  EXPECT_EQ(convert(integer(127), DataType::tiny_int()), "127");
  EXPECT_EQ(convert(integer(128), DataType::tiny_int()), "error");
  EXPECT_EQ(convert(integer(-129), DataType::tiny_int()), "error");
  EXPECT_EQ(convert(big(1LL << 40), DataType::integer()), "error");
  EXPECT_EQ(convert(tiny(-5), DataType::big_int()), "-5");
}

TEST(Cast, RealsTruncateAndAreChecked) {
  EXPECT_EQ(convert(real(1.99), DataType::integer()), "1");
  EXPECT_EQ(convert(real(-1.99), DataType::integer()), "-1");
  EXPECT_EQ(convert(real(2147483648.0), DataType::integer()), "error");
  EXPECT_EQ(convert(real(2147483647.9), DataType::integer()), "2147483647");
  EXPECT_EQ(convert(real(9.3e18), DataType::big_int()), "error");
  EXPECT_EQ(convert(real(NAN), DataType::integer()), "error");
  EXPECT_EQ(convert(integer(16777217), DataType::float64()), "1.6777217E7");
  EXPECT_EQ(convert(real(0.1), DataType::float32()), "0.1");
}

TEST(Cast, Decimals) {
  EXPECT_EQ(convert(integer(12), DataType::decimal(5, 2)), "12.00");
  EXPECT_EQ(convert(integer(1234), DataType::decimal(5, 2)), "error");
  EXPECT_EQ(convert(real(0.1), DataType::decimal(10, 3)), "0.100");
  EXPECT_EQ(convert(real(1.005), DataType::decimal(10, 2)), "1.01");
  EXPECT_EQ(convert(real(INFINITY), DataType::decimal(10, 2)), "error");
  EXPECT_EQ(convert(decimal("12.345", 5, 3), DataType::decimal(4, 2)), "12.35");
  EXPECT_EQ(convert(decimal("99.99", 4, 2), DataType::decimal(3, 1)), "error");
  EXPECT_EQ(convert(decimal("-12.99", 4, 2), DataType::integer()), "-12");
  EXPECT_EQ(convert(decimal("300", 3, 0), DataType::tiny_int()), "error");
  EXPECT_EQ(convert(decimal("12.50", 4, 2), DataType::float64()), "12.5");
}

TEST(Cast, Booleans) {
  EXPECT_EQ(convert(integer(0), DataType::boolean()), "FALSE");
  EXPECT_EQ(convert(real(-0.5), DataType::boolean()), "TRUE");
  EXPECT_EQ(convert(boolean(true), DataType::integer()), "1");
  EXPECT_EQ(convert(boolean(true), DataType::decimal(3, 1)), "1.0");
  EXPECT_EQ(convert(text(" Yes "), DataType::boolean()), "TRUE");
  EXPECT_EQ(convert(text("maybe"), DataType::boolean()), "error");
}

TEST(Cast, TextToNumbersIsTrimmed) {
  EXPECT_EQ(convert(text(" 12 "), DataType::integer()), "12");
  EXPECT_EQ(convert(text("12.9"), DataType::integer()), "12");
  EXPECT_EQ(convert(text("n/a"), DataType::integer()), "error");
  EXPECT_EQ(convert(text(""), DataType::integer()), "error");
  EXPECT_EQ(convert(text("128"), DataType::tiny_int()), "error");
  EXPECT_EQ(convert(text("\t1e3\n"), DataType::float64()), "1000.0");
  EXPECT_EQ(convert(text("12.345"), DataType::decimal(4, 2)), "12.35");
  EXPECT_EQ(convert(text("123.45"), DataType::decimal(4, 2)), "error");
}

TEST(Cast, TextToTimes) {
  EXPECT_EQ(convert(text(" 2001-02-03 "), DataType::date()), "2001-02-03");
  EXPECT_EQ(convert(text("2001-02-03 04:05:06"), DataType::date()), "2001-02-03");
  EXPECT_EQ(convert(text("2001-02-30"), DataType::date()), "error");
  EXPECT_EQ(convert(text("04:05:06"), DataType::time(0)), "04:05:06");
  EXPECT_EQ(convert(text("2001-02-03T04:05:06.789"), DataType::timestamp(3)),
            "2001-02-03 04:05:06.789");
  EXPECT_EQ(convert(text("2001-02-03"), DataType::timestamp(0)), "2001-02-03 00:00:00");
  EXPECT_EQ(convert(text("2001-01-01 09:00:00"), DataType::timestamp_ltz(3), "Asia/Tokyo"),
            "2001-01-01 00:00:00.000Z");
  EXPECT_EQ(convert(text("soon"), DataType::timestamp(3)), "error");
}

TEST(Cast, ToText) {
  const auto string = DataType::string();
  EXPECT_EQ(convert(integer(-12), string), "-12");
  EXPECT_EQ(convert(big(std::numeric_limits<std::int64_t>::min()), string), "-9223372036854775808");
  EXPECT_EQ(convert(real(1e10), string), "1.0E10");
  EXPECT_EQ(convert(single(0.1f), string), "0.1");
  EXPECT_EQ(convert(boolean(true), string), "TRUE");
  EXPECT_EQ(convert(decimal("-0.50", 4, 2), string), "-0.50");
  EXPECT_EQ(convert(date("2001-02-03"), string), "2001-02-03");
  EXPECT_EQ(convert(time("04:05:06.5", 3), string), "04:05:06.500");
  EXPECT_EQ(convert(timestamp("2001-02-03 04:05:06.789"), string), "2001-02-03 04:05:06.789");
  EXPECT_EQ(convert(instant("2001-01-01 00:00:00"), string, "Asia/Tokyo"),
            "2001-01-01 09:00:00.000");
  EXPECT_EQ(convert(days(2), string), "+2 00:00:00.000");
  EXPECT_EQ(convert(Value::of_text(DataType::bytes(), "h\xc3\xa9"), string), "hé");
  EXPECT_EQ(convert(Value::of_text(DataType::bytes(), "\xff"), string), "error");
}

TEST(Cast, LengthsCutCharacters) {
  DataType three = DataType::string();
  three.length = 3;
  EXPECT_EQ(convert(text("héllo"), three), "hél");
  EXPECT_EQ(convert(integer(12345), three), "123");
  EXPECT_EQ(convert(text("ab"), three), "ab");
}

TEST(Cast, AmongDatesAndTimes) {
  EXPECT_EQ(convert(date("2001-02-03"), DataType::timestamp(3)), "2001-02-03 00:00:00.000");
  EXPECT_EQ(convert(timestamp("2001-02-03 04:05:06.789"), DataType::date()), "2001-02-03");
  EXPECT_EQ(convert(timestamp("1969-12-31 23:00:00"), DataType::date()), "1969-12-31");
  EXPECT_EQ(convert(timestamp("1969-12-31 23:00:01.5"), DataType::time(3)), "23:00:01.500");
  EXPECT_EQ(convert(timestamp("2001-01-01 00:00:00.123456789", 9), DataType::timestamp(3)),
            "2001-01-01 00:00:00.123");
  EXPECT_EQ(convert(timestamp("1969-12-31 23:59:59.999999", 6), DataType::timestamp(3)),
            "1969-12-31 23:59:59.999");
  EXPECT_EQ(convert(timestamp("2001-01-01 00:00:00.789"), DataType::timestamp(1)),
            "2001-01-01 00:00:00.7");
  EXPECT_EQ(convert(timestamp("2001-01-01 00:00:00.5"), DataType::timestamp(9)),
            "2001-01-01 00:00:00.500000000");
  EXPECT_EQ(convert(timestamp("2300-01-01 00:00:00"), DataType::timestamp(9)), "error");
}

TEST(Cast, InstantsAndTheSessionZone) {
  EXPECT_EQ(convert(timestamp("2001-01-01 09:00:00"), DataType::timestamp_ltz(3), "Asia/Tokyo"),
            "2001-01-01 00:00:00.000Z");
  EXPECT_EQ(convert(instant("2001-01-01 00:00:00"), DataType::timestamp(3), "Asia/Tokyo"),
            "2001-01-01 09:00:00.000");
  EXPECT_EQ(convert(instant("2001-01-01 20:00:00"), DataType::date(), "Asia/Tokyo"), "2001-01-02");
  EXPECT_EQ(convert(instant("2001-01-01 20:00:00"), DataType::time(0), "Asia/Tokyo"), "05:00:00");
  EXPECT_EQ(convert(date("2001-01-02"), DataType::timestamp_ltz(0), "Asia/Tokyo"),
            "2001-01-01 15:00:00Z");
}

TEST(Cast, EveryAllowedPairHasAKernel) {
  const std::vector<Value> samples = {boolean(true),
                                      tiny(1),
                                      small(1),
                                      integer(1),
                                      big(1),
                                      single(1),
                                      real(1),
                                      decimal("1.00", 5, 2),
                                      text("1"),
                                      Value::of_text(DataType::bytes(), "1"),
                                      date("2001-01-01"),
                                      time("01:00:00"),
                                      timestamp("2001-01-01 00:00:00"),
                                      instant("2001-01-01 00:00:00"),
                                      days(1),
                                      months(1)};
  for (const Value& from : samples) {
    for (const Value& to : samples) {
      const auto built = cast_expression(lit(from), to.type, true);
      ASSERT_EQ(built.ok(), can_cast(from.type.kind, to.type.kind))
          << to_string(from.type) << " to " << to_string(to.type);
      if (!built.ok()) continue;
      const auto value = evaluate_constant(*built);
      ASSERT_TRUE(value.ok()) << value.error().message;
      EXPECT_EQ(value->type.kind, to.type.kind);
    }
  }
}

TEST(Cast, NullBecomesAnyType) {
  EXPECT_EQ(constant(cast(lit(null()), DataType::date())), "NULL");
  const auto batch = batch_of({{null(), null()}});
  EXPECT_EQ(rows_of(cast(col(batch, 0), DataType::string()), batch),
            (std::vector<std::string>{"NULL", "NULL"}));
}

}  // namespace
}  // namespace tidemark::test
