// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/time_zone.h"

namespace tidemark::test {
namespace {

std::string extract(const char* unit, Value value, const std::string& zone = "UTC") {
  return apply("EXTRACT", {text(unit), std::move(value)}, zone);
}

TEST(CalendarFunctions, Extract) {
  const Value t = timestamp("2001-02-03 04:05:06.789");
  EXPECT_EQ(extract("YEAR", t), "2001");
  EXPECT_EQ(extract("QUARTER", t), "1");
  EXPECT_EQ(extract("MONTH", t), "2");
  EXPECT_EQ(extract("DAY", t), "3");
  EXPECT_EQ(extract("HOUR", t), "4");
  EXPECT_EQ(extract("MINUTE", t), "5");
  EXPECT_EQ(extract("SECOND", t), "6");
  EXPECT_EQ(extract("MILLISECOND", t), "789");
  EXPECT_EQ(extract("DOY", t), "34");
  EXPECT_EQ(extract("DOW", t), "7") << "a Saturday";
  EXPECT_EQ(extract("ISODOW", t), "6");
  EXPECT_EQ(extract("CENTURY", t), "21");
  EXPECT_EQ(extract("DECADE", t), "200");
  EXPECT_EQ(extract("MILLENNIUM", date("2000-12-31")), "2");
  EXPECT_EQ(extract("EPOCH", t), "981173106");
  EXPECT_EQ(extract("HOUR", time("23:59:58")), "23");
  EXPECT_EQ(extract("SECOND", timestamp("1969-12-31 23:59:59.5")), "59");
  EXPECT_EQ(extract("MICROSECOND", timestamp("2001-01-01 00:00:00.123456", 6)), "123456");
}

TEST(CalendarFunctions, IsoWeeksAtTheEndsOfYears) {
  EXPECT_EQ(extract("WEEK", date("2001-01-01")), "1");
  EXPECT_EQ(extract("WEEK", date("2000-01-01")), "52");
  EXPECT_EQ(extract("ISOYEAR", date("2000-01-01")), "1999");
  EXPECT_EQ(extract("WEEK", date("2004-12-31")), "53");
  EXPECT_EQ(extract("WEEK", date("2003-12-31")), "1");
  EXPECT_EQ(extract("ISOYEAR", date("2003-12-31")), "2004");
}

TEST(CalendarFunctions, Shorthands) {
  const Value d = date("2000-12-31");
  EXPECT_EQ(apply("YEAR", {d}), "2000");
  EXPECT_EQ(apply("QUARTER", {d}), "4");
  EXPECT_EQ(apply("MONTH", {d}), "12");
  EXPECT_EQ(apply("WEEK", {d}), "52");
  EXPECT_EQ(apply("DAYOFYEAR", {d}), "366");
  EXPECT_EQ(apply("DAYOFMONTH", {d}), "31");
  EXPECT_EQ(apply("DAYOFWEEK", {d}), "1");
  EXPECT_EQ(apply("HOUR", {text("2001-01-01 13:14:15")}), "13");
  EXPECT_EQ(apply("MINUTE", {time("13:14:15")}), "14");
  EXPECT_EQ(apply("SECOND", {time("13:14:15")}), "15");
  EXPECT_FALSE(make_evaluator(call("YEAR", {lit(time("13:14:15"))})).ok());
}

TEST(CalendarFunctions, InstantsAreSeenInTheSessionZone) {
  EXPECT_EQ(extract("HOUR", instant("2001-01-01 00:30:00"), "America/New_York"), "19");
  EXPECT_EQ(extract("DAY", instant("2001-01-01 00:30:00"), "America/New_York"), "31");
  EXPECT_EQ(extract("EPOCH", instant("1970-01-02 00:00:00"), "America/New_York"), "86400");
}

TEST(CalendarFunctions, AnUnknownUnitIsRefused) {
  const auto bad =
      make_evaluator(call("EXTRACT", {lit(text("FORTNIGHT")), lit(date("2001-01-01"))}));
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("FORTNIGHT"), std::string::npos);
}

std::string floor_to(Value value, const char* unit, const std::string& zone = "UTC") {
  return apply("FLOOR", {std::move(value), text(unit)}, zone);
}
std::string ceil_to(Value value, const char* unit) {
  return apply("CEIL", {std::move(value), text(unit)});
}

TEST(CalendarFunctions, FloorAndCeilToAUnit) {
  const Value t = timestamp("2001-05-16 13:45:30.500");
  EXPECT_EQ(floor_to(t, "SECOND"), "2001-05-16 13:45:30.000");
  EXPECT_EQ(floor_to(t, "MINUTE"), "2001-05-16 13:45:00.000");
  EXPECT_EQ(floor_to(t, "HOUR"), "2001-05-16 13:00:00.000");
  EXPECT_EQ(floor_to(t, "DAY"), "2001-05-16 00:00:00.000");
  EXPECT_EQ(floor_to(t, "WEEK"), "2001-05-13 00:00:00.000");
  EXPECT_EQ(floor_to(t, "MONTH"), "2001-05-01 00:00:00.000");
  EXPECT_EQ(floor_to(t, "QUARTER"), "2001-04-01 00:00:00.000");
  EXPECT_EQ(floor_to(t, "YEAR"), "2001-01-01 00:00:00.000");
  EXPECT_EQ(ceil_to(t, "HOUR"), "2001-05-16 14:00:00.000");
  EXPECT_EQ(ceil_to(t, "MONTH"), "2001-06-01 00:00:00.000");
  EXPECT_EQ(ceil_to(timestamp("2001-01-01 00:00:00"), "YEAR"), "2001-01-01 00:00:00.000");
  EXPECT_EQ(floor_to(timestamp("1969-12-31 23:59:59.999"), "HOUR"), "1969-12-31 23:00:00.000");
  EXPECT_EQ(floor_to(date("2001-05-16"), "MONTH"), "2001-05-01");
  EXPECT_EQ(ceil_to(date("2001-05-16"), "WEEK"), "2001-05-20");
  EXPECT_EQ(floor_to(time("13:45:30"), "HOUR"), "13:00:00");
  EXPECT_EQ(floor_to(date("2000-12-31"), "CENTURY"), "1901-01-01");
  EXPECT_EQ(floor_to(instant("2001-01-01 02:00:00"), "DAY", "America/New_York"),
            "2000-12-31 05:00:00.000Z");
}

TEST(CalendarFunctions, AddAndDifference) {
  const auto add = [](const char* unit, int count, Value t) {
    return constant(
        call("TIMESTAMPADD", {lit(text(unit)), lit(integer(count)), lit(std::move(t))}));
  };
  EXPECT_EQ(add("HOUR", 2, timestamp("2001-01-01 23:00:00")), "2001-01-02 01:00:00.000");
  EXPECT_EQ(add("WEEK", 1, date("2001-01-01")), "2001-01-08");
  EXPECT_EQ(add("MONTH", 1, date("2001-01-31")), "2001-02-28");
  EXPECT_EQ(add("QUARTER", -1, date("2001-01-31")), "2000-10-31");
  EXPECT_EQ(add("SQL_TSI_DAY", 1, date("2001-01-31")), "2001-02-01");
  const auto difference = [](const char* unit, Value a, Value b) {
    return apply("TIMESTAMPDIFF", {text(unit), std::move(a), std::move(b)});
  };
  EXPECT_EQ(difference("DAY", date("2001-01-01"), date("2001-03-01")), "59");
  EXPECT_EQ(difference("HOUR", timestamp("2001-01-01 00:00:00"), timestamp("2001-01-01 01:59:59")),
            "1");
  EXPECT_EQ(difference("HOUR", timestamp("2001-01-01 01:59:59"), timestamp("2001-01-01 00:00:00")),
            "-1");
  EXPECT_EQ(difference("MONTH", date("2001-01-31"), date("2001-02-28")), "1");
  EXPECT_EQ(difference("MONTH", date("2001-01-15"), date("2001-03-14")), "1");
  EXPECT_EQ(difference("MONTH", date("2001-03-14"), date("2001-01-15")), "-1");
  EXPECT_EQ(difference("YEAR", date("2000-02-29"), date("2001-02-28")), "1");
  EXPECT_EQ(difference("SECOND", text("2001-01-01 00:00:00"), timestamp("2001-01-01 00:00:30")),
            "30");
}

TEST(TimeText, DateFormat) {
  const Value t = timestamp("2001-02-03 14:05:06.789");
  const auto format = [&t](const char* pattern) {
    return apply("DATE_FORMAT", {t, text(pattern)});
  };
  EXPECT_EQ(format("yyyy-MM-dd HH:mm:ss.SSS"), "2001-02-03 14:05:06.789");
  EXPECT_EQ(format("yy/M/d h:m:s a"), "01/2/3 2:5:6 PM");
  EXPECT_EQ(format("yyyyMMddHHmm"), "200102031405");
  EXPECT_EQ(format("EEE, d MMM yyyy"), "Sat, 3 Feb 2001");
  EXPECT_EQ(format("EEEE d MMMM"), "Saturday 3 February");
  EXPECT_EQ(format("D kk K"), "34 14 2");
  EXPECT_EQ(format("'at' HH 'o''clock'"), "at 14 oclock");
  EXPECT_EQ(apply("DATE_FORMAT", {text("2001-02-03 04:05:06"), text("HH:mm")}), "04:05");
  EXPECT_EQ(apply("DATE_FORMAT", {date("2001-02-03"), text("dd.MM.yyyy")}), "03.02.2001");
  EXPECT_EQ(apply("DATE_FORMAT", {instant("2001-01-01 00:00:00"), text("HH")}, "Asia/Tokyo"), "09");
  EXPECT_FALSE(make_evaluator(call("DATE_FORMAT", {lit(t), lit(text("QQ"))})).ok());
  EXPECT_FALSE(make_evaluator(call("DATE_FORMAT", {lit(t), lit(text("'open"))})).ok());
}

TEST(TimeText, Reading) {
  EXPECT_EQ(apply("TO_DATE", {text("2001-02-03")}), "2001-02-03");
  EXPECT_EQ(apply("TO_DATE", {text("3.2.2001"), text("d.M.yyyy")}), "2001-02-03");
  EXPECT_EQ(apply("TO_DATE", {text("2001-02-30")}), "NULL");
  EXPECT_EQ(apply("TO_DATE", {text("30.2.2001"), text("d.M.yyyy")}), "NULL");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("2001-02-03 04:05:06")}), "2001-02-03 04:05:06.000");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("2001-02-03 04:05:06.5")}), "2001-02-03 04:05:06.500");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("20010203040506"), text("yyyyMMddHHmmss")}),
            "2001-02-03 04:05:06.000");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("Feb 3, 2001 4 PM"), text("MMM d, yyyy h a")}),
            "2001-02-03 16:00:00.000");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("12 AM"), text("h a")}), "1970-01-01 00:00:00.000");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("nonsense")}), "NULL");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("2001-02-03x"), text("yyyy-MM-dd")}), "NULL");
  EXPECT_EQ(apply("TO_TIMESTAMP", {text("25:00"), text("HH:mm")}), "NULL");
}

TEST(TimeText, Numbers) {
  EXPECT_EQ(apply("TO_TIMESTAMP_LTZ", {big(1001), integer(3)}), "1970-01-01 00:00:01.001Z");
  EXPECT_EQ(apply("TO_TIMESTAMP_LTZ", {big(100), integer(0)}), "1970-01-01 00:01:40.000Z");
  EXPECT_EQ(apply("TO_TIMESTAMP_LTZ", {big(1001)}), "1970-01-01 00:00:01.001Z");
  EXPECT_EQ(apply("TO_TIMESTAMP_LTZ", {big(1), integer(5)}).substr(0, 6), "error:");
  EXPECT_EQ(apply("FROM_UNIXTIME", {big(44)}, "Asia/Tokyo"), "1970-01-01 09:00:44");
  EXPECT_EQ(apply("FROM_UNIXTIME", {big(44), text("mm:ss")}), "00:44");
  EXPECT_EQ(apply("UNIX_TIMESTAMP", {text("1970-01-01 09:00:44")}, "Asia/Tokyo"), "44");
  EXPECT_EQ(apply("UNIX_TIMESTAMP", {text("2.1.1970"), text("d.M.yyyy")}), "86400");
  EXPECT_EQ(apply("UNIX_TIMESTAMP", {text("x")}), "NULL");
}

TEST(TimeText, ConvertZones) {
  EXPECT_EQ(
      apply("CONVERT_TZ", {text("1970-01-01 00:00:00"), text("UTC"), text("America/Los_Angeles")}),
      "1969-12-31 16:00:00");
  EXPECT_FALSE(
      make_evaluator(call("CONVERT_TZ", {lit(text("x")), lit(text("Mars")), lit(text("UTC"))}))
          .ok());
}

std::int64_t at(std::string_view text) {
  return parse_timestamp(text, 3).value();
}

TimeZone zone(std::string_view name) {
  return std::move(TimeZone::find(name)).or_throw();
}

TEST(TimeZones, FixedOffsets) {
  EXPECT_EQ(zone("UTC").to_local(5), 5);
  EXPECT_EQ(zone("GMT+08:00").to_local(0), 8 * 3'600'000);
  EXPECT_EQ(zone("UTC-3").to_instant(0), 3 * 3'600'000);
  EXPECT_EQ(zone("+05:30").to_local(0), 19'800'000);
  for (const char* name : {"Mars/Olympus", "UTC+99", "", "UTC+1:7x", "+"})
    EXPECT_FALSE(TimeZone::find(name).ok()) << name;
  const auto near = TimeZone::find("Europe/Berln");
  ASSERT_FALSE(near.ok());
  EXPECT_NE(near.error().message.find("Europe/Berlin"), std::string::npos);
}

TEST(TimeZones, TheHourThatIsSkipped) {
  // Los Angeles, 2021-03-14: after 01:59:59 comes 03:00:00.
  const TimeZone la = zone("America/Los_Angeles");
  EXPECT_EQ(la.to_local(at("2021-03-14 09:59:59")), at("2021-03-14 01:59:59"));
  EXPECT_EQ(la.to_local(at("2021-03-14 10:00:00")), at("2021-03-14 03:00:00"));
  EXPECT_EQ(la.to_instant(at("2021-03-14 02:30:00")), at("2021-03-14 10:30:00"));
  EXPECT_EQ(la.window_end_to_instant(at("2021-03-14 02:30:00")), at("2021-03-14 10:00:00"));
  EXPECT_EQ(la.window_end_to_instant(at("2021-03-14 03:00:00")), at("2021-03-14 10:00:00"));
  // The day has 23 hours.
  EXPECT_EQ(la.window_end_to_instant(at("2021-03-15 00:00:00")) -
                la.window_end_to_instant(at("2021-03-14 00:00:00")),
            23 * 3'600'000);
}

TEST(TimeZones, TheHourThatComesTwice) {
  // Los Angeles, 2021-11-07: after 01:59:59 comes 01:00:00 once more.
  const TimeZone la = zone("America/Los_Angeles");
  EXPECT_EQ(la.to_instant(at("2021-11-07 01:30:00")), at("2021-11-07 08:30:00"));
  EXPECT_EQ(la.window_end_to_instant(at("2021-11-07 01:30:00")), at("2021-11-07 09:30:00"));
  EXPECT_EQ(la.window_end_to_instant(at("2021-11-07 02:00:00")), at("2021-11-07 10:00:00"));
  EXPECT_EQ(la.to_local(at("2021-11-07 08:30:00")), la.to_local(at("2021-11-07 09:30:00")));
}

TEST(TimeZones, HalfHourShifts) {
  const TimeZone lord_howe = zone("Australia/Lord_Howe");
  // 2021-10-03: after 01:59:59 (+10:30) comes 02:30:00 (+11).
  EXPECT_EQ(lord_howe.window_end_to_instant(at("2021-10-03 02:15:00")), at("2021-10-02 15:30:00"));
  EXPECT_EQ(lord_howe.to_instant(at("2021-10-03 02:15:00")), at("2021-10-02 15:45:00"));
}

TEST(TimeZones, TheCacheDoesNotChangeResults) {
  const TimeZone cached = zone("Europe/Berlin");
  for (std::int64_t t = at("1999-12-01 00:00:00"); t < at("2003-01-01 00:00:00"); t += 1'234'567) {
    const TimeZone fresh = zone("Europe/Berlin");
    ASSERT_EQ(cached.to_local(t), fresh.to_local(t));
    ASSERT_EQ(cached.to_instant(t), fresh.to_instant(t));
    ASSERT_EQ(cached.window_end_to_instant(t), fresh.window_end_to_instant(t));
  }
}

TEST(TimeZones, EndsOfTimeStayThemselves) {
  const TimeZone berlin = zone("Europe/Berlin");
  EXPECT_EQ(berlin.to_local(kMaxTime), kMaxTime);
  EXPECT_EQ(berlin.window_end_to_instant(kMaxTime), kMaxTime);
  EXPECT_EQ(berlin.to_instant(kMinTime), kMinTime);
}

TEST(TimeZones, UnitsBelowMilliseconds) {
  const TimeZone tokyo = zone("Asia/Tokyo");
  EXPECT_EQ(tokyo.to_local(1, 1'000'000'000), 9 * 3600 * 1'000'000'000LL + 1);
  const std::vector<std::int64_t> instants = {0, 5};
  std::vector<std::int64_t> local(2);
  tokyo.to_local(instants, local.data());
  EXPECT_EQ(local[1], 9 * 3'600'000 + 5);
}

}  // namespace
}  // namespace tidemark::test
