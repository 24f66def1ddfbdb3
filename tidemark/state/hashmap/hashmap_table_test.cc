// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tidemark/base/random.h"
#include "tidemark/state/hashmap/table_model.h"

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

TEST_P(HashmapTableTest, ANewEntryIsZeroEvenWhereAnOldOneStood) {
  KeyedTable& table = open();
  put(table, 1, {1, 2, 3}, 77);
  table.drop(1);
  const KeyBatch keys = key_batch(GetParam().encoding, {1, 2, 3, 4});
  std::vector<std::byte*> values(4);
  table.find_or_insert(2, keys, all_rows(keys), values);
  for (const std::byte* value : values) EXPECT_EQ(read_value(GetParam(), value), 0);
}

TEST_P(HashmapTableTest, EqualKeysOfABatchShareAnEntryWhileTheTableGrows) {
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 5000; ++i) numbers.push_back(i % 2500);
  const KeyBatch keys = key_batch(GetParam().encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  table.find_or_insert(0, keys, all_rows(keys), values);
  EXPECT_EQ(table.entries(), 2500u);
  for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(values[i], values[i + 2500]);
}

TEST_P(HashmapTableTest, OnlyTheRowsNamedAreLookedUp) {
  KeyedTable& table = open();
  const KeyBatch keys = key_batch(GetParam().encoding, {10, 11, 12, 13});
  const std::vector<RowIndex> rows = {1, 3};
  std::vector<std::byte*> values(2);
  table.find_or_insert(0, keys, rows, values);
  EXPECT_EQ(table.entries(), 2u);
  std::vector<const std::byte*> found(4);
  table.find(0, keys, all_rows(keys), found);
  EXPECT_EQ(found[0], nullptr);
  EXPECT_EQ(found[1], values[0]);
  EXPECT_EQ(found[2], nullptr);
  EXPECT_EQ(found[3], values[1]);
}

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

TEST_P(HashmapTableTest, ErasingEverythingGivesTheMemoryBack) {
  KeyedTable& table = open();
  for (std::int64_t round = 0; round < 200; ++round) {
    put(table, 0, {1, 2, 3, 4, 5, 6, 7, 8}, round);
    const KeyBatch keys = key_batch(GetParam().encoding, {1, 2, 3, 4, 5, 6, 7, 8});
    table.erase(0, keys, all_rows(keys));
  }
  EXPECT_TRUE(table.namespaces().empty());
  EXPECT_LT(table.memory_bytes(), 64u << 10);
}

TEST_P(HashmapTableTest, TombstonesDoNotMakeATableGrow) {
  KeyedTable& table = open();
  put(table, 0, {1000000}, 0);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    put(table, 0, {i}, 1);
    const KeyBatch keys = key_batch(GetParam().encoding, {i});
    table.erase(0, keys, all_rows(keys));
  }
  EXPECT_EQ(table.entries(), 1u);
  EXPECT_LT(table.memory_bytes(), 64u << 10);
}

// Random inserts, updates, erasures and drops in a few namespaces leave what the model holds.
TEST_P(HashmapTableTest, AgreesWithAMap) {
  const TableKind kind = GetParam();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto backend = make_hashmap_backend({0, 128}, 128);
    KeyedTable& table = backend->open_table(table_descriptor(kind));
    TableContents model;
    const std::uint64_t key_space = 1 + random.below(seed % 3 == 0 ? 3000 : 60);
    for (int step = 0; step < 150; ++step) {
      const auto ns = static_cast<StateNamespace>(random.below(3)) - 1;
      std::vector<std::uint64_t> numbers(random.below(80));
      for (std::uint64_t& number : numbers) number = random.below(key_space);
      const KeyBatch keys = key_batch(kind.encoding, numbers);
      const std::vector<RowIndex> rows = all_rows(keys);
      switch (random.below(8)) {
        case 0:
          table.erase(ns, keys, rows);
          for (const std::uint64_t number : numbers)
            model.erase({ns, key_text(kind.encoding, number)});
          break;
        case 1:
          if (!random.one_in(3)) break;
          table.drop(ns);
          std::erase_if(model, [&](const auto& entry) { return entry.first.first == ns; });
          break;
        default: {
          std::vector<std::byte*> values(keys.size());
          table.find_or_insert(ns, keys, rows, values);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            std::int64_t& expected = model[{ns, key_text(kind.encoding, numbers[i])}];
            ASSERT_EQ(read_value(kind, values[i]), expected) << "seed " << seed;
            write_value(kind, values[i], ++expected);
          }
        }
      }
      ASSERT_EQ(table.entries(), model.size()) << "seed " << seed << " step " << step;
      if (step % 10 != 9) continue;
      ASSERT_EQ(contents_of(table, kind), model) << "seed " << seed << " step " << step;
    }
  }
  EXPECT_EQ(OwningValues::alive, 0);
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

// As a table's scan feeds the next: the front of a growing table must not become one run of slots.
// Where it does, this takes minutes.
TEST_P(HashmapTableTest, KeysInTheOrderOfTheirHashesDoNotCrowd) {
  const TableKind kind = GetParam();
  constexpr std::size_t kKeys = 100'000;
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers(kKeys);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  const KeyBatch unordered = key_batch(kind.encoding, numbers);
  std::sort(numbers.begin(), numbers.end(), [&](std::uint64_t a, std::uint64_t b) {
    return unordered.hashes[a] < unordered.hashes[b];
  });
  for (std::size_t begin = 0; begin < kKeys; begin += 1000) {
    const std::vector<std::uint64_t> some(numbers.begin() + begin, numbers.begin() + begin + 1000);
    put(table, 0, some, 1);
    ASSERT_LT(table.memory_bytes(), (begin + 1000) * 64 * 96 + (1 << 20));
  }
  EXPECT_EQ(table.entries(), kKeys);
  EXPECT_LT(table.memory_bytes(), kKeys * 2 * 6 * 96);
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
