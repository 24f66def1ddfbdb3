// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tidemark/base/random.h"
#include "tidemark/data/number_text.h"
#include "tidemark/format/text_output.h"
#include "tidemark/format/text_value.h"

namespace tidemark {
namespace {

std::string double_text(double value) {
  std::string out;
  append_real(out, value);
  return out;
}

// What java.lang.Double.toString gives for these.
TEST(TextOutput, DoublesAsJavaLaysThemOut) {
  EXPECT_EQ(double_text(0), "0.0");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(double_text(1), "1.0");
  EXPECT_EQ(double_text(0.001), "0.001");
  EXPECT_EQ(double_text(0.0001), "1.0E-4");
  EXPECT_EQ(double_text(9999999), "9999999.0");
  EXPECT_EQ(double_text(1e7), "1.0E7");
  EXPECT_EQ(double_text(-1.25e10), "-1.25E10");
  EXPECT_EQ(double_text(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(double_text(std::nan("")), "NaN");
  EXPECT_EQ(double_text(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(TextOutput, RealsReadBack) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random.next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    std::string text = double_text(value);
    double back = 0;
    ASSERT_EQ(read_double(text, back), TextError::kNone) << text;
    ASSERT_EQ(back, value) << text;
    float narrow = 0;
    const auto low = static_cast<std::uint32_t>(bits);
    std::memcpy(&narrow, &low, sizeof(narrow));
    if (!std::isfinite(narrow)) continue;
    text.clear();
    append_real(text, narrow);
    float narrow_back = 0;
    ASSERT_EQ(read_float(text, narrow_back), TextError::kNone) << text;
    ASSERT_EQ(narrow_back, narrow) << text;
  }
}

TEST(TextOutput, DecimalsAsBigDecimalPrintsThem) {
  const auto text = [](Int128 unscaled, int scale, bool plain) {
    std::string out;
    append_decimal(out, unscaled, scale, plain);
    return out;
  };
  EXPECT_EQ(text(27, 9, false), "2.7E-8");
  EXPECT_EQ(text(27, 9, true), "0.000000027");
  EXPECT_EQ(text(-27, 9, false), "-2.7E-8");
  EXPECT_EQ(text(1, 6, false), "0.000001");
  EXPECT_EQ(text(1, 7, false), "1E-7");
  EXPECT_EQ(text(0, 10, false), "0E-10");
  EXPECT_EQ(text(1250, 2, false), "12.50");
}

TEST(TextOutput, Times) {
  std::string out;
  append_timestamp(out, -1, 3, ' ');
  EXPECT_EQ(out, "1969-12-31 23:59:59.999");
  out.clear();
  append_timestamp(out, 978312240, 0, 'T');
  EXPECT_EQ(out, "1970-01-12T07:45:12") << "TIMESTAMP(0) counts milliseconds";
  out.clear();
  append_time(out, 3'723'004, 6);
  EXPECT_EQ(out, "01:02:03.004000");
  out.clear();
  append_date(out, -719'529);
  EXPECT_EQ(out, "-0001-12-31");
}

TEST(TextValue, MessagesShowWhatCannotBeSeen) {
  EXPECT_EQ(quote_for_message("a\nb\x01"), "'a\\nb\\x01'");
  EXPECT_EQ(quote_for_message(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
  // Cut at a character, not within one.
  EXPECT_EQ(quote_for_message(std::string(59, 'x') + "\xc3\xa9" + "y"),
            "'" + std::string(59, 'x') + "...'");
}

}  // namespace
}  // namespace tidemark
