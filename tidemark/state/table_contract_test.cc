// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tidemark/base/random.h"
#include "tidemark/state/contract_backend.h"

namespace tidemark {
namespace {

class TableContract : public ContractTest {
 protected:
  KeyedTable& open() { return backend_->open_table(table_descriptor(kind())); }

  std::unique_ptr<KeyedStateBackend> backend_ =
      make({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
};

TEST_P(TableContract, ANewEntryIsZeroEvenWhereAnOldOneStood) {
  KeyedTable& table = open();
  put(table, 1, {1, 2, 3}, 77);
  table.drop(1);
  const KeyBatch keys = key_batch(kind().encoding, {1, 2, 3, 4});
  std::vector<std::byte*> values(4);
  table.find_or_insert(2, keys, all_rows(keys), values);
  for (const std::byte* value : values) EXPECT_EQ(read_value(kind(), value), 0);
}

TEST_P(TableContract, EqualKeysOfABatchShareAnEntryWhileTheTableGrows) {
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 5000; ++i) numbers.push_back(i % 2500);
  const KeyBatch keys = key_batch(kind().encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  table.find_or_insert(0, keys, all_rows(keys), values);
  EXPECT_EQ(table.entries(), 2500u);
  for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(values[i], values[i + 2500]);
}

TEST_P(TableContract, OnlyTheRowsNamedAreLookedUp) {
  KeyedTable& table = open();
  const KeyBatch keys = key_batch(kind().encoding, {10, 11, 12, 13});
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

TEST_P(TableContract, ErasingEverythingGivesTheMemoryBack) {
  KeyedTable& table = open();
  for (std::int64_t round = 0; round < 200; ++round) {
    put(table, 0, {1, 2, 3, 4, 5, 6, 7, 8}, round);
    const KeyBatch keys = key_batch(kind().encoding, {1, 2, 3, 4, 5, 6, 7, 8});
    table.erase(0, keys, all_rows(keys));
  }
  EXPECT_TRUE(table.namespaces().empty());
  EXPECT_LT(table.memory_bytes(), 64u << 10);
}

TEST_P(TableContract, TombstonesDoNotMakeATableGrow) {
  KeyedTable& table = open();
  put(table, 0, {1000000}, 0);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    put(table, 0, {i}, 1);
    const KeyBatch keys = key_batch(kind().encoding, {i});
    table.erase(0, keys, all_rows(keys));
  }
  EXPECT_EQ(table.entries(), 1u);
  EXPECT_LT(table.memory_bytes(), 64u << 10);
}

// Random inserts, updates, erasures and drops in a few namespaces leave what the model holds.
TEST_P(TableContract, AgreesWithAMap) {
  const TableKind kind = this->kind();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto backend = make({0, 128}, 128);
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

// As a table's scan feeds the next: the front of a growing table must not become one run of slots.
// Where it does, this takes minutes.
TEST_P(TableContract, KeysInTheOrderOfTheirHashesDoNotCrowd) {
  const TableKind kind = this->kind();
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

// Read-only look-ups leave what earlier ones handed out where it is.
TEST_P(TableContract, LookingUpForReadingMovesNothing) {
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers(300);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  put(table, 0, numbers, 5);
  const KeyBatch some = keys({1, 2, 3, 400});
  std::vector<std::byte*> values(4);
  table.find_or_insert(0, some, all_rows(some), values);
  const KeyBatch all = keys(numbers);
  std::vector<const std::byte*> found(all.size());
  table.find(0, all, all_rows(all), found);
  for (const std::byte* value : found) {
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(read_value(kind(), value), 5);
  }
  for (std::byte* value : values) write_value(kind(), value, 6);
  found.resize(4);
  table.find(0, some, all_rows(some), found);
  for (const std::byte* value : found) EXPECT_EQ(read_value(kind(), value), 6);
}

TEST_P(TableContract, AScanOutlivesTheDropOfItsNamespace) {
  KeyedTable& table = open();
  std::vector<std::uint64_t> numbers(500);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  put(table, 3, numbers, 7);
  const std::unique_ptr<TableScan> scan = table.scan(3);
  std::vector<TableScan::Entry> entries(64);
  std::size_t count = scan->next(entries);
  table.drop(3);
  put(table, 4, numbers, 8);
  for (std::size_t more = count; more > 0; count += more) {
    more = scan->next(entries);
    for (std::size_t i = 0; i < more; ++i) EXPECT_EQ(read_value(kind(), entries[i].value), 7);
  }
  EXPECT_EQ(count, 500u);
  EXPECT_EQ(table.namespaces(), std::vector<StateNamespace>{4});
}

TEST_P(TableContract, NamespacesHaveEntriesOfTheirOwn) {
  KeyedTable& table = open();
  const StateNamespace spaces[] = {kMinTime, -1, 0, 1, kMaxTime};
  for (const StateNamespace ns : spaces) put(table, ns, {1, 2}, ns == kMinTime ? -9 : ns);
  EXPECT_EQ(table.namespaces(), std::vector<StateNamespace>(std::begin(spaces), std::end(spaces)));
  table.drop(-1);
  table.drop(kMaxTime);
  EXPECT_EQ(table.namespaces(), (std::vector<StateNamespace>{kMinTime, 0, 1}));
  EXPECT_EQ(table.entries(), 6u);
  const KeyBatch both = keys({1, 2});
  std::vector<const std::byte*> found(2);
  table.find(0, both, all_rows(both), found);
  EXPECT_EQ(read_value(kind(), found[1]), 0);
  table.find(kMaxTime, both, all_rows(both), found);
  EXPECT_EQ(found[0], nullptr);
}

// As functions with several states use them: a pointer into one table is written through after
// look-ups in another. Entries that nobody wrote to are zero when they come back.
TEST_P(TableContract, PointersOutliveCallsOnOtherTables) {
  KeyedTable& table = open();
  KeyedTable& other = backend_->open_table(table_descriptor(kind(), "other"));
  std::vector<std::uint64_t> numbers(400);
  for (std::int64_t round = 1; round <= 8; ++round) {
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(round) * 100);
    const KeyBatch some = keys(numbers);
    std::vector<std::byte*> values(some.size());
    table.find_or_insert(0, some, all_rows(some), values);
    put(other, round % 3, numbers, round);
    std::vector<const std::byte*> found(some.size());
    other.find((round + 1) % 3, some, all_rows(some), found);
    for (std::size_t i = 0; i < values.size(); i += 2) write_value(kind(), values[i], 77);
    backend_->advance_time({});
  }
  const KeyBatch all = keys(numbers);
  std::vector<const std::byte*> found(all.size());
  table.find(0, all, all_rows(all), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NE(found[i], nullptr);
    EXPECT_EQ(read_value(kind(), found[i]), i % 2 == 0 ? 77 : 0);
  }
}

TIDEMARK_CONTRACT_SUITE(TableContract);

}  // namespace
}  // namespace tidemark
