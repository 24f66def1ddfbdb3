// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/key.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/base/random.h"
#include "tidemark/data/value.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DataType not_null(DataType type) {
  return type.with_nullable(false);
}

std::string key_bytes(const KeyBatch& keys, std::size_t i) {
  const std::size_t words = key_words(keys.encoding);
  if (words == 0) return std::string(keys.variable(i));
  return {reinterpret_cast<const char*>(&keys.fixed[i * words]), 8 * words};
}

KeyedEntry entry_of(const KeyBatch& keys, std::size_t i) {
  KeyedEntry entry;
  if (keys.encoding == KeyEncoding::kFixed8) entry.fixed_key = keys.fixed[i];
  if (keys.encoding == KeyEncoding::kFixed16)
    entry.variable_key = {reinterpret_cast<const char*>(&keys.fixed[2 * i]), 16};
  if (keys.encoding == KeyEncoding::kVariable) entry.variable_key = keys.variable(i);
  return entry;
}

BatchPtr batch_of(const std::vector<DataType>& types, const std::vector<std::vector<Value>>& rows) {
  std::vector<Field> fields;
  std::vector<ColumnPtr> columns;
  for (std::size_t c = 0; c < types.size(); ++c) {
    fields.push_back({"c" + std::to_string(c), types[c]});
    ColumnBuilder builder(types[c]);
    for (const auto& row : rows) append_value(builder, row[c]);
    columns.push_back(builder.finish());
  }
  return std::make_shared<const Batch>(make_schema(fields), rows.size(), columns);
}

KeyBatch encode(const std::vector<DataType>& types, const std::vector<std::vector<Value>>& rows) {
  std::vector<std::size_t> columns(types.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  KeyBatch keys;
  KeyCodec(columns, types).encode(*batch_of(types, rows), keys);
  return keys;
}

Value number(DataType type, std::int64_t value) {
  return Value::of_integer(type, value);
}
Value text(std::string value) {
  return Value::of_text(DataType::string(), std::move(value));
}

TEST(KeyEncodingTest, FollowsFromTheWidthOfTheColumns) {
  const auto encoding = [](std::vector<DataType> types) { return key_encoding_of(types); };
  EXPECT_EQ(encoding({}), KeyEncoding::kFixed8);
  EXPECT_EQ(encoding({not_null(DataType::big_int())}), KeyEncoding::kFixed8);
  EXPECT_EQ(encoding({DataType::integer()}), KeyEncoding::kFixed8);
  EXPECT_EQ(encoding({not_null(DataType::integer()), not_null(DataType::date())}),
            KeyEncoding::kFixed8);
  EXPECT_EQ(encoding({DataType::big_int()}), KeyEncoding::kFixed16);
  EXPECT_EQ(encoding({not_null(DataType::big_int()), not_null(DataType::big_int())}),
            KeyEncoding::kFixed16);
  EXPECT_EQ(encoding({not_null(DataType::decimal(38, 2))}), KeyEncoding::kFixed16);
  EXPECT_EQ(encoding({DataType::big_int(), DataType::big_int()}), KeyEncoding::kVariable);
  EXPECT_EQ(encoding({not_null(DataType::string())}), KeyEncoding::kVariable);
}

TEST(KeyCodecTest, FixedKeysAreTheirBytesPaddedWithZeros) {
  const DataType type = not_null(DataType::integer());
  const KeyBatch keys = encode({type}, {{number(type, -2)}, {number(type, 7)}});
  EXPECT_THAT(keys.fixed, ElementsAre(0xfffffffeu, 7u));

  const DataType small = DataType::small_int();
  const KeyBatch nullable = encode({small}, {{number(small, 0x0102)}, {Value::null(small)}});
  EXPECT_THAT(nullable.fixed, ElementsAre(0x010201u, 0u));
}

TEST(KeyCodecTest, ANullIsAKeyUnlikeAnyValue) {
  for (const DataType type : {DataType::small_int(), DataType::big_int()}) {
    const KeyBatch keys =
        encode({type}, {{Value::null(type)}, {number(type, 0)}, {Value::null(type)}});
    EXPECT_NE(key_bytes(keys, 0), key_bytes(keys, 1));
    EXPECT_EQ(key_bytes(keys, 0), key_bytes(keys, 2));
  }
  const KeyBatch strings =
      encode({DataType::string()}, {{Value::null(DataType::string())}, {text("")}});
  EXPECT_NE(strings.variable(0), strings.variable(1));
}

TEST(KeyCodecTest, HashesAreXxh3OfTheEncodedKey) {
  const DataType big = DataType::big_int();
  const DataType fixed = not_null(big);
  Random random(1);
  std::vector<std::vector<Value>> ones, twos, texts;
  for (int i = 0; i < 200; ++i) {
    const auto value = static_cast<std::int64_t>(random.next());
    ones.push_back({number(fixed, value)});
    twos.push_back({number(big, value)});
    texts.push_back({text(std::string(random.below(300), 'x')), number(big, value)});
  }
  for (const KeyBatch& keys :
       {encode({fixed}, ones), encode({big}, twos), encode({DataType::string(), big}, texts)})
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_EQ(keys.hashes[i], stable_hash(key_bytes(keys, i)));
}

TEST(KeyCodecTest, ColumnsDoNotRunIntoEachOther) {
  const KeyBatch keys = encode({DataType::string(), DataType::string()},
                               {{text("ab"), text("c")}, {text("a"), text("bc")}});
  EXPECT_NE(keys.variable(0), keys.variable(1));
}

TEST(KeyCodecTest, EqualNumbersHaveOneKey) {
  const DataType real = not_null(DataType::float64());
  const auto value = [&](double x) { return std::vector<Value>{Value::of_real(real, x)}; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const KeyBatch keys = encode({real}, {value(0.0), value(-0.0), value(nan), value(-nan),
                                        value(std::numeric_limits<double>::signaling_NaN())});
  EXPECT_EQ(keys.fixed[0], keys.fixed[1]);
  EXPECT_EQ(keys.fixed[2], keys.fixed[3]);
  EXPECT_EQ(keys.fixed[2], keys.fixed[4]);
  EXPECT_NE(keys.fixed[0], keys.fixed[2]);
}

TEST(KeyCodecTest, NoColumnsAreOneKey) {
  const BatchPtr batch =
      batch_of({DataType::integer()}, {{number(DataType::integer(), 1)}, {Value::null()}});
  KeyBatch keys;
  KeyCodec({}, {}).encode(*batch, keys);
  EXPECT_THAT(keys.fixed, ElementsAre(0u, 0u));
  EXPECT_EQ(keys.size(), 2u);
}

TEST(KeyCodecTest, ASelectionEncodesTheRowsItNames) {
  const std::vector<DataType> types = {DataType::string(), DataType::integer()};
  std::vector<std::vector<Value>> rows;
  for (int i = 0; i < 10; ++i)
    rows.push_back({text("key" + std::to_string(i)), number(DataType::integer(), i)});
  const BatchPtr batch = batch_of(types, rows);
  const KeyCodec codec({0, 1}, types);
  KeyBatch all, some;
  codec.encode(*batch, all);
  const std::vector<RowIndex> selected = {1, 4, 9};
  codec.encode(*batch, selected, some);
  ASSERT_EQ(some.size(), 3u);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    EXPECT_EQ(some.variable(i), all.variable(selected[i]));
    EXPECT_EQ(some.hashes[i], all.hashes[selected[i]]);
  }
}

TEST(KeyCodecTest, ANullInANotNullColumnIsAFailure) {
  const DataType type = not_null(DataType::integer());
  const BatchPtr batch = batch_of({type}, {{Value::null(type)}});
  KeyBatch keys;
  try {
    KeyCodec({0}, {type}).encode(*batch, keys);
    FAIL() << "encoded a NULL";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("INT NOT NULL has a NULL"));
  }
}

// Any columns go into keys and come back as they were, and equal keys mean equal rows.
TEST(KeyCodecTest, RandomKeysComeBack) {
  const std::vector<DataType> kinds = {
      DataType::boolean(), DataType::tiny_int(),     DataType::small_int(), DataType::integer(),
      DataType::big_int(), DataType::decimal(38, 3), DataType::string(),    DataType::bytes(),
      DataType::date(),    DataType::timestamp(3),   DataType::float32(),   DataType::float64()};
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<DataType> types(1 + random.below(4));
    for (DataType& type : types)
      type = kinds[random.below(kinds.size())].with_nullable(random.one_in(2));
    std::vector<std::vector<Value>> rows(1 + random.below(40));
    for (auto& row : rows)
      for (const DataType& type : types) {
        if (type.nullable && random.one_in(3)) {
          row.push_back(Value::null(type));
        } else if (is_variable_width(type.kind)) {
          row.push_back(Value::of_text(type, std::string(random.below(40), 'a')));
        } else if (is_floating(type.kind)) {
          row.push_back(Value::of_real(type, static_cast<double>(random.below(3))));
        } else {
          row.push_back(Value::of_integer(type, static_cast<int>(random.below(2))));
        }
      }
    const KeyBatch keys = encode(types, rows);
    std::vector<KeyedEntry> entries;
    std::map<std::string, std::size_t> row_of_key;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      entries.push_back(entry_of(keys, i));
      const auto [at, fresh] = row_of_key.emplace(key_bytes(keys, i), i);
      if (!fresh) {
        ASSERT_EQ(rows[at->second], rows[i]) << "round " << round;
      }
    }
    std::vector<ColumnBuilder> builders(types.begin(), types.end());
    std::vector<std::size_t> columns(types.size());
    KeyCodec(columns, types).decode(entries, builders);
    std::vector<ColumnPtr> decoded;
    for (ColumnBuilder& builder : builders) decoded.push_back(builder.finish());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t c = 0; c < types.size(); ++c)
        ASSERT_EQ(value_at(*decoded[c], i), rows[i][c]) << "round " << round;
  }
}

TEST(KeyCodecTest, DamagedKeysAreRefused) {
  const std::vector<DataType> types = {DataType::string(), DataType::integer()};
  std::vector<ColumnBuilder> builders(types.begin(), types.end());
  const KeyCodec codec({0, 1}, types);
  const std::string length_beyond_the_end{"\x01\xff\x00\x00\x00", 5};
  EXPECT_THROW(codec.decode(std::string_view(length_beyond_the_end), builders), Failure);
}

}  // namespace
}  // namespace tidemark
