// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/ordered_table.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "tidemark/base/random.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_model.h"

namespace tidemark {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

class OrderedTableTest : public ::testing::TestWithParam<KeyEncoding> {
 protected:
  void open(const TimeToLive& ttl = {}, KeyGroupRange range = {0, kDefaultMaxParallelism}) {
    table_.reset();
    backend_ = make_hashmap_backend(range, kDefaultMaxParallelism);
    table_ = open_ordered_table(*backend_, {.name = "map",
                                            .key_encoding = GetParam(),
                                            .key_schema = "(BIGINT)",
                                            .entry_schema = "MAP<STRING, STRING>",
                                            .ttl = ttl});
  }
  void attach(const std::vector<std::uint64_t>& numbers) {
    keys_ = key_batch(GetParam(), numbers);
    table_->attach(keys_);
  }
  Entries entries(std::size_t row, std::string_view from = "",
                  std::optional<std::string_view> to = std::nullopt) {
    Entries found;
    table_->scan(row, from, to, [&](std::string_view key, std::string_view value) {
      found.emplace_back(key, value);
      return true;
    });
    return found;
  }

  std::unique_ptr<KeyedStateBackend> backend_;
  std::unique_ptr<OrderedTable> table_;
  KeyBatch keys_;
};

std::string order_key(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(6 - digits.size(), '0') + digits + std::string(number % 40, 'z');
}

TEST_P(OrderedTableTest, RangesAreInTheOrderOfBytes) {
  open();
  attach({1, 2});
  table_->put(0, "b", "2");
  table_->put(0, "a", "1");
  table_->put(1, "a", "other");
  table_->put(0, "c", "3");
  EXPECT_EQ(entries(0), (Entries{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(entries(0, "b"), (Entries{{"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(entries(0, "a", "c"), (Entries{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(table_->get(0, "b"), "2");
  EXPECT_EQ(table_->get(0, "bb"), std::nullopt);
  table_->clear(0);
  EXPECT_EQ(entries(0), Entries());
  EXPECT_EQ(entries(1), (Entries{{"a", "other"}}));
}

TEST_P(OrderedTableTest, IsAsAMapOfMaps) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    open();
    std::map<std::uint64_t, std::map<std::string, std::string>> model;
    const std::uint64_t span = random.one_in(2) ? 40 : 2'000;
    for (int batch = 0; batch < 40; ++batch) {
      std::vector<std::uint64_t> numbers;
      for (std::uint64_t i = 0; i < 100; ++i) numbers.push_back(random.below(3));
      attach(numbers);
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        auto& map = model[numbers[row]];
        const std::string key = order_key(random.below(span));
        const std::string other = order_key(random.below(span));
        switch (random.below(10)) {
          default: {
            const std::string value(random.below(90), static_cast<char>('a' + random.below(26)));
            table_->put(row, key, value);
            map[key] = value;
            break;
          }
          case 5:
            table_->erase(row, key);
            map.erase(key);
            break;
          case 6:
            if (!random.one_in(4) || key > other) break;
            table_->erase_range(row, key, other);
            map.erase(map.lower_bound(key), map.lower_bound(other));
            break;
          case 7:
            if (!random.one_in(100)) break;
            table_->clear(row);
            map.clear();
            break;
          case 8: {
            const auto found = map.find(key);
            ASSERT_EQ(table_->get(row, key), found == map.end()
                                                 ? std::nullopt
                                                 : std::optional<std::string_view>(found->second));
            break;
          }
          case 9: {
            if (key > other) break;
            ASSERT_EQ(entries(row, key, other),
                      Entries(map.lower_bound(key), map.lower_bound(other)));
            ASSERT_EQ(entries(row, key), Entries(map.lower_bound(key), map.end()));
            break;
          }
        }
      }
      table_->detach();
      if (!random.one_in(8)) continue;
      MemorySnapshot snapshot;
      snapshot.take(*backend_->snapshot(SnapshotKind::kSavepoint));
      open();
      backend_->restore(MemorySnapshotReader(snapshot));
    }
    attach({0, 1, 2});
    for (const auto& [number, map] : model)
      ASSERT_EQ(entries(number), Entries(map.begin(), map.end()));
  }
}

TEST_P(OrderedTableTest, NothingIsLeftOfWhatWasErased) {
  open();
  attach({1});
  for (std::uint64_t i = 0; i < 1'000; ++i) table_->put(0, order_key(i), "value");
  for (std::uint64_t i = 0; i < 1'000; ++i) table_->erase(0, order_key(i));
  table_->detach();
  MemorySnapshot snapshot;
  snapshot.take(*backend_->snapshot(SnapshotKind::kSavepoint));
  for (const auto& [name, state] : snapshot.states()) EXPECT_TRUE(state.blocks.empty()) << name;
}

TEST_P(OrderedTableTest, EachEntryHasItsOwnTimeToLive) {
  open({.ttl = 1000});
  backend_->advance_time({.now = 0});
  attach({1});
  for (std::uint64_t i = 0; i < 200; ++i) table_->put(0, order_key(i), "old");
  table_->detach();
  backend_->advance_time({.now = 600});
  attach({1});
  table_->put(0, order_key(7), "new");
  table_->put(0, order_key(500), "new");
  table_->detach();
  backend_->advance_time({.now = 999});
  attach({1});
  EXPECT_EQ(entries(0).size(), 201u);
  table_->detach();
  backend_->advance_time({.now = 1000});
  attach({1});
  EXPECT_EQ(entries(0), (Entries{{order_key(7), "new"}, {order_key(500), "new"}}));
  EXPECT_EQ(table_->get(0, order_key(8)), std::nullopt);
  table_->detach();
  backend_->advance_time({.now = 1600});
  attach({1});
  EXPECT_EQ(entries(0), Entries());
}

TEST_P(OrderedTableTest, ReadingRenewsWhereItShould) {
  open({.ttl = 1000, .update = TimeToLive::Update::kOnReadAndWrite});
  backend_->advance_time({.now = 0});
  attach({1});
  for (std::uint64_t i = 0; i < 100; ++i) table_->put(0, order_key(i), "v");
  table_->detach();
  backend_->advance_time({.now = 900});
  attach({1});
  EXPECT_EQ(table_->get(0, order_key(5)), "v");
  EXPECT_EQ(entries(0, order_key(50), order_key(52)).size(), 2u);
  table_->detach();
  backend_->advance_time({.now = 1000});
  attach({1});
  EXPECT_EQ(entries(0).size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Encodings, OrderedTableTest,
                         ::testing::Values(KeyEncoding::kFixed8, KeyEncoding::kVariable),
                         [](const auto& chosen) { return std::string(to_string(chosen.param)); });

}  // namespace
}  // namespace tidemark
