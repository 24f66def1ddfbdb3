// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/format/format_testing.h"
#include "tidemark/format/json_encoder.h"
#include "tidemark/format/json_value.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OptionMap json(OptionMap options = {}) {
  options.emplace("format", "json");
  return options;
}

Decoded read(const SchemaPtr& schema, const std::string& text, OptionMap options = {}) {
  const auto format = format_of(schema, json(std::move(options)));
  Decoded whole = decode(*format, schema, text);
  // What comes out never depends on how the bytes arrive.
  for (std::size_t cut = 0; cut <= text.size(); cut += 1 + text.size() / 50)
    EXPECT_EQ(decode(*format, schema, text, {cut}), whole) << "cut at " << cut;
  return whole;
}

// --- Poison messages ---

const std::string kPoison =
    "{\"id\":1}\n"
    "{\"id\":2xx,\"w\":100}\n"
    "{\"id\":3}\n"
    "\xff\xfe\n"
    "{\"id\":007}\n"
    "{\"id\":5}\n"
    "{\"id\":6,\"ts\":{\"x\":\"2025-01-01\"}}\n";

SchemaPtr poison_schema() {
  return make_schema({{"id", DataType::big_int()}, {"ts", DataType::timestamp(3)}});
}

TEST(JsonPoison, BrokenLinesCostThemselvesAndNothingElse) {
  const Decoded got = read(poison_schema(), kPoison);
  EXPECT_THAT(got.rows, ElementsAre("1|NULL", "3|NULL", "5|NULL"));
  ASSERT_EQ(got.errors.size(), 4u);
  EXPECT_EQ(got.errors[0], "9+19: column 'id' (BIGINT): '2xx' is no JSON value");
  EXPECT_THAT(got.errors[1], HasSubstr("37+3: the line is not valid JSON"));
  EXPECT_EQ(got.errors[2], "40+11: column 'id' (BIGINT): '007' is no JSON value");
  EXPECT_THAT(got.errors[3],
              HasSubstr("column 'ts' (TIMESTAMP(3)): '{\"x\":\"2025-01-01\"}' is not "
                        "a timestamp"));
}

TEST(JsonPoison, IgnoredErrorsMakeTheFieldNull) {
  const Decoded got = read(poison_schema(), kPoison, {{"json.ignore-parse-errors", "true"}});
  EXPECT_THAT(got.rows, ElementsAre("1|NULL", "3|NULL", "5|NULL", "6|NULL"));
  EXPECT_EQ(got.errors.size(), 3u);  // lines that are no JSON have no fields
}

TEST(JsonPoison, OtherPoison) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int()}});
  const std::string deep(5000, '[');
  const std::string closed(5000, ']');
  for (const std::string& line : {std::string("{\"id\":1"),
                                  std::string("{\"id\":1}}"),
                                  std::string("{\"id\":1} x"),
                                  std::string("{\"id\":1}{\"id\":2}"),
                                  std::string("[1]"),
                                  std::string("1"),
                                  std::string("{"),
                                  std::string("\""),
                                  std::string("{\"id\":\"a"),
                                  std::string("{\"id\" 1}"),
                                  std::string("{\"id\":}"),
                                  std::string("{id:1}"),
                                  std::string("{\"id\":1,}"),
                                  std::string("{\"id\":tru}"),
                                  std::string("{\"id\":+1}"),
                                  std::string("{\"id\":1.}"),
                                  std::string("{\"id\":.5}"),
                                  std::string("{\"id\":\0001}", 8),
                                  std::string("{\"id\":1}\0", 9),
                                  std::string("\0\0", 2),
                                  std::string("{\"id\":\"\xc3\x28\"}"),
                                  "{\"id\":" + deep,
                                  "{\"id\":" + deep + closed + "}",
                                  std::string("{\"id\":\"\\ud800\"}"),
                                  std::string("{\"id\":\"a\tb\"}"),
                                  std::string("{\"id\":\"\\x\"}"),
                                  "null" + std::string()}) {
    const Decoded got = read(schema, "{\"id\":41}\n" + line + "\n{\"id\":42}\n{\"id\":43}\n");
    EXPECT_THAT(got.rows, ElementsAre("41", "42", "43")) << line;
    EXPECT_EQ(got.errors.size(), 1u) << line;
  }
}

TEST(JsonPoison, ALineThatIsTooLongIsOneBadRecord) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int()}});
  const std::string text =
      "{\"id\":1}\n{\"id\":2,\"x\":\"" + std::string(500, 'y') + "\"}\n{\"id\":3}\n";
  const Decoded got = read(schema, text, {{"json.max-record-bytes", "20"}});
  EXPECT_THAT(got.rows, ElementsAre("1", "3"));
  EXPECT_THAT(got.errors,
              ElementsAre("9+20: record is longer than 20 bytes (json.max-record-bytes)"));
}

// --- Numbers beyond 2^53 and 64 bits, duplicate keys ---

const std::string kLargeNumbers =
    "{\"id\":9007199254740993,\"ok\":1}\n"
    "{\"id\":18446744073709551615,\"ok\":2}\n"
    "{\"id\":412345678901234567890,\"ok\":3}\n";

SchemaPtr large_numbers_schema(DataType type) {
  return make_schema({{"id", type}, {"ok", DataType::integer()}});
}

TEST(JsonLargeNumbers, BigIntIsExactOrAnError) {
  const Decoded got = read(large_numbers_schema(DataType::big_int()), kLargeNumbers);
  EXPECT_THAT(got.rows, ElementsAre("9007199254740993|1"));
  EXPECT_THAT(got.errors,
              ElementsAre(HasSubstr("column 'id' (BIGINT): '18446744073709551615' is out of range"),
                          HasSubstr("'412345678901234567890' is out of range")));
  EXPECT_THAT(read(large_numbers_schema(DataType::big_int()), kLargeNumbers,
                   {{"json.ignore-parse-errors", "true"}})
                  .rows,
              ElementsAre("9007199254740993|1", "NULL|2", "NULL|3"));
}

TEST(JsonLargeNumbers, DecimalDoubleAndStringTakeThem) {
  EXPECT_THAT(
      read(large_numbers_schema(DataType::decimal(38, 0)), kLargeNumbers).rows,
      ElementsAre("9007199254740993|1", "18446744073709551615|2", "412345678901234567890|3"));
  EXPECT_THAT(
      read(large_numbers_schema(DataType::string()), kLargeNumbers).rows,
      ElementsAre("9007199254740993|1", "18446744073709551615|2", "412345678901234567890|3"));
  EXPECT_EQ(read(large_numbers_schema(DataType::float64()), kLargeNumbers).rows.size(), 3u);
}

TEST(JsonLargeNumbers, ANumberThatNobodyDeclaredIsIgnored) {
  EXPECT_THAT(read(make_schema({{"ok", DataType::integer()}}), kLargeNumbers).rows,
              ElementsAre("1", "2", "3"));
}

TEST(JsonLargeNumbers, OfDuplicateKeysTheLastWins) {
  const SchemaPtr schema = make_schema({{"a", DataType::integer()}, {"b", DataType::string()}});
  const Decoded got = read(schema,
                           "{\"a\":1,\"a\":2}\n"
                           "{\"a\":1,\"b\":\"x\",\"a\":2,\"b\":\"yy\"}\n"
                           "{\"a\":\"bad\",\"a\":3}\n"
                           "{\"a\":3,\"a\":\"bad\"}\n"
                           "{\"a\":4,\"a\":null}\n"
                           "{\"a\":5,\"\\u0061\":6}\n");
  EXPECT_THAT(got.rows, ElementsAre("2|NULL", "2|yy", "3|NULL", "NULL|NULL", "6|NULL"));
  EXPECT_EQ(got.errors.size(), 1u);
}

TEST(JsonLargeNumbers, WholeNumbersHoweverTheyAreWritten) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int()}});
  EXPECT_THAT(read(schema,
                   "{\"id\":1.0}\n{\"id\":\"7\"}\n{\"id\":7e2}\n{\"id\":-0.05E2}\n{\"id\":-0}\n"
                   "{\"id\":0e999999999999}\n{\"id\":9223372036854775807.000}\n")
                  .rows,
              ElementsAre("1", "7", "700", "-5", "0", "0", "9223372036854775807"));
  const Decoded bad = read(schema,
                           "{\"id\":1.5}\n{\"id\":1e19}\n{\"id\":1e-1}\n{\"id\":\"1.0\"}\n"
                           "{\"id\":1e99999999999999999999}\n{\"id\":9223372036854775808.0}\n"
                           "{\"id\":true}\n{\"id\":[1]}\n");
  EXPECT_THAT(bad.rows, IsEmpty());
  EXPECT_THAT(bad.errors[0], HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(bad.errors[1], HasSubstr("'1e19' is out of range"));
  EXPECT_THAT(bad.errors[2], HasSubstr("'1e-1' is not a whole number"));
  EXPECT_THAT(bad.errors[3], HasSubstr("'1.0' is not a number"));
  EXPECT_EQ(bad.errors.size(), 8u);
}

// --- Fields ---

TEST(Json, FieldsInAnyOrderAndUnknownOnes) {
  const SchemaPtr schema = make_schema({{"a", DataType::integer()}, {"b", DataType::string()}});
  const Decoded got = read(schema,
                           "{\"a\":1,\"b\":\"x\"}\n"
                           " { \"b\" : \"y\" , \"z\" : [1,{\"a\":9}] , \"a\" : 2 } \r\n"
                           "{}\n\n"
                           "{\"b\":null,\"A\":5}\n"
                           "{\"\\u0062\":\"z\",\"a\":3}");
  EXPECT_THAT(got.rows, ElementsAre("1|x", "2|y", "NULL|NULL", "NULL|NULL", "3|z"));
  EXPECT_THAT(got.errors, IsEmpty());
}

TEST(Json, MissingFields) {
  const SchemaPtr schema = make_schema({{"a", DataType::integer()}, {"b", DataType::string()}});
  const Decoded got =
      read(schema, "{\"a\":1,\"b\":\"x\"}\n{\"a\":1}\n", {{"json.fail-on-missing-field", "true"}});
  EXPECT_THAT(got.rows, ElementsAre("1|x"));
  EXPECT_THAT(got.errors, ElementsAre("16+8: column 'b' (STRING): the line has no such key"));
  const SchemaPtr strict = make_schema({{"a", DataType::integer().with_nullable(false)}});
  EXPECT_EQ(read(strict, "{}\n{\"a\":null}\n").errors.size(), 2u);
}

TEST(Json, NestedValuesOfAStringAreTheirText) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}});
  const Decoded got = read(schema,
                           "{\"s\": {\"a\": [1, 2], \"b\" : \"x \\\" y\"} }\n"
                           "{\"s\":[]}\n{\"s\":true}\n{\"s\":12.50}\n{\"s\":{\"a\":tru}}\n");
  EXPECT_THAT(got.rows, ElementsAre("{\"a\":[1,2],\"b\":\"x \\\" y\"}", "[]", "true", "12.50"));
  EXPECT_EQ(got.errors.size(), 1u);
}

TEST(Json, Escapes) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}});
  EXPECT_THAT(
      read(schema,
           "{\"s\":\"a\\n\\\"\\\\\\/\\u00e9\\ud83d\\ude00\"}\n{\"s\":\"gr\xc3\xbc\xc3\x9f\"}\n")
          .rows,
      ElementsAre("a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f"));
}

TEST(Json, TimestampsByStandard) {
  const SchemaPtr schema =
      make_schema({{"t", DataType::timestamp(3)}, {"l", DataType::timestamp_ltz(3)}});
  const std::string sql = "{\"t\":\"2001-01-01 01:24:00.5\",\"l\":\"2001-01-01 01:24:00Z\"}\n";
  const std::string iso = "{\"t\":\"2001-01-01T01:24:00.5\",\"l\":\"2001-01-01T01:24:00Z\"}\n";
  const std::string row = "2001-01-01 01:24:00.500|2001-01-01 01:24:00.000Z";
  EXPECT_THAT(read(schema, sql).rows, ElementsAre(row));
  EXPECT_EQ(read(schema, iso).errors.size(), 1u);
  const OptionMap iso_option = {{"json.timestamp-format.standard", "ISO-8601"}};
  EXPECT_THAT(read(schema, iso, iso_option).rows, ElementsAre(row));
  EXPECT_EQ(read(schema, sql, iso_option).errors.size(), 1u);
}

// --- The path for lines of one layout ---

TEST(JsonLayout, ChangesNothingButTheSpeed) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int()},
                                        {"name", DataType::string()},
                                        {"ok", DataType::boolean()},
                                        {"x", DataType::float64()}});
  // Each line after lines of the usual layout, so that the layout is learnt, and followed by one.
  const std::string usual = "{\"id\":1,\"name\":\"n\",\"junk\":\"j\",\"ok\":true,\"x\":1.5}\n";
  for (const std::string& line :
       {std::string("{\"id\":2,\"name\":\"a\\\"b\",\"junk\":\"j\",\"ok\":true,\"x\":1.5}"),
        std::string("{\"id\":2,\"name\":\"a\",\"junk\":{\"ok\":1},\"ok\":false,\"x\":-1e3}"),
        std::string("{\"id\":2,\"name\":null,\"junk\":null,\"ok\":null,\"x\":null}"),
        std::string("{\"id\":2,\"name\":7,\"junk\":1.5,\"ok\":\"true\",\"x\":\"2\"}"),
        std::string("{\"id\":2,\"name\":\"\xff\",\"junk\":\"j\",\"ok\":true,\"x\":1.5}"),
        std::string("{\"id\":2,\"name\":\"a\",\"junk\":\"j\",\"ok\":true,\"x\":1.5}}"),
        std::string("{\"id\":2,\"name\":\"a\",\"junk\":\"j\",\"ok\":true,\"x\":01}"),
        std::string("{\"id\":2,\"name\":\"a\",\"junk\":\"j\",\"ok\":true,\"x\":1.5,\"id\":3}"),
        std::string("{\"id\":2,\"name\":\"a\",\"junk\":\"j\",\"ok\":tru,\"x\":1.5}"),
        std::string("{\"id\":2.0,\"name\":\"a\",\"junk\":\"j\",\"ok\":true,\"x\":1.5 }"),
        std::string("{\"id\":2,\"name\":\"a")}) {
    const Decoded alone = read(schema, line + "\n");
    const Decoded among = read(schema, usual + usual + line + "\n" + usual);
    ASSERT_EQ(among.rows.size(), alone.rows.size() + 3) << line;
    EXPECT_EQ(among.errors.size(), alone.errors.size()) << line;
    for (const std::size_t i : {0u, 1u}) EXPECT_EQ(among.rows[i], among.rows.back()) << line;
    if (alone.rows.size() == 1) {
      EXPECT_EQ(among.rows[2], alone.rows[0]) << line;
    }
  }
}

// --- Encoding ---

TEST(JsonEncoder, Values) {
  const SchemaPtr schema = make_schema({{"a \"b\"", DataType::integer()},
                                        {"s", DataType::string()},
                                        {"d", DataType::float64()},
                                        {"m", DataType::decimal(10, 9)},
                                        {"t", DataType::timestamp_ltz(3)}});
  const auto row = [&](std::int64_t i, const std::string& s, double d) {
    return std::vector<Value>{
        Value::of_integer(DataType::integer(), i), Value::of_text(DataType::string(), s),
        Value::of_real(DataType::float64(), d), Value::of_integer(DataType::decimal(10, 9), 27),
        Value::of_integer(DataType::timestamp_ltz(3), 978312240500)};
  };
  std::vector<Value> nulls;
  for (const Field& field : schema->fields) nulls.push_back(Value::null(field.type));
  const BatchPtr batch = batch_of(
      schema, {row(-1, std::string("q\" \\ \n\x01 \xc3\xa9"), 1.5), row(2, "", 1.0 / 0.0), nulls});
  EXPECT_EQ(encode(*format_of(schema, json()), *batch),
            "{\"a \\\"b\\\"\":-1,\"s\":\"q\\\" \\\\ \\n\\u0001 \xc3\xa9\",\"d\":1.5,\"m\":2.7E-8,"
            "\"t\":\"2001-01-01 01:24:00.500Z\"}\n"
            "{\"a \\\"b\\\"\":2,\"s\":\"\",\"d\":\"Infinity\",\"m\":2.7E-8,"
            "\"t\":\"2001-01-01 01:24:00.500Z\"}\n"
            "{\"a \\\"b\\\"\":null,\"s\":null,\"d\":null,\"m\":null,\"t\":null}\n");
  EXPECT_EQ(encode(*format_of(schema, json({{"json.encode.decimal-as-plain-number", "true"},
                                            {"json.encode.ignore-null-fields", "true"},
                                            {"json.timestamp-format.standard", "ISO-8601"}})),
                   *slice(batch, 1, 2)),
            "{\"a \\\"b\\\"\":2,\"s\":\"\",\"d\":\"Infinity\",\"m\":0.000000027,"
            "\"t\":\"2001-01-01T01:24:00.500Z\"}\n{}\n");
}

TEST(JsonOptions, AreChecked) {
  const SchemaPtr schema = make_schema({{"a", DataType::integer()}});
  EXPECT_THAT(format_error(schema, json({{"json.fail-on-missing-field", "true"},
                                         {"json.ignore-parse-errors", "true"}})),
              HasSubstr("exclude each other"));
  EXPECT_THAT(format_error(schema, json({{"json.timestamp-format.standard", "RFC"}})),
              HasSubstr("one of 'SQL', 'ISO-8601'"));
  EXPECT_EQ(format_error(schema, json({{"json.map-null-key.mode", "DROP"}})), "");
  EXPECT_THAT(format_error(schema, json({{"json.ignore-parse-error", "true"}})),
              HasSubstr("did you mean 'json.ignore-parse-errors'?"));
}

}  // namespace
}  // namespace tidemark
