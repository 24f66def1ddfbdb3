// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tidemark/data/value.h"

namespace tidemark {
namespace {

using std::chrono::local_time;
using std::chrono::milliseconds;
using std::chrono::sys_time;

enum class Colour : std::uint8_t { kRed = 1, kBlue = 200 };
enum class Level : std::int8_t { kLow = -1, kHigh = 1 };

struct Everything {
  bool flag = false;
  std::int8_t tiny = 0;
  std::int16_t small = 0;
  std::int32_t medium = 0;
  std::int64_t big = 0;
  float single = 0;
  double real = 0;
  std::string text;
  sys_time<milliseconds> instant{};
  local_time<milliseconds> wall{};
  Colour colour = Colour::kRed;
  Level level = Level::kLow;
  std::optional<std::int32_t> maybe;
  std::optional<std::string> maybe_text;

  friend bool operator==(const Everything&, const Everything&) = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (flag, tiny, small, medium, big, single, real, text, instant, wall, colour,
                       level, maybe, maybe_text))

struct Place {
  double x = 0;
  double y = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
BOOST_DESCRIBE_STRUCT(Place, (), (x, y))

struct Base {
  std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Visit : Base {
  std::string_view who;
  Place at;
};
BOOST_DESCRIBE_STRUCT(Visit, (Base), (who, at))

struct WithVector {
  std::vector<int> values;
};
BOOST_DESCRIBE_STRUCT(WithVector, (), (values))

struct WithUnsigned {
  std::uint32_t value = 0;
};
BOOST_DESCRIBE_STRUCT(WithUnsigned, (), (value))

struct WithOptionalStruct {
  std::optional<Place> at;
};
BOOST_DESCRIBE_STRUCT(WithOptionalStruct, (), (at))

struct WithoutDefault {
  explicit WithoutDefault(int v) : value(v) {}
  int value;
};
BOOST_DESCRIBE_STRUCT(WithoutDefault, (), (value))

struct PartlyDescribed {
  std::int64_t shown = 0;
  std::int64_t hidden = 0;
};
BOOST_DESCRIBE_STRUCT(PartlyDescribed, (), (shown))

struct Undescribed {
  int value = 0;
};

// What may be a record, and what not, is decided by the compiler.
static_assert(Record<Everything>);
static_assert(Record<Visit>);
static_assert(Record<std::int64_t>);
static_assert(Record<std::string>);
static_assert(Record<std::tuple<std::string, std::int64_t>>);
static_assert(Record<std::pair<Place, double>>);
static_assert(!Record<WithVector>);
static_assert(!Record<WithUnsigned>);
static_assert(!Record<WithOptionalStruct>);
static_assert(!Record<WithoutDefault>);
static_assert(!Record<Undescribed>);
static_assert(!Record<std::tuple<>>);
static_assert(!Record<char>);
static_assert(!Record<int*>);
static_assert(kColumnsOf<Visit> == 4);

TEST(RecordSchema, NamesAndTypesOfEveryFieldType) {
  EXPECT_EQ(
      to_string(*schema_of<Everything>()),
      "(flag BOOLEAN NOT NULL, tiny TINYINT NOT NULL, small SMALLINT NOT NULL, medium INT NOT "
      "NULL, big BIGINT NOT NULL, single FLOAT NOT NULL, real DOUBLE NOT NULL, text STRING NOT "
      "NULL, instant TIMESTAMP_LTZ(3) NOT NULL, wall TIMESTAMP(3) NOT NULL, colour SMALLINT "
      "NOT NULL, level TINYINT NOT NULL, maybe INT, maybe_text STRING)");
}

TEST(RecordSchema, FlattensNestedStructsAndInheritsMembers) {
  EXPECT_EQ(
      to_string(*schema_of<Visit>()),
      "(id BIGINT NOT NULL, who STRING NOT NULL, at.x DOUBLE NOT NULL, at.y DOUBLE NOT NULL)");
}

TEST(RecordSchema, NamesOfTuplesAndOfSingleFields) {
  using Pair = std::tuple<std::string, Place>;
  EXPECT_EQ(to_string(*schema_of<Pair>()),
            "(f0 STRING NOT NULL, f1.x DOUBLE NOT NULL, f1.y DOUBLE NOT NULL)");
  EXPECT_EQ(to_string(*schema_of<std::optional<double>>()), "(value DOUBLE)");
}

TEST(RecordSchema, ColumnOfAMember) {
  EXPECT_EQ(column_of<Visit>(&Visit::id), 0u);
  EXPECT_EQ(column_of<Visit>(&Visit::who), 1u);
  EXPECT_EQ(column_of<Visit>(&Visit::at), 2u);
  EXPECT_EQ(column_of<Place>(&Place::y), 1u);
  EXPECT_EQ(column_of<PartlyDescribed>(&PartlyDescribed::hidden), std::nullopt);
}

Everything sample(int i) {
  Everything row;
  row.flag = i % 2 == 0;
  row.tiny = static_cast<std::int8_t>(-i);
  row.small = static_cast<std::int16_t>(i * 100);
  row.medium = i * -100'000;
  row.big = std::int64_t{1} << (i % 60);
  row.single = static_cast<float>(i) / 2;
  row.real = i * 0.1;
  row.text = std::string(static_cast<std::size_t>(i % 40), 'x');
  row.instant = sys_time<milliseconds>(milliseconds(-i));
  row.wall = local_time<milliseconds>(milliseconds(i));
  row.colour = i % 3 == 0 ? Colour::kBlue : Colour::kRed;
  row.level = i % 3 == 0 ? Level::kHigh : Level::kLow;
  if (i % 5 != 0) row.maybe = i;
  if (i % 7 == 0) row.maybe_text = std::to_string(i);
  return row;
}

TEST(RecordWriter, WhatIsWrittenReadsBackThroughSeveralBatches) {
  RecordWriter<Everything> writer;
  for (const int rows : {0, 1, 63, 64, 65, 1000}) {
    std::vector<Everything> expected;
    for (int i = 0; i < rows; ++i) expected.push_back(sample(i));
    for (const Everything& row : expected) writer.append(row);
    const BatchPtr batch = writer.finish();
    ASSERT_EQ(batch->rows(), static_cast<std::size_t>(rows));
    EXPECT_EQ(read_records<Everything>(*batch), expected);
    EXPECT_EQ(writer.rows(), 0u);
  }
}

TEST(RecordWriter, ColumnsWithoutNullHaveNoBitmap) {
  RecordWriter<std::optional<std::int32_t>> writer;
  writer.append(std::nullopt);
  EXPECT_EQ(writer.finish()->column(0).null_count(), 1u);
  writer.append(7);
  EXPECT_EQ(writer.finish()->column(0).validity_bits(), nullptr);
}

TEST(RecordWriter, NullsAreWhereTheyWerePut) {
  RecordWriter<std::optional<std::int64_t>> writer;
  for (std::int64_t i = 0; i < 200; ++i)
    writer.append(i % 3 == 0 ? std::nullopt : std::optional<std::int64_t>(i));
  const BatchPtr batch = writer.finish();
  EXPECT_EQ(batch->column(0).null_count(), 67u);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(batch->column(0).is_null(i), i % 3 == 0) << i;
}

TEST(RecordReader, StringViewsPointIntoTheBatch) {
  RecordWriter<Visit> writer;
  Visit visit;
  visit.id = 3;
  visit.who = "somebody with a long name that no small string holds";
  visit.at = {1.5, -2};
  writer.append(visit);
  const BatchPtr batch = writer.finish();
  RecordReader<Visit> reader;
  reader.attach(*batch);
  const Visit read = reader.row(0);
  EXPECT_EQ(read.id, 3);
  EXPECT_EQ(read.at, (Place{1.5, -2}));
  EXPECT_EQ(read.who, visit.who);
  EXPECT_EQ(static_cast<const void*>(read.who.data()), batch->column(1).bytes());
}

TEST(RecordReader, BindFindsColumnsByName) {
  const SchemaPtr schema = make_schema({{"more", DataType::string()},
                                        {"y", DataType::float64().with_nullable(false)},
                                        {"x", DataType::float64().with_nullable(false)}});
  ColumnBuilder more(schema->fields[0].type), y(schema->fields[1].type), x(schema->fields[2].type);
  more.append_null();
  y.append(2.0);
  x.append(1.0);
  const Batch batch(schema, 1, {more.finish(), y.finish(), x.finish()});
  Result<RecordReader<Place>> reader = RecordReader<Place>::bind(*schema);
  ASSERT_TRUE(reader.ok());
  reader->attach(batch);
  EXPECT_EQ(reader->row(0), (Place{1, 2}));
}

std::string bind_error(std::vector<Field> fields) {
  return RecordReader<Place>::bind(Schema{std::move(fields)}).error().message;
}

TEST(RecordReader, AMissingColumnIsNamedWithTheNearest) {
  EXPECT_THAT(bind_error({{"X", DataType::float64()}}),
              ::testing::AllOf(::testing::HasSubstr("field 'x'"),
                               ::testing::HasSubstr("did you mean 'X'?")));
}

TEST(RecordReader, AWrongTypeIsNamedWithBothTypes) {
  EXPECT_EQ(bind_error({{"x", DataType::string()}}),
            "field 'x' of the record is DOUBLE NOT NULL, but its column is STRING");
}

TEST(RecordReader, ANullableColumnNeedsAnOptionalField) {
  EXPECT_EQ(
      bind_error({{"x", DataType::float64()}}),
      "field 'x' of the record is DOUBLE NOT NULL, but its column is DOUBLE: make the field a "
      "std::optional, or the column NOT NULL");
}

TEST(RecordReader, TimestampsOfOtherUnitsAreRefused) {
  using Instant = sys_time<milliseconds>;
  const auto bind = [](std::uint8_t precision) {
    return RecordReader<Instant>::bind(
        Schema{{{"value", DataType::timestamp_ltz(precision).with_nullable(false)}}});
  };
  EXPECT_TRUE(bind(0).ok());
  EXPECT_TRUE(bind(3).ok());
  EXPECT_FALSE(bind(6).ok());
}

}  // namespace
}  // namespace tidemark
