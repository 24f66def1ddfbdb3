// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/value_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "tidemark/base/bytes.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

ValueType type_of(std::string_view text) {
  const auto type = parse_value_type(text);
  EXPECT_TRUE(type.has_value()) << text;
  return type.value_or(ValueType());
}

std::string refusal(std::string_view from, std::string_view to) {
  const Status status = check_conversion(type_of(from), type_of(to));
  return status.ok() ? "" : status.error().message;
}

template <typename... Ts>
std::string bytes_of(const Ts&... values) {
  ByteWriter out;
  (out.put(values), ...);
  return out.take();
}

TEST(ValueTypeTest, ReadsWhatItPrints) {
  for (const char* text : {"BIGINT", "STRING", "LIST<OPTIONAL<DOUBLE>>", "MAP<STRING, INT>",
                           "STRUCT<a INT, b STRUCT<c STRING>>", "OPAQUE", "BYTES(12)"})
    EXPECT_EQ(to_string(type_of(text)), text);
  EXPECT_EQ(to_string(type_of("MADE<PLAIN(16)<a INT @0 DEFAULT 5, b BIGINT @8>>")),
            "STRUCT<a INT, b BIGINT>");
  for (const char* text : {"", "SUM(BIGINT), COUNT", "INTEGER", "LIST<INT", "STRUCT<a>", "INT ",
                           "PLAIN(8)<a INT>", "MAP<INT>"})
    EXPECT_FALSE(parse_value_type(text).has_value()) << text;
}

TEST(ValueTypeTest, NumbersMayBeWidened) {
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"TINYINT", "SMALLINT"},
                                                        {"INT", "BIGINT"},
                                                        {"UINT", "BIGINT"},
                                                        {"UTINYINT", "UINT"},
                                                        {"FLOAT", "DOUBLE"},
                                                        {"INT", "DOUBLE"},
                                                        {"SMALLINT", "FLOAT"},
                                                        {"INT", "OPTIONAL<INT>"}})
    EXPECT_EQ(refusal(from, to), "") << from << " to " << to;
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"BIGINT", "INT"},
                                                        {"INT", "UINT"},
                                                        {"INT", "UBIGINT"},
                                                        {"UINT", "INT"},
                                                        {"BIGINT", "DOUBLE"},
                                                        {"INT", "FLOAT"},
                                                        {"DOUBLE", "FLOAT"},
                                                        {"BOOLEAN", "INT"},
                                                        {"INT", "STRING"},
                                                        {"OPTIONAL<INT>", "INT"},
                                                        {"TIMESTAMP", "BIGINT"}})
    EXPECT_NE(refusal(from, to), "") << from << " to " << to;
  EXPECT_EQ(convert_value(type_of("TINYINT"), type_of("BIGINT"), bytes_of(std::int8_t{-5})),
            bytes_of(std::int64_t{-5}));
  EXPECT_EQ(convert_value(type_of("UTINYINT"), type_of("INT"), bytes_of(std::uint8_t{200})),
            bytes_of(std::int32_t{200}));
  EXPECT_EQ(convert_value(type_of("INT"), type_of("DOUBLE"), bytes_of(std::int32_t{-7})),
            bytes_of(-7.0));
  EXPECT_EQ(convert_value(type_of("FLOAT"), type_of("DOUBLE"), bytes_of(1.5f)), bytes_of(1.5));
}

TEST(ValueTypeTest, ARefusalNamesTheFieldAndBothTypes) {
  EXPECT_THAT(refusal("STRUCT<a INT, b STRUCT<c BIGINT>>", "STRUCT<b STRUCT<c INT>>"),
              HasSubstr("field 'b.c' is BIGINT in the checkpoint, but INT in the job"));
}

TEST(ValueTypeTest, FieldsAreMatchedByName) {
  struct Old {
    std::int32_t count;
    std::int64_t sum;
  };
  const Old old{3, 40};
  std::string stored(sizeof(old), '\0');
  std::memcpy(stored.data(), &old, sizeof(old));
  const std::string made = bytes_of(std::uint64_t{1}) + stored;
  ByteWriter expected;
  expected.put(std::int64_t{40});
  expected.put_string("");
  expected.put(std::int64_t{3});
  expected.put(std::int32_t{9});
  EXPECT_EQ(convert_value(type_of("MADE<PLAIN(16)<count INT @0, sum BIGINT @8>>"),
                          type_of("STRUCT<sum BIGINT, name STRING, count BIGINT, limit INT "
                                  "DEFAULT 9>"),
                          made),
            expected.view());
  EXPECT_EQ(convert_value(type_of("STRUCT<sum BIGINT, name STRING, count INT>"),
                          type_of("MADE<PLAIN(16)<count INT @0, sum BIGINT @8>>"),
                          bytes_of(std::int64_t{40}, std::uint32_t{1}, 'x', std::int32_t{3})),
            bytes_of(std::uint64_t{1}, std::int32_t{3}, std::int32_t{0}, std::int64_t{40}));
}

TEST(ValueTypeTest, ListsOptionalsAndMapsAreConvertedInside) {
  EXPECT_EQ(convert_value(type_of("LIST<INT>"), type_of("LIST<BIGINT>"),
                          bytes_of(std::uint32_t{2}, std::int32_t{1}, std::int32_t{-1})),
            bytes_of(std::uint32_t{2}, std::int64_t{1}, std::int64_t{-1}));
  EXPECT_EQ(convert_value(type_of("PLAIN_OPTIONAL(8)<INT>"), type_of("OPTIONAL<BIGINT>"),
                          bytes_of(std::int32_t{7}, std::int32_t{1})),
            bytes_of(std::uint8_t{1}, std::int64_t{7}));
  EXPECT_EQ(convert_value(type_of("OPTIONAL<INT>"), type_of("PLAIN_OPTIONAL(8)<INT>"),
                          bytes_of(std::uint8_t{0})),
            std::string(8, '\0'));
  EXPECT_EQ(convert_value(type_of("MAP<STRING, INT>"), type_of("MAP<STRING, BIGINT>"),
                          bytes_of(std::uint32_t{1}, std::int64_t{99}, std::uint32_t{1}, 'k',
                                   std::uint32_t{4}, std::int32_t{5}, std::uint32_t{0})),
            bytes_of(std::uint32_t{1}, std::int64_t{99}, std::uint32_t{1}, 'k', std::uint32_t{8},
                     std::int64_t{5}, std::uint32_t{0}));
}

TEST(ValueTypeTest, DamagedValuesAreRefused) {
  EXPECT_THROW(convert_value(type_of("INT"), type_of("BIGINT"), "abc"), Failure);
  EXPECT_THROW(convert_value(type_of("INT"), type_of("BIGINT"), "abcde"), Failure);
}

TEST(ValueTypeTest, SchemasDifferInTheirValuesOnly) {
  EXPECT_FALSE(conversion_between("fixed8: (k INT) -> INT", "fixed8: (k INT) -> INT")->has_value());
  EXPECT_TRUE(
      conversion_between("fixed8: (k INT) -> INT", "fixed8: (k INT) -> BIGINT")->has_value());
  EXPECT_FALSE(conversion_between("fixed8: (k INT) -> INT", "fixed8: (k BIGINT) -> INT").ok());
  EXPECT_FALSE(conversion_between("fixed8: (k INT) -> COUNT", "fixed8: (k INT) -> SUM").ok());
}

}  // namespace
}  // namespace tidemark
