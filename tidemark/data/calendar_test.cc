// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/calendar.h"

#include <gtest/gtest.h>

#include <limits>

#include "tidemark/base/time.h"

namespace tidemark {
namespace {

TEST(Calendar, DaysAndCivilDatesAreInverse) {
  EXPECT_EQ(days_from_civil(1970, 1, 1), 0);
  EXPECT_EQ(days_from_civil(2001, 1, 1), 11'323);
  EXPECT_EQ(days_from_civil(1969, 12, 31), -1);
  EXPECT_EQ(days_from_civil(2000, 2, 29), 11'016);
  for (std::int32_t days = -1'000'000; days <= 1'000'000; days += 37) {
    const CivilDate date = civil_from_days(days);
    ASSERT_EQ(days_from_civil(date.year, date.month, date.day), days);
  }
  for (const std::int32_t days :
       {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    const CivilDate date = civil_from_days(days);
    EXPECT_EQ(days_from_civil(date.year, date.month, date.day), days);
  }
}

TEST(Calendar, ParsesDatesThatExist) {
  EXPECT_EQ(parse_date("2001-01-01"), 11'323);
  EXPECT_EQ(parse_date("2000-02-29"), 11'016);
  for (const char* text : {"2001-02-30", "1900-02-29", "2001-13-01", "2001-00-01", "2001-01-00",
                           "2001-1-1", "2001-01-01 ", "", "20010101", "2001/01/01", "-001-01-01"})
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
}

TEST(Calendar, ParsesTimes) {
  EXPECT_EQ(parse_time("01:24"), 5'040'000);
  EXPECT_EQ(parse_time("23:59:59.9999"), 86'399'999);
  EXPECT_EQ(parse_time("00:00:00.5"), 500);
  for (const char* text :
       {"24:00", "12:60", "12:00:60", "12", "1:00", "12:00:", "12:00:00.", "12:00x"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Calendar, ParsesTimestampsInUnitsOfThePrecision) {
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01", 3), 1000);
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:01.123456789", 3), 1123);
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01.123456789", 2), 1120);
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01.123456789", 6), 1'123'456);
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01.123456789", 9), 1'123'456'789);
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:01.1234567891", 9), 1'123'456'789);
  EXPECT_EQ(parse_timestamp("1969-12-31 23:59:59.999", 3), -1);
  EXPECT_EQ(parse_timestamp("2001-01-01", 0), 978'307'200'000);
  EXPECT_EQ(parse_timestamp("2001-01-01 01:24", 3), 978'312'240'000);
  for (const char* text : {"2001-01-01 ", "2001-01-01 1:24", "2001-01-01X01:24", "2001-02-30 00:00",
                           "2001-01-01 00:00:00Z", "2001-01-01 00:00:00.", "", "now"})
    EXPECT_EQ(parse_timestamp(text, 3), std::nullopt) << text;
}

TEST(Calendar, NanosecondsEndIn2262) {
  EXPECT_EQ(parse_timestamp("2262-04-11 23:47:16.854775807", 9),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_timestamp("2262-04-11 23:47:16.854775808", 9), std::nullopt);
  EXPECT_EQ(parse_timestamp("2300-01-01 00:00:00", 9), std::nullopt);
  EXPECT_NE(parse_timestamp("9999-12-31 23:59:59.999999", 6), std::nullopt);
}

TEST(Calendar, PrintsWithTheDigitsOfThePrecision) {
  EXPECT_EQ(date_to_string(11'323), "2001-01-01");
  EXPECT_EQ(date_to_string(days_from_civil(7, 3, 4)), "0007-03-04");
  EXPECT_EQ(date_to_string(days_from_civil(-44, 3, 15)), "-0044-03-15");
  EXPECT_EQ(date_to_string(days_from_civil(12'345, 1, 2)), "+12345-01-02");
  EXPECT_EQ(time_to_string(5'040'000, 0), "01:24:00");
  EXPECT_EQ(time_to_string(86'399'999, 3), "23:59:59.999");
  EXPECT_EQ(timestamp_to_string(978'312'240'000, 3), "2001-01-01 01:24:00.000");
  EXPECT_EQ(timestamp_to_string(978'312'240'120, 0), "2001-01-01 01:24:00");
  EXPECT_EQ(timestamp_to_string(1'123'456, 6), "1970-01-01 00:00:01.123456");
  EXPECT_EQ(timestamp_to_string(1'123'456'789, 9), "1970-01-01 00:00:01.123456789");
  EXPECT_EQ(timestamp_to_string(-1, 3), "1969-12-31 23:59:59.999");
}

TEST(Calendar, PrintsEventTimesWithTheirInfinities) {
  EXPECT_EQ(event_time_to_string(kMinTime), "-inf");
  EXPECT_EQ(event_time_to_string(kMaxTime), "+inf");
  EXPECT_EQ(event_time_to_string(0), "1970-01-01 00:00:00.000");
  EXPECT_EQ(event_time_to_string(kMaxTime - 1), "+292278994-08-17 07:12:55.806");
}

TEST(Calendar, TextRoundTrips) {
  for (std::int64_t value = -5'000'000'000'000; value < 5'000'000'000'000;
       value += 98'765'432'101) {
    ASSERT_EQ(parse_timestamp(timestamp_to_string(value, 3), 3), value);
    ASSERT_EQ(parse_timestamp(timestamp_to_string(value, 6), 6), value);
    ASSERT_EQ(parse_timestamp(timestamp_to_string(value, 9), 9), value);
  }
}

TEST(Calendar, PrintsTheEarliestAndLatestTimestamps) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  for (const std::uint8_t precision : std::initializer_list<std::uint8_t>{0, 3, 6, 9}) {
    EXPECT_FALSE(timestamp_to_string(kLowest, precision).empty());
    EXPECT_FALSE(timestamp_to_string(kHighest, precision).empty());
  }
  EXPECT_EQ(timestamp_to_string(kLowest, 9), "1677-09-21 00:12:43.145224192");
  EXPECT_EQ(timestamp_to_string(kHighest, 9), "2262-04-11 23:47:16.854775807");
}

}  // namespace
}  // namespace tidemark
