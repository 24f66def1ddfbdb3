// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tidemark/expr/expr_test_support.h"

namespace tidemark::test {
namespace {

TEST(Arithmetic, Integers) {
  EXPECT_EQ(apply("+", {integer(2), integer(3)}), "5");
  EXPECT_EQ(apply("-", {integer(2), integer(3)}), "-1");
  EXPECT_EQ(apply("*", {integer(-4), integer(3)}), "-12");
  EXPECT_EQ(apply("/", {integer(-7), integer(2)}), "-3") << "truncated";
  EXPECT_EQ(apply("%", {integer(-7), integer(3)}), "-1") << "the sign of the dividend";
  EXPECT_EQ(apply("MOD", {integer(7), integer(-3)}), "1");
  EXPECT_EQ(apply("/", {tiny(-7), tiny(-1)}), "7");
  EXPECT_EQ(apply("+", {big(4'000'000'000), integer(1)}), "4000000001");
}

TEST(Arithmetic, RealsFollowIeee) {
  EXPECT_EQ(apply("/", {real(1), real(0)}), "Infinity");
  EXPECT_EQ(apply("/", {real(0), real(0)}), "NaN");
  EXPECT_EQ(apply("%", {real(5.5), real(2)}), "1.5");
  EXPECT_EQ(apply("+", {single(1.5f), integer(1)}), "2.5");
}

TEST(Arithmetic, Decimals) {
  EXPECT_EQ(apply("+", {decimal("1.25", 5, 2), decimal("0.005", 5, 3)}), "1.255");
  EXPECT_EQ(apply("-", {decimal("1.25", 5, 2), integer(3)}), "-1.75");
  EXPECT_EQ(apply("*", {decimal("1.25", 5, 2), decimal("-0.5", 2, 1)}), "-0.625");
  EXPECT_EQ(apply("/", {decimal("10.0", 3, 1), decimal("3", 1, 0)}), "3.333333");
  EXPECT_EQ(apply("%", {decimal("7.50", 5, 2), decimal("2", 1, 0)}), "1.50");
  EXPECT_EQ(apply("-", {decimal("7.50", 5, 2)}), "-7.50");
  const std::string nines(38, '9');
  EXPECT_EQ(apply("+", {decimal(nines, 38, 0), integer(1)}),
            "error: DECIMAL overflow in " + nines + " + 1");
  // The larger scale does not fit, the result's does.
  EXPECT_EQ(apply("+", {decimal("123456789012345678901234567890.12", 38, 2),
                        decimal("0.0000000001", 38, 10)}),
            "123456789012345678901234567890.120000");
}

TEST(Arithmetic, DatesAndIntervals) {
  EXPECT_EQ(apply("+", {date("2001-01-31"), months(1)}), "2001-02-28");
  EXPECT_EQ(apply("-", {date("2001-03-31"), months(13)}), "2000-02-29");
  EXPECT_EQ(apply("+", {date("2001-02-28"), days(1)}), "2001-03-01");
  EXPECT_EQ(apply("+", {days(-1), date("2001-03-01")}), "2001-02-28");
  EXPECT_EQ(apply("-", {timestamp("2001-01-01 00:00:00"), millis(1)}), "2000-12-31 23:59:59.999");
  EXPECT_EQ(apply("+", {timestamp("2001-01-01 00:00:00.000001", 6), millis(1)}),
            "2001-01-01 00:00:00.001001");
  EXPECT_EQ(apply("+", {timestamp("2000-02-29 12:00:00"), months(12)}), "2001-02-28 12:00:00.000");
  EXPECT_EQ(apply("-", {timestamp("1969-12-31 23:00:00"), months(1)}), "1969-11-30 23:00:00.000");
  EXPECT_EQ(apply("+", {time("23:30:00"), millis(3'600'000)}), "00:30:00");
  EXPECT_EQ(apply("-", {time("00:30:00"), millis(3'600'000)}), "23:30:00");
  EXPECT_EQ(apply("-", {timestamp("2001-01-02 00:00:01"), timestamp("2001-01-01 00:00:00")}),
            "+1 00:00:01.000");
  EXPECT_EQ(apply("-", {date("2001-01-03"), date("2001-01-01")}), "+2 00:00:00.000");
  EXPECT_EQ(apply("*", {days(2), integer(3)}), "+6 00:00:00.000");
  EXPECT_EQ(apply("+", {months(2), months(11)}), "+1-01");
  EXPECT_EQ(apply("-", {days(1)}), "-1 00:00:00.000");
  EXPECT_EQ(apply("+", {date("2001-01-01"), months(2'000'000'000)}).substr(0, 6), "error:");
  EXPECT_EQ(apply("+", {timestamp("2200-01-01 00:00:00", 9), days(30'000)}).substr(0, 6), "error:");
}

TEST(Comparison, EveryType) {
  EXPECT_EQ(apply("<", {integer(1), big(2)}), "TRUE");
  EXPECT_EQ(apply("=", {decimal("1.50", 5, 2), decimal("1.5", 5, 1)}), "TRUE");
  EXPECT_EQ(apply(">", {real(1.5), decimal("1.4", 2, 1)}), "TRUE");
  EXPECT_EQ(apply("<", {text("abc"), text("abd")}), "TRUE");
  EXPECT_EQ(apply("<", {text("ab"), text("abc")}), "TRUE");
  EXPECT_EQ(apply(">=", {date("2001-01-02"), text("2001-01-01")}), "TRUE");
  EXPECT_EQ(apply("=", {date("2001-01-02"), timestamp("2001-01-02 00:00:00")}), "TRUE");
  EXPECT_EQ(apply("<>", {boolean(true), boolean(false)}), "TRUE");
  EXPECT_EQ(apply("!=", {integer(1), integer(1)}), "FALSE");
  EXPECT_EQ(apply("<=", {time("01:00:00"), time("01:00:00.5", 3)}), "TRUE");
  EXPECT_EQ(apply("=", {real(NAN), real(NAN)}), "FALSE");
  EXPECT_EQ(apply("=", {integer(1), null()}), "NULL");
}

TEST(Comparison, DistinctFromTreatsNullAsAValue) {
  EXPECT_EQ(constant(call("IS DISTINCT FROM", {lit(integer(1)), lit(null())})), "TRUE");
  EXPECT_EQ(constant(call("IS NOT DISTINCT FROM", {lit(null()), lit(null())})), "TRUE");
  const auto batch = batch_of({{integer(1), null(DataType::integer()), null(DataType::integer())},
                               {integer(1), integer(2), null(DataType::integer())}});
  EXPECT_EQ(rows_of(call("IS DISTINCT FROM", {col(batch, 0), col(batch, 1)}), batch),
            (std::vector<std::string>{"FALSE", "TRUE", "FALSE"}));
}

TEST(Comparison, InListsShortAndLong) {
  const auto batch = batch_of({{integer(3), integer(50), null(DataType::integer())},
                               {text("k3"), text("zz"), null(DataType::string())}});
  for (const int count : {4, 40}) {
    std::vector<ExpressionPtr> numbers = {col(batch, 0)};
    std::vector<ExpressionPtr> names = {col(batch, 1)};
    for (int i = 0; i < count; ++i) {
      numbers.push_back(lit(integer(i)));
      names.push_back(lit(text("k" + std::to_string(i))));
    }
    const std::vector<std::string> expected = {"TRUE", "FALSE", "NULL"};
    EXPECT_EQ(rows_of(call("IN", numbers), batch), expected);
    EXPECT_EQ(rows_of(call("IN", names), batch), expected);
    numbers.push_back(lit(null()));
    EXPECT_EQ(rows_of(call("IN", numbers), batch),
              (std::vector<std::string>{"TRUE", "NULL", "NULL"}));
  }
}

TEST(Comparison, InOverColumnsIsAChain) {
  const auto batch = batch_of({{integer(3), integer(4)}, {integer(3), integer(5)}});
  EXPECT_EQ(rows_of(call("IN", {col(batch, 0), col(batch, 1), lit(integer(9))}), batch),
            (std::vector<std::string>{"TRUE", "FALSE"}));
}

TEST(Comparison, Extremes) {
  EXPECT_EQ(apply("GREATEST", {integer(1), integer(3), integer(2)}), "3");
  EXPECT_EQ(apply("LEAST", {text("b"), text("a")}), "a");
  EXPECT_EQ(apply("LEAST", {decimal("1.5", 3, 1), integer(2)}), "1.5");
  EXPECT_EQ(constant(call("GREATEST", {lit(integer(1)), lit(null())})), "NULL");
}

TEST(Logic, TruthTests) {
  const auto batch = batch_of({{boolean(true), boolean(false), null(DataType::boolean())}});
  const auto rows = [&](const char* name) { return rows_of(call(name, {col(batch, 0)}), batch); };
  using Rows = std::vector<std::string>;
  EXPECT_EQ(rows("IS TRUE"), (Rows{"TRUE", "FALSE", "FALSE"}));
  EXPECT_EQ(rows("IS NOT TRUE"), (Rows{"FALSE", "TRUE", "TRUE"}));
  EXPECT_EQ(rows("IS FALSE"), (Rows{"FALSE", "TRUE", "FALSE"}));
  EXPECT_EQ(rows("IS NOT FALSE"), (Rows{"TRUE", "FALSE", "TRUE"}));
  EXPECT_EQ(rows("IS UNKNOWN"), (Rows{"FALSE", "FALSE", "TRUE"}));
  EXPECT_EQ(rows("IS NOT NULL"), (Rows{"TRUE", "TRUE", "FALSE"}));
  EXPECT_EQ(rows("NOT"), (Rows{"FALSE", "TRUE", "NULL"}));
}

TEST(Conditional, IfAndIfnull) {
  EXPECT_EQ(constant(call("IF", {lit(boolean(true)), lit(integer(1)), lit(big(2))})), "1");
  EXPECT_EQ(constant(call("IFNULL", {lit(null()), lit(integer(5))})), "5");
  EXPECT_EQ(constant(call("COALESCE", {lit(null()), lit(text("x"))})), "x");
  EXPECT_FALSE(call_expression("IF", {lit(boolean(true)), lit(integer(1))}).ok());
}

TEST(Rounding, WholeNumbers) {
  EXPECT_EQ(apply("CEIL", {real(1.2)}), "2.0");
  EXPECT_EQ(apply("FLOOR", {real(-1.2)}), "-2.0");
  EXPECT_EQ(apply("CEILING", {decimal("-1.50", 5, 2)}), "-1");
  EXPECT_EQ(apply("FLOOR", {decimal("-1.50", 5, 2)}), "-2");
  EXPECT_EQ(apply("CEIL", {integer(7)}), "7");
  EXPECT_EQ(apply("SIGN", {decimal("-1.50", 5, 2)}), "-1.00");
  EXPECT_EQ(apply("SIGN", {integer(0)}), "0");
  EXPECT_EQ(apply("ABS", {decimal("-1.50", 5, 2)}), "1.50");
  EXPECT_EQ(apply("ABS", {real(-0.5)}), "0.5");
}

TEST(Rounding, Places) {
  EXPECT_EQ(apply("ROUND", {decimal("2.345", 5, 3), integer(2)}), "2.35");
  EXPECT_EQ(apply("ROUND", {decimal("-2.345", 5, 3), integer(2)}), "-2.35");
  EXPECT_EQ(apply("ROUND", {decimal("2.5", 3, 1)}), "3");
  EXPECT_EQ(apply("ROUND", {decimal("199.5", 4, 1), integer(-2)}), "200");
  EXPECT_EQ(apply("ROUND", {real(1.005), integer(2)}), "1.01");
  EXPECT_EQ(apply("ROUND", {real(-2.5)}), "-3.0");
  EXPECT_EQ(apply("ROUND", {real(1234.5), integer(-2)}), "1200.0");
  EXPECT_EQ(apply("ROUND", {integer(155), integer(-1)}), "160");
  EXPECT_EQ(apply("ROUND", {integer(2147483647), integer(-1)}),
            "error: integer overflow in ROUND(2147483647, -1)");
  EXPECT_EQ(apply("TRUNCATE", {real(42.375), integer(2)}), "42.37");
  EXPECT_EQ(apply("TRUNCATE", {decimal("-42.375", 6, 3), integer(1)}), "-42.3");
  EXPECT_EQ(apply("TRUNCATE", {integer(159), integer(-1)}), "150");
  EXPECT_EQ(apply("ROUND", {real(1e300), integer(2)}), constant(lit(real(1e300))));
}

TEST(Mathematics, Functions) {
  EXPECT_EQ(apply("POWER", {integer(2), integer(10)}), "1024.0");
  EXPECT_EQ(apply("SQRT", {integer(16)}), "4.0");
  EXPECT_EQ(apply("SQRT", {real(-1)}), "NaN");
  EXPECT_EQ(apply("EXP", {integer(0)}), "1.0");
  EXPECT_EQ(apply("LN", {real(1)}), "0.0");
  EXPECT_EQ(apply("LOG", {integer(2), integer(8)}), "3.0");
  EXPECT_EQ(apply("LOG10", {integer(1000)}), constant(lit(real(std::log10(1000.0)))));
  EXPECT_EQ(apply("LOG2", {integer(8)}), "3.0");
  EXPECT_EQ(apply("SIN", {integer(0)}), "0.0");
  EXPECT_EQ(apply("ATAN2", {real(0), real(1)}), "0.0");
  EXPECT_EQ(apply("PI", {}), "3.141592653589793");
  EXPECT_EQ(apply("E", {}), "2.718281828459045");
  EXPECT_EQ(
      apply("DEGREES", {call("PI", {})->type.kind == TypeKind::kDouble ? real(M_PI) : real(0)}),
      "180.0");
  EXPECT_EQ(apply("RADIANS", {integer(180)}), "3.141592653589793");
}

TEST(Mathematics, RandomIntegersStayInTheirBounds) {
  const auto batch = batch_of({std::vector<Value>(200, integer(0))});
  for (const std::string& row : rows_of(call("RAND_INTEGER", {lit(integer(10))}), batch)) {
    const int value = std::stoi(row);
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 10);
  }
  EvaluationContext context;
  rows_of(call("RAND_INTEGER", {lit(integer(0))}), batch, context);
  EXPECT_EQ(context.errors.size(), 200u);
}

TEST(System, TypeOf) {
  EXPECT_EQ(constant(call("TYPEOF", {lit(integer(1))})), "INT NOT NULL");
}

}  // namespace
}  // namespace tidemark::test
