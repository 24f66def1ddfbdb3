// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/decimal.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

const Int128 kLargest = power_of_ten(38) - 1;

std::string text_of(std::optional<Int128> value, int scale = 0) {
  return value ? decimal_to_string(*value, scale) : "none";
}

TEST(Decimal, FitsPrecisionCountsDigits) {
  EXPECT_TRUE(fits_precision(999, 3));
  EXPECT_TRUE(fits_precision(-999, 3));
  EXPECT_FALSE(fits_precision(1000, 3));
  EXPECT_FALSE(fits_precision(-1000, 3));
  EXPECT_TRUE(fits_precision(kLargest, 38));
  EXPECT_FALSE(fits_precision(kLargest + 1, 38));
}

TEST(Decimal, PrintsScaleAndSign) {
  EXPECT_EQ(decimal_to_string(-1250, 2), "-12.50");
  EXPECT_EQ(decimal_to_string(0, 0), "0");
  EXPECT_EQ(decimal_to_string(0, 3), "0.000");
  EXPECT_EQ(decimal_to_string(5, 3), "0.005");
  EXPECT_EQ(decimal_to_string(-5, 1), "-0.5");
  EXPECT_EQ(decimal_to_string(kLargest, 38), "0." + std::string(38, '9'));
  EXPECT_EQ(decimal_to_string(-kLargest, 0), "-" + std::string(38, '9'));
}

TEST(Decimal, ParsesAndRoundsHalfAwayFromZero) {
  EXPECT_EQ(text_of(parse_decimal("12.5", 10, 2), 2), "12.50");
  EXPECT_EQ(text_of(parse_decimal("-1.005", 10, 2), 2), "-1.01");
  EXPECT_EQ(text_of(parse_decimal("1.0049999", 10, 2), 2), "1.00");
  EXPECT_EQ(text_of(parse_decimal("+.5", 10, 0)), "1");
  EXPECT_EQ(text_of(parse_decimal("5.", 10, 1), 1), "5.0");
  EXPECT_EQ(text_of(parse_decimal("0.04", 10, 0)), "0");
  EXPECT_EQ(text_of(parse_decimal("1.5e2", 10, 1), 1), "150.0");
  EXPECT_EQ(text_of(parse_decimal("1500E-3", 10, 1), 1), "1.5");
  EXPECT_EQ(text_of(parse_decimal("000", 1, 0)), "0");
  EXPECT_EQ(text_of(parse_decimal("0e999999999999", 1, 0)), "0");
  EXPECT_EQ(text_of(parse_decimal("1e-999999999999", 1, 0)), "0");
}

TEST(Decimal, RefusesWhatDoesNotFitOrParse) {
  EXPECT_EQ(text_of(parse_decimal("999.995", 5, 2)), "none");
  EXPECT_EQ(text_of(parse_decimal("1000", 5, 2)), "none");
  EXPECT_EQ(text_of(parse_decimal("1e999999999999", 38, 0)), "none");
  EXPECT_EQ(text_of(parse_decimal(std::string(38, '9'), 38, 0)), std::string(38, '9'));
  EXPECT_EQ(text_of(parse_decimal(std::string(39, '9'), 38, 0)), "none");
  EXPECT_EQ(text_of(parse_decimal(std::string(38, '9') + ".5", 38, 0)), "none");
  for (const char* text :
       {"", "-", ".", "e5", "1e", "1 ", " 1", "1x", "--1", "0x10", "NaN", "1.2.3"})
    EXPECT_EQ(text_of(parse_decimal(text, 38, 0)), "none") << text;
}

TEST(Decimal, RescalesBothWays) {
  EXPECT_EQ(text_of(rescale(15, 1, 0)), "2");
  EXPECT_EQ(text_of(rescale(-15, 1, 0)), "-2");
  EXPECT_EQ(text_of(rescale(14, 1, 0)), "1");
  EXPECT_EQ(text_of(rescale(7, 0, 3), 3), "7.000");
  EXPECT_EQ(text_of(rescale(kLargest, 0, 1)), "none");
  EXPECT_EQ(text_of(rescale(kLargest, 38, 0)), "1");
}

TEST(Decimal, AddsAndSubtractsWithin38Digits) {
  EXPECT_EQ(text_of(decimal_add(kLargest, -1)), decimal_to_string(kLargest - 1, 0));
  EXPECT_EQ(text_of(decimal_add(kLargest, 1)), "none");
  EXPECT_EQ(text_of(decimal_subtract(-kLargest, 1)), "none");
  EXPECT_EQ(text_of(decimal_add(kLargest, kLargest)), "none");
}

TEST(Decimal, MultipliesThroughMoreThan128Bits) {
  EXPECT_EQ(text_of(decimal_multiply(125, 2, 4, 0, 2), 2), "5.00");
  EXPECT_EQ(text_of(decimal_multiply(125, 2, 125, 2, 2), 2), "1.56");
  const Int128 a = power_of_ten(37);  // 1 at scale 37
  EXPECT_EQ(text_of(decimal_multiply(a, 37, a, 37, 6), 6), "1.000000");
  EXPECT_EQ(text_of(decimal_multiply(-a, 37, a, 37, 37), 37), "-1." + std::string(37, '0'));
  EXPECT_EQ(text_of(decimal_multiply(a, 0, a, 0, 0)), "none");
}

TEST(Decimal, DividesThroughMoreThan128Bits) {
  EXPECT_EQ(text_of(decimal_divide(10, 0, 3, 0, 6), 6), "3.333333");
  EXPECT_EQ(text_of(decimal_divide(20, 0, 3, 0, 6), 6), "6.666667");
  EXPECT_EQ(text_of(decimal_divide(-20, 0, 3, 0, 6), 6), "-6.666667");
  EXPECT_EQ(text_of(decimal_divide(1, 0, -2, 0, 0)), "-1");
  EXPECT_EQ(text_of(decimal_divide(kLargest, 0, kLargest, 38, 0)), "none");  // 10^38
  EXPECT_EQ(text_of(decimal_divide(kLargest, 38, kLargest, 38, 6), 6), "1.000000");
  EXPECT_EQ(text_of(decimal_divide(1, 38, 1, 0, 6), 6), "0.000000");
}

TEST(Decimal, ConvertsToTheNearestDouble) {
  EXPECT_EQ(decimal_to_double(1250, 2), 12.5);
  EXPECT_EQ(decimal_to_double(1, 1), 0.1);
  EXPECT_EQ(decimal_to_double(-kLargest, 0), -1e38);
  EXPECT_EQ(decimal_to_double(9007199254740993, 3), 9007199254740.993);
}

}  // namespace
}  // namespace tidemark
