// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/column.h"

#include <gtest/gtest.h>

#include "tidemark/base/random.h"
#include "tidemark/data/value.h"

namespace tidemark {
namespace {

std::vector<Value> values_of(const Column& column) {
  std::vector<Value> values;
  for (std::size_t row = 0; row < column.size(); ++row) values.push_back(value_at(column, row));
  return values;
}

Value random_value(const DataType& type, Random& random) {
  if (random.one_in(4)) return Value::null(type);
  if (is_variable_width(type.kind))
    return Value::of_text(type,
                          std::string(random.below(20), static_cast<char>('a' + random.below(26))));
  if (is_floating(type.kind)) return Value::of_real(type, static_cast<double>(random.below(1000)));
  return Value::of_integer(type, static_cast<std::int64_t>(random.below(100)));
}

const DataType kTypes[] = {
    DataType::boolean(),       DataType::tiny_int(),       DataType::small_int(),
    DataType::integer(),       DataType::big_int(),        DataType::float32(),
    DataType::float64(),       DataType::decimal(38, 3),   DataType::string(),
    DataType::bytes(),         DataType::date(),           DataType::time(3),
    DataType::timestamp(9),    DataType::timestamp_ltz(3), DataType::interval_day(),
    DataType::interval_month()};

// Builds a random column beside a vector of values, and compares every operation with the vector's.
TEST(Column, AgreesWithAVectorOfValues) {
  Random random(1);
  for (const DataType& type : kTypes) {
    for (int round = 0; round < 20; ++round) {
      ColumnBuilder builder(type);
      std::vector<Value> expected;
      const std::size_t rows = random.below(70);
      for (std::size_t i = 0; i < rows; ++i) {
        expected.push_back(random_value(type, random));
        append_value(builder, expected.back());
        if (random.one_in(10)) {
          const std::size_t kept = random.below(expected.size() + 1);
          builder.truncate(kept);
          expected.resize(kept);
        }
      }
      const ColumnPtr column = builder.finish();
      ASSERT_EQ(values_of(*column), expected) << to_string(type);

      std::vector<RowIndex> rows_wanted;
      std::vector<Value> gathered;
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (random.one_in(2)) {
          rows_wanted.push_back(static_cast<RowIndex>(i));
          gathered.push_back(expected[i]);
        }
      ASSERT_EQ(values_of(*gather(*column, rows_wanted)), gathered);

      const std::size_t begin = random.below(expected.size() + 1);
      const std::size_t count = random.below(expected.size() - begin + 1);
      const ColumnPtr part = slice(column, begin, count);
      ASSERT_EQ(values_of(*part),
                std::vector<Value>(expected.begin() + begin, expected.begin() + begin + count));

      const ColumnPtr parts[] = {column, part};
      std::vector<Value> both = expected;
      both.insert(both.end(), expected.begin() + begin, expected.begin() + begin + count);
      ASSERT_EQ(values_of(*concatenate(parts)), both);
    }
  }
}

TEST(ColumnBuilder, IsEmptyAfterFinish) {
  ColumnBuilder builder(DataType::string());
  builder.append_null();
  builder.append_string("x");
  EXPECT_EQ(builder.finish()->null_count(), 1u);
  EXPECT_EQ(builder.size(), 0u);
  const ColumnPtr empty = builder.finish();
  EXPECT_EQ(empty->size(), 0u);
  EXPECT_FALSE(empty->has_nulls());
}

TEST(ColumnBuilder, SetsAnEarlierRowNull) {
  ColumnBuilder builder(DataType::big_int());
  std::int64_t* values = builder.extend<std::int64_t>(9);
  for (int i = 0; i < 9; ++i) values[i] = i;
  builder.set_null(8);
  builder.append<std::int64_t>(9);
  const ColumnPtr column = builder.finish();
  EXPECT_EQ(column->null_count(), 1u);
  EXPECT_TRUE(column->is_null(8));
  EXPECT_EQ(column->value<std::int64_t>(9), 9);
}

}  // namespace
}  // namespace tidemark
