// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/random.h"
#include "tidemark/format/format_testing.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Strings = std::vector<std::string>;

SchemaPtr two_ints() {
  return make_schema({{"a", DataType::integer()}, {"b", DataType::integer()}});
}

OptionMap csv(OptionMap options = {}) {
  options.emplace("format", "csv");
  return options;
}

// One row of one column of type `type`, or the error.
std::string value_of(DataType type, const std::string& text, OptionMap options = {}) {
  const SchemaPtr schema = make_schema({{"x", type}, {"y", DataType::integer()}});
  const Decoded got = decode(*format_of(schema, csv(std::move(options))), schema, text + ",1\n");
  if (!got.errors.empty()) return got.errors[0].substr(got.errors[0].find(": ") + 2);
  return got.rows[0].substr(0, got.rows[0].rfind('|'));
}

// --- Quotes, line breaks inside quotes, CRLF, BOM, empty and quoted empty ---

const std::string kQuoted =
    "\xef\xbb\xbfid,name,note\r\n"
    "1,\"a,b\",\"line1\nline2\"\r\n"
    "2,\"say \"\"hi\"\"\",\r\n"
    "3,,\"\"\r\n";

SchemaPtr quoted_schema() {
  return make_schema(
      {{"id", DataType::integer()}, {"name", DataType::string()}, {"note", DataType::string()}});
}

const Strings kQuotedRows = {"1|a,b|line1\nline2", "2|say \"hi\"|", "3||"};

TEST(CsvQuotes, ThreeRowsForEverySplitPosition) {
  ASSERT_EQ(kQuoted.size(), 64u);
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv({{"csv.ignore-first-line", "true"}}));
  for (std::size_t cut = 0; cut <= kQuoted.size(); ++cut) {
    const Decoded got = decode(*format, schema, kQuoted, {cut});
    EXPECT_EQ(got.rows, kQuotedRows) << "cut at " << cut;
    EXPECT_THAT(got.errors, IsEmpty()) << "cut at " << cut;
  }
}

TEST(CsvQuotes, EveryByteByItself) {
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv({{"csv.ignore-first-line", "true"}}));
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 0; cut < kQuoted.size(); ++cut) cuts.push_back(cut);
  EXPECT_EQ(decode(*format, schema, kQuoted, cuts, 1).rows, kQuotedRows);
}

TEST(CsvQuotes, TheLastRecordMayLackItsLineEnd) {
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv({{"csv.ignore-first-line", "true"}}));
  for (const std::size_t missing : {1u, 2u}) {
    const std::string text = kQuoted.substr(0, kQuoted.size() - missing);
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
      EXPECT_EQ(decode(*format, schema, text, {cut}).rows, kQuotedRows) << "cut at " << cut;
  }
}

TEST(CsvQuotes, AnUnclosedQuoteCostsOneRecord) {
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv());
  const std::string text = "1,a,b\n2,\"open,c\n3,d,e\n4,f,g\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const Decoded got = decode(*format, schema, text, {cut});
    EXPECT_THAT(got.rows, ElementsAre("1|a|b", "3|d|e", "4|f|g"));
    ASSERT_EQ(got.errors.size(), 1u);
    EXPECT_EQ(got.errors[0],
              "6+10: column 'name' (STRING): the quote is not closed within the file");
  }
}

TEST(CsvQuotes, AnUnclosedQuoteIsBoundedInMemory) {
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv({{"csv.max-record-bytes", "100"}}));
  std::string text = "1,a,b\n2,\"open,c\n";
  for (int i = 3; i < 200; ++i) text += std::to_string(i) + ",d,e\n";
  Decoded whole = decode(*format, schema, text);
  EXPECT_EQ(whole.rows.size(), 198u);
  ASSERT_EQ(whole.errors.size(), 1u);
  EXPECT_THAT(whole.errors[0], HasSubstr("not closed within 100 bytes (csv.max-record-bytes)"));
  // The decoder decides as soon as it has more than the bound, not at the end of the file.
  const std::unique_ptr<Decoder> decoder = format->make_decoder();
  std::vector<ColumnBuilder> builders;
  for (const Field& field : schema->fields) builders.emplace_back(field.type);
  std::vector<FormatError> errors;
  const std::string front = text.substr(6, 101) + std::string(64, 'x');
  decoder->decode(std::string_view(front).substr(0, 101), false, false, 10, builders, errors);
  EXPECT_EQ(errors.size(), 1u);
}

TEST(CsvQuotes, AQuoteThatPairsWithALaterOneCostsOneRecord) {
  const SchemaPtr schema = quoted_schema();
  const auto format = format_of(schema, csv());
  const Decoded got = decode(*format, schema, "1,a,b\n2,\"open,c\n3,\"d\",e\n4,f,g\n");
  EXPECT_THAT(got.rows, ElementsAre("1|a|b", "3|d|e", "4|f|g"));
  ASSERT_EQ(got.errors.size(), 1u);
  EXPECT_THAT(got.errors[0], HasSubstr("text after the closing quote"));
}

// --- Lines and fields ---

TEST(Csv, BothLineEndsAndTheByteOrderMark) {
  const SchemaPtr schema = two_ints();
  const auto format = format_of(schema, csv());
  EXPECT_THAT(decode(*format, schema, "1,2\r\n3,4\n\xef").rows, ElementsAre("1|2", "3|4"));
  EXPECT_THAT(decode(*format, schema,
                     "\xef\xbb\xbf"
                     "1,2\r\n3,4")
                  .rows,
              ElementsAre("1|2", "3|4"));
  EXPECT_THAT(decode(*format, schema, "").rows, IsEmpty());
  EXPECT_THAT(decode(*format, schema, "\xef\xbb\xbf").rows, IsEmpty());
}

TEST(Csv, AHeaderLineIsSuspectedWhereItIsABadRecord) {
  const SchemaPtr schema = make_schema({{"id", DataType::integer()}, {"b", DataType::string()}});
  const std::string cure = "; a header line is left out with 'csv.ignore-first-line' = 'true'";
  const auto format = format_of(schema, csv());
  for (const std::string line : {"id,b\n", "id\n", "\"id\",b\r\n", "\xef\xbb\xbfid,b\n"})
    EXPECT_THAT(decode(*format, schema, line + "1,x\n").errors, ElementsAre(EndsWith(cure)))
        << line;
  EXPECT_THAT(decode(*format, schema, "idx,b\n").errors, ElementsAre(Not(EndsWith(cure))));
  EXPECT_THAT(decode(*format, schema, "1,b\nid,b\n").errors, ElementsAre(Not(EndsWith(cure))));
}

TEST(Csv, TheNumberOfFieldsMustBeRight) {
  const SchemaPtr schema = two_ints();
  const Decoded got = decode(*format_of(schema, csv()), schema, "1,2\n3\n4,5,6\n\n7,8\n,\n");
  EXPECT_THAT(got.rows, ElementsAre("1|2", "7|8", "NULL|NULL"));
  EXPECT_THAT(got.errors, ElementsAre("4+2: record has 1 field, the table has 2 columns",
                                      "6+6: record has 3 fields, the table has 2 columns"));
}

TEST(Csv, ABlankLineIsARecordOnlyOfAOneColumnTable) {
  const SchemaPtr one = make_schema({{"s", DataType::string()}});
  EXPECT_THAT(decode(*format_of(one, csv()), one, "a\n\nb\r\n\r\n").rows,
              ElementsAre("a", "", "b", ""));
  const SchemaPtr number = make_schema({{"n", DataType::integer()}});
  EXPECT_THAT(decode(*format_of(number, csv()), number, "1\n\n").rows, ElementsAre("1", "NULL"));
}

TEST(Csv, BareEmptyIsNullButForStrings) {
  const SchemaPtr schema = make_schema(
      {{"s", DataType::string()}, {"n", DataType::integer()}, {"b", DataType::bytes()}});
  EXPECT_THAT(decode(*format_of(schema, csv()), schema, ",,\n\"\",,\"\"\n").rows,
              ElementsAre("|NULL|NULL", "|NULL|x''"));
  const Decoded quoted = decode(*format_of(schema, csv()), schema, ",\"\",\n");
  EXPECT_THAT(quoted.errors, ElementsAre(HasSubstr("column 'n' (INT): '' is not a number")));
}

TEST(Csv, NullLiteral) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}, {"n", DataType::integer()}});
  const std::string text = "n/a,n/a\n\"n/a\",1\n,2\nx,\n";
  EXPECT_THAT(decode(*format_of(schema, csv({{"csv.null-literal", "n/a"}})), schema, text).rows,
              ElementsAre("NULL|NULL", "n/a|1", "|2", "x|NULL"));
  // It is looked for before escapes are resolved: '\N' is what databases write.
  EXPECT_THAT(
      decode(*format_of(schema, csv({{"csv.null-literal", "\\N"}, {"csv.escape-character", "\\"}})),
             schema, "\\N,\\N\n\\\\N,1\n")
          .rows,
      ElementsAre("NULL|NULL", "\\N|1"));
  // A literal that reads as a value wins over it, and an empty one makes strings NULL.
  EXPECT_THAT(decode(*format_of(schema, csv({{"csv.null-literal", "-1"}})), schema, "-1,-1\n").rows,
              ElementsAre("NULL|NULL"));
  EXPECT_THAT(
      decode(*format_of(schema, csv({{"csv.null-literal", ""}})), schema, ",1\n\"\",2\n").rows,
      ElementsAre("NULL|1", "|2"));
}

TEST(Csv, NullInANotNullColumnIsABadRecord) {
  const SchemaPtr schema =
      make_schema({{"a", DataType::integer().with_nullable(false)}, {"b", DataType::integer()}});
  const Decoded got = decode(*format_of(schema, csv()), schema, "1,2\n,3\n");
  EXPECT_THAT(got.rows, ElementsAre("1|2"));
  EXPECT_THAT(got.errors, ElementsAre("4+3: column 'a' (INT NOT NULL): '' is NULL"));
}

TEST(Csv, OtherDelimitersQuotesAndEscapes) {
  const SchemaPtr schema = make_schema({{"a", DataType::string()}, {"b", DataType::string()}});
  EXPECT_THAT(
      decode(*format_of(schema, csv({{"csv.field-delimiter", "\\t"}})), schema, "x,y\tz\n").rows,
      ElementsAre("x,y|z"));
  EXPECT_THAT(
      decode(*format_of(schema, csv({{"csv.field-delimiter", "\\u0001"}})), schema, "x\1y\n").rows,
      ElementsAre("x|y"));
  EXPECT_THAT(
      decode(*format_of(schema, csv({{"csv.field-delimiter", ";"}, {"csv.quote-character", "'"}})),
             schema, "'x;''y';\"z\n")
          .rows,
      ElementsAre("x;'y|\"z"));
  EXPECT_THAT(decode(*format_of(schema, csv({{"csv.disable-quote-character", "true"}})), schema,
                     "\"x,y\"\n")
                  .rows,
              ElementsAre("\"x|y\""));
  const auto escaped = format_of(schema, csv({{"csv.escape-character", "\\"}}));
  const std::string text = "a\\,b,c\\n\n\"d\\\"e\",\\\\\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_THAT(decode(*escaped, schema, text, {cut}).rows, ElementsAre("a,b|c\n", "d\"e|\\"));
}

TEST(Csv, AQuoteWithinAPlainFieldIsText) {
  const SchemaPtr schema = make_schema({{"a", DataType::string()}, {"b", DataType::string()}});
  EXPECT_THAT(decode(*format_of(schema, csv()), schema, "5\" nails,say \"hi\"\n").rows,
              ElementsAre("5\" nails|say \"hi\""));
}

TEST(Csv, CommentsOnRequest) {
  const SchemaPtr schema = two_ints();
  const std::string text = "#x\n1,2\n#3,4\n5,6\n#";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const Decoded got =
        decode(*format_of(schema, csv({{"csv.allow-comments", "true"}})), schema, text, {cut});
    EXPECT_THAT(got.rows, ElementsAre("1|2", "5|6"));
    EXPECT_THAT(got.errors, IsEmpty());
  }
  EXPECT_EQ(decode(*format_of(schema, csv()), schema, text).errors.size(), 3u);
}

TEST(Csv, ALineThatIsTooLongIsOneBadRecord) {
  const SchemaPtr schema = two_ints();
  const auto format = format_of(schema, csv({{"csv.max-record-bytes", "10"}}));
  const std::string text = "1,2\n" + std::string(100, '9') + ",1\n3,4\n12345,789\n123456,789\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const Decoded got = decode(*format, schema, text, {cut});
    EXPECT_THAT(got.rows, ElementsAre("1|2", "3|4", "12345|789")) << cut;
    EXPECT_THAT(got.errors,
                ElementsAre("4+10: record is longer than 10 bytes (csv.max-record-bytes)",
                            "121+10: record is longer than 10 bytes (csv.max-record-bytes)"))
        << cut;
  }
}

TEST(Csv, IgnoreParseErrorsMakesFieldsNull) {
  const SchemaPtr schema = two_ints();
  const Decoded got = decode(*format_of(schema, csv({{"csv.ignore-parse-errors", "true"}})), schema,
                             "x,1\n2\n3,4,5\n6,99999999999\n");
  EXPECT_THAT(got.rows, ElementsAre("NULL|1", "2|NULL", "3|4", "6|NULL"));
  EXPECT_THAT(got.errors, IsEmpty());
}

// --- Values ---

TEST(CsvValues, Integers) {
  EXPECT_EQ(value_of(DataType::tiny_int(), "-128"), "-128");
  EXPECT_EQ(value_of(DataType::tiny_int(), "128"), "column 'x' (TINYINT): '128' is out of range");
  EXPECT_EQ(value_of(DataType::small_int(), "-32769"),
            "column 'x' (SMALLINT): '-32769' is out of range");
  EXPECT_EQ(value_of(DataType::integer(), "2147483647"), "2147483647");
  EXPECT_EQ(value_of(DataType::integer(), "2147483648"),
            "column 'x' (INT): '2147483648' is out of range");
  EXPECT_EQ(value_of(DataType::big_int(), "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(value_of(DataType::big_int(), "9223372036854775808"),
            "column 'x' (BIGINT): '9223372036854775808' is out of range");
  EXPECT_EQ(value_of(DataType::big_int(), "0000000000000000000000005"), "5");
  EXPECT_EQ(value_of(DataType::integer(), " +7 "), "7");
  for (const char* text : {"abc", "-", "+", "+-1", "--1", "1.5", "1 2", "0x10", "1e3", "12345678a",
                           "a12345678", "123456789/"})
    EXPECT_EQ(value_of(DataType::integer(), text),
              "column 'x' (INT): '" + std::string(text) + "' is not a number");
}

TEST(CsvValues, IntegersOfEveryLength) {
  std::string digits;
  std::int64_t value = 0;
  for (int i = 1; i <= 18; ++i) {
    digits += static_cast<char>('0' + i % 10);
    value = value * 10 + i % 10;
    EXPECT_EQ(value_of(DataType::big_int(), digits), std::to_string(value));
    EXPECT_EQ(value_of(DataType::big_int(), "-" + digits), std::to_string(-value));
  }
}

TEST(CsvValues, Reals) {
  EXPECT_EQ(value_of(DataType::float64(), "1e3"), value_of(DataType::float64(), "1000"));
  EXPECT_EQ(value_of(DataType::float64(), "1e-400"), value_of(DataType::float64(), "0"));
  EXPECT_EQ(value_of(DataType::float64(), "1e400"), "column 'x' (DOUBLE): '1e400' is out of range");
  EXPECT_EQ(value_of(DataType::float32(), "1e39"), "column 'x' (FLOAT): '1e39' is out of range");
  EXPECT_EQ(value_of(DataType::float64(), "1.5x"), "column 'x' (DOUBLE): '1.5x' is not a number");
  EXPECT_EQ(value_of(DataType::float64(), " +2.5"), value_of(DataType::float64(), "2.5"));
}

TEST(CsvValues, DecimalsAreExact) {
  EXPECT_EQ(value_of(DataType::decimal(38, 10), "1234567890123456789012345678.0123456789"),
            "1234567890123456789012345678.0123456789");
  EXPECT_EQ(value_of(DataType::decimal(4, 2), "12.345"), "12.35");
  EXPECT_EQ(value_of(DataType::decimal(4, 2), "123.4"),
            "column 'x' (DECIMAL(4, 2)): '123.4' is out of range");
  EXPECT_EQ(value_of(DataType::decimal(4, 2), "1x"),
            "column 'x' (DECIMAL(4, 2)): '1x' is not a number");
}

TEST(CsvValues, BooleansAndBytes) {
  EXPECT_EQ(value_of(DataType::boolean(), "TRUE"), "TRUE");
  EXPECT_EQ(value_of(DataType::boolean(), "false"), "FALSE");
  EXPECT_EQ(value_of(DataType::boolean(), "1"), "column 'x' (BOOLEAN): '1' is not true or false");
  EXPECT_EQ(value_of(DataType::bytes(), "!"), "column 'x' (BYTES): '!' is not base 64");
}

TEST(CsvValues, Times) {
  EXPECT_EQ(value_of(DataType::date(), "2001-02-03"), "2001-02-03");
  EXPECT_EQ(value_of(DataType::date(), "2001-02-30"),
            "column 'x' (DATE): '2001-02-30' is not a date (yyyy-MM-dd)");
  EXPECT_EQ(value_of(DataType::time(3), "01:02:03.456"), "01:02:03.456");
  const DataType ts = DataType::timestamp(3);
  EXPECT_EQ(value_of(ts, "2001-01-01 01:24:00"), "2001-01-01 01:24:00.000");
  EXPECT_EQ(value_of(ts, "2001-01-01T01:24:00.1239"), "2001-01-01 01:24:00.123");
  EXPECT_EQ(value_of(ts, "1969-12-31 23:59:59.5"), "1969-12-31 23:59:59.500");
  for (const char* text : {"2001-01-01 24:00:00", "2001-01-01 01:60:00", "2001-13-01 01:00:00",
                           "2001-01-01x01:00:00", "2001-01-01 01-00:00", "yesterday"})
    EXPECT_EQ(value_of(ts, text), "column 'x' (TIMESTAMP(3)): '" + std::string(text) +
                                      "' is not a timestamp (yyyy-MM-dd HH:mm:ss)");
  EXPECT_EQ(value_of(DataType::timestamp(9), "2300-01-01 00:00:00"),
            "column 'x' (TIMESTAMP(9)): '2300-01-01 00:00:00' is out of range");
}

TEST(CsvValues, InstantsFollowTheirZone) {
  const SchemaPtr schema = make_schema({{"x", DataType::timestamp_ltz(3)}});
  const auto format = format_of(schema, csv(), "Europe/Berlin");
  EXPECT_THAT(decode(*format, schema,
                     "2001-01-01 01:24:00Z\n2001-01-01 01:24:00\n2001-07-01 12:00:00\n"
                     "2001-01-01 01:24:00+05:30\n"
                     "2001-03-25 02:30:00\n2001-10-28 02:30:00\n")
                  .rows,
              ElementsAre("2001-01-01 01:24:00.000Z", "2001-01-01 00:24:00.000Z",
                          "2001-07-01 10:00:00.000Z", "2000-12-31 19:54:00.000Z",
                          "2001-03-25 01:30:00.000Z", "2001-10-28 00:30:00.000Z"));
}

TEST(CsvValues, TextMustBeUtf8) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}, {"n", DataType::integer()}});
  const Decoded got =
      decode(*format_of(schema, csv()), schema, "gr\xc3\xbc\xc3\x9f,1\n\xff\xfe,2\nok,3\n");
  EXPECT_THAT(got.rows, ElementsAre("gr\xc3\xbc\xc3\x9f|1", "ok|3"));
  EXPECT_THAT(got.errors, ElementsAre(HasSubstr("column 's' (STRING): the text is not UTF-8")));
}

// --- The fast path and the careful one agree ---

TEST(Csv, ABadRecordAmongManyCostsOnlyItself) {
  const SchemaPtr schema = make_schema(
      {{"a", DataType::integer()}, {"s", DataType::string()}, {"t", DataType::timestamp(3)}});
  const auto format = format_of(schema, csv());
  std::string text;
  Strings rows;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    if (i % 997 == 500) {
      text += "bad," + n + ",2001-01-01 00:00:00\n";
    } else if (i % 701 == 3) {
      text += n + ",\"q" + n + "\",2001-01-01 00:00:00\n";
      rows.push_back(n + "|q" + n + "|2001-01-01 00:00:00.000");
    } else {
      text += n + ",s" + n + ",2001-01-01 00:00:00\r\n";
      rows.push_back(n + "|s" + n + "|2001-01-01 00:00:00.000");
    }
  }
  for (const std::size_t rows_max : {1u, 7u, 1024u, 4096u}) {
    const Decoded got = decode(*format, schema, text, {}, rows_max);
    EXPECT_EQ(got.rows, rows);
    EXPECT_EQ(got.errors.size(), 5u);
  }
}

// --- Encoding ---

TEST(CsvEncoder, QuotesOnlyWhereItMust) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}, {"n", DataType::integer()}});
  const DataType s = DataType::string();
  const DataType n = DataType::integer();
  const BatchPtr batch =
      batch_of(schema, {{Value::of_text(s, "plain text"), Value::of_integer(n, 1)},
                        {Value::of_text(s, "a,b"), Value::null(n)},
                        {Value::of_text(s, "say \"hi\""), Value::of_integer(n, -2)},
                        {Value::of_text(s, "two\nlines"), Value::of_integer(n, 3)},
                        {Value::null(s), Value::of_integer(n, 4)}});
  EXPECT_EQ(encode(*format_of(schema, csv()), *batch),
            "plain text,1\n\"a,b\",\n\"say \"\"hi\"\"\",-2\n\"two\nlines\",3\n,4\n");
}

TEST(CsvEncoder, RefusesWhatItCannotWriteWithoutQuotes) {
  const SchemaPtr schema = make_schema({{"s", DataType::string()}});
  const BatchPtr batch = batch_of(schema, {{Value::of_text(DataType::string(), "a,b")}});
  EXPECT_THROW(encode(*format_of(schema, csv({{"csv.disable-quote-character", "true"}})), *batch),
               Failure);
  EXPECT_EQ(encode(*format_of(schema, csv({{"csv.disable-quote-character", "true"},
                                           {"csv.escape-character", "\\"}})),
                   *batch),
            "a\\,b\n");
}

// --- Options ---

TEST(CsvOptions, AreChecked) {
  const SchemaPtr schema = two_ints();
  EXPECT_THAT(format_error(schema, csv({{"csv.field-delimiter", "ab"}})),
              HasSubstr("table 't': option 'csv.field-delimiter' takes one ASCII character"));
  EXPECT_THAT(format_error(schema, csv({{"csv.field-delimiter", "\""}})),
              HasSubstr("takes another character"));
  EXPECT_THAT(format_error(schema, csv({{"csv.array-element-delimiter", ";"}})),
              HasSubstr("does not have"));
  EXPECT_THAT(format_error(schema, csv({{"csv.field-delimeter", ";"}})),
              HasSubstr("did you mean 'csv.field-delimiter'?"));
  EXPECT_THAT(format_error(schema, csv({{"csv.max-record-bytes", "0"}})),
              HasSubstr("takes a size from 1 byte to 1 gb"));
  EXPECT_THAT(format_error(schema, {{"format", "avro"}}), HasSubstr("one of 'csv', 'json'"));
  EXPECT_THAT(format_error(schema, {}), HasSubstr("option 'format' is required"));
  EXPECT_THAT(format_error(make_schema({{"i", DataType::interval_day()}}), csv()),
              HasSubstr("format 'csv' cannot hold"));
}

}  // namespace
}  // namespace tidemark
