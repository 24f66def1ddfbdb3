// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/options.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Duration, TakesFlinksSpellings) {
  EXPECT_EQ(*parse_duration("o", "500 ms"), 500);
  EXPECT_EQ(*parse_duration("o", "10s"), 10'000);
  EXPECT_EQ(*parse_duration("o", " 1 MIN "), 60'000);
  EXPECT_EQ(*parse_duration("o", "2 hours"), 7'200'000);
  EXPECT_EQ(*parse_duration("o", "1 d"), 86'400'000);
  EXPECT_EQ(*parse_duration("o", "250"), 250);
}

TEST(Duration, RefusesWhatItCannotRead) {
  for (const char* text : {"", "ten s", "-1 s", "1 fortnight", "99999999999999 d", "1.5 s"}) {
    const Result<Millis> parsed = parse_duration("interval", text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find("interval"), std::string::npos);
  }
}

TEST(MemorySize, CountsInPowersOfTwo) {
  EXPECT_EQ(*parse_memory_size("o", "64 kb"), 65'536u);
  EXPECT_EQ(*parse_memory_size("o", "1GB"), 1ull << 30);
  EXPECT_EQ(*parse_memory_size("o", "12"), 12u);
  EXPECT_FALSE(parse_memory_size("o", "1 zb").ok());
}

TEST(OptionReader, NamesAnUnknownOptionAndItsNearestNeighbour) {
  const OptionMap options{{"pth", "/tmp"}, {"format", "csv"}};
  OptionReader reader("table 't'", options);
  EXPECT_EQ(*reader.required("format"), "csv");
  EXPECT_EQ(reader.optional("path", "none"), "none");
  const Status status = reader.finish();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "table 't': unknown option 'pth'; did you mean 'path'?");
}

TEST(OptionReader, SaysWhatAnOptionTakes) {
  const OptionMap options{{"n", "many"}, {"mode", "fast"}, {"flag", "yes"}};
  OptionReader reader("table 't'", options);
  EXPECT_EQ(reader.integer("n", 0, 1, 9).error().message,
            "table 't': option 'n' takes a whole number from 1 to 9, got 'many'");
  EXPECT_EQ(reader.choice("mode", {"a", "b"}, "a").error().message,
            "table 't': option 'mode' takes one of 'a', 'b', got 'fast'");
  EXPECT_EQ(reader.boolean("flag", false).error().message,
            "table 't': option 'flag' takes 'true' or 'false', got 'yes'");
  EXPECT_EQ(reader.required("path").error().message, "table 't': option 'path' is required");
}

TEST(OptionReader, KnowsPrefixes) {
  const OptionMap options{{"fields.a.min", "1"}};
  OptionReader reader("table 't'", options);
  reader.allow_prefix("fields.");
  EXPECT_TRUE(reader.finish().ok());
}

TEST(NearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("orgin", {"origin", "destination"}), "origin");
  EXPECT_EQ(nearest_name("zzz", {"origin", "destination"}), "");
  // Two wrong letters of three are another name.
  EXPECT_EQ(nearest_name("foo", {"cos"}), "");
  EXPECT_EQ(nearest_name("coz", {"cos"}), "cos");
}

TEST(OptionReader, ARequiredOptionThatIsMisspeltIsPointedOut) {
  const OptionMap options = {{"format", "csv"}, {"pth", "x"}};
  OptionReader reader("table 't'", options);
  EXPECT_EQ(reader.required("path").error().message,
            "table 't': option 'path' is required; is 'pth' meant for it?");
}

}  // namespace
}  // namespace tidemark
