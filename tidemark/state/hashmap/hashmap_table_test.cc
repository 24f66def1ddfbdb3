// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/state/table_model.h"

namespace tidemark {
namespace {

class HashmapTableTest : public ::testing::TestWithParam<TableKind> {
 protected:
  KeyedTable& open() { return backend_->open_table(table_descriptor(GetParam())); }

  void put(KeyedTable& table, StateNamespace ns, const std::vector<std::uint64_t>& numbers,
           std::int64_t value) {
    const KeyBatch keys = key_batch(GetParam().encoding, numbers);
    std::vector<std::byte*> values(keys.size());
    table.find_or_insert(ns, keys, all_rows(keys), values);
    for (std::byte* at : values) write_value(GetParam(), at, value);
  }

  std::unique_ptr<KeyedStateBackend> backend_ =
      make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
};

TEST_P(HashmapTableTest, ADroppedArrayIsUsedAgainWithItsCapacity) {
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  put(table, 1, numbers, 1);
  const std::size_t grown = table.memory_bytes();
  table.drop(1);
  EXPECT_EQ(table.entries(), 0u);
  put(table, 2, numbers, 2);
  EXPECT_EQ(table.entries(), 3000u);
  EXPECT_LE(table.memory_bytes(), grown + grown / 4);
}

// A subtask's range of groups stretches over the whole table, so that a narrow one does not crowd.
TEST_P(HashmapTableTest, ANarrowRangeOfGroupsFillsItsTableEvenly) {
  const TableKind kind = GetParam();
  const KeyGroupRange range = range_of(5, 1000, 32768);
  const auto backend = make_hashmap_backend(range, 32768);
  KeyedTable& table = backend->open_table(table_descriptor(kind));
  std::size_t put_keys = 0;
  for (std::uint64_t number = 0; put_keys < 500; ++number) {
    const KeyBatch keys = key_batch(kind.encoding, {number});
    if (!range.contains(key_group_of(keys.hashes[0], 32768))) continue;
    std::byte* value = nullptr;
    table.find_or_insert(0, keys, all_rows(keys), {&value, 1});
    ++put_keys;
  }
  EXPECT_EQ(table.entries(), 500u);
  // Grown by doubling from 32 slots at a load of 0.6: 1,024 slots hold 500.
  EXPECT_LT(table.memory_bytes(), 300u << 10);
}

using HashmapTableDeathTest = HashmapTableTest;

TEST_P(HashmapTableDeathTest, AKeyOfAnotherSubtaskStopsTheProgram) {
  const auto backend = make_hashmap_backend(range_of(0, 64, 128), 128);
  KeyedTable& table = backend->open_table(table_descriptor(GetParam()));
  std::vector<std::uint64_t> numbers(64);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const KeyBatch keys = key_batch(GetParam().encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  EXPECT_DEATH(table.find_or_insert(0, keys, all_rows(keys), values), "own key groups");
}

INSTANTIATE_TEST_SUITE_P(Kinds, HashmapTableTest, ::testing::ValuesIn(kTableKinds),
                         [](const auto& kind) { return kind_name(kind.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, HashmapTableDeathTest, ::testing::ValuesIn(kTableKinds),
                         [](const auto& kind) { return kind_name(kind.param); });

}  // namespace
}  // namespace tidemark
