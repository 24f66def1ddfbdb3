// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <optional>

#include "tidemark/base/random.h"
#include "tidemark/state/hashmap/table_model.h"
#include "tidemark/state/memory_snapshot.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kGroups = 128;

std::unique_ptr<KeyedStateBackend> whole_backend() {
  return make_hashmap_backend({0, kGroups}, kGroups);
}

void put(KeyedTable& table, const TableKind& kind, StateNamespace ns,
         const std::vector<std::uint64_t>& numbers, std::int64_t value) {
  const KeyBatch keys = key_batch(kind.encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  table.find_or_insert(ns, keys, all_rows(keys), values);
  for (std::byte* at : values) write_value(kind, at, value);
}

std::uint32_t entries_in(const MemorySnapshot& snapshot, std::string_view state) {
  std::uint32_t entries = 0;
  for (const MemorySnapshot::Block& block : snapshot.find(state)->blocks) {
    ByteReader in(block.entries);
    in.get<StateNamespace>();
    entries += in.get<std::uint32_t>();
  }
  return entries;
}

/// What a snapshot holds, restored into `parallelism` subtasks.
TableContents restored(const MemorySnapshot& snapshot, const TableKind& kind,
                       std::uint32_t parallelism) {
  TableContents all;
  for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
    const auto backend = make_hashmap_backend(range_of(subtask, parallelism, kGroups), kGroups);
    KeyedTable& table = backend->open_table(table_descriptor(kind));
    backend->restore(MemorySnapshotReader(snapshot, subtask, parallelism, kGroups));
    for (const auto& entry : contents_of(table, kind)) {
      EXPECT_TRUE(all.insert(entry).second) << "an entry in two subtasks";
    }
  }
  return all;
}

class HashmapSnapshotTest : public ::testing::TestWithParam<TableKind> {};

TEST_P(HashmapSnapshotTest, ShowsNothingOfWhatCameAfterIt) {
  const TableKind kind = GetParam();
  const auto backend = whole_backend();
  KeyedTable& table = backend->open_table(table_descriptor(kind));
  put(table, kind, 7, {1, 2, 3}, 10);
  const TableContents before = contents_of(table, kind);
  const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
  put(table, kind, 7, {2, 3, 4}, 20);
  put(table, kind, 8, {1}, 20);
  MemorySnapshot snapshot;
  snapshot.take(*part);
  EXPECT_EQ(restored(snapshot, kind, 1), before);
}

TEST_P(HashmapSnapshotTest, AnEmptyTableIsDeclared) {
  const auto backend = whole_backend();
  backend->open_table(table_descriptor(GetParam()));
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  ASSERT_NE(snapshot.find("counts"), nullptr);
  EXPECT_TRUE(snapshot.find("counts")->descriptor.keyed);
  EXPECT_TRUE(snapshot.find("counts")->blocks.empty());
}

TEST_P(HashmapSnapshotTest, AnAbandonedSnapshotLeavesTheTableUsable) {
  const TableKind kind = GetParam();
  const auto backend = whole_backend();
  KeyedTable& table = backend->open_table(table_descriptor(kind));
  for (int round = 0; round < 5; ++round) {
    put(table, kind, round, {1, 2, 3, 4, 5, 6, 7, 8, 9}, round);
    const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
    put(table, kind, round, {1, 2, 3}, 100 + round);
    MemorySnapshot partial;
    part->step(partial, 40);
    if (round > 1) table.drop(round - 2);
  }
  const TableContents contents = contents_of(table, kind);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  EXPECT_EQ(restored(snapshot, kind, 1), contents);
}

TEST_P(HashmapSnapshotTest, ABackendMayGoBeforeItsPart) {
  auto backend = whole_backend();
  put(backend->open_table(table_descriptor(GetParam())), GetParam(), 0, {1, 2}, 1);
  const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
  backend.reset();
  EXPECT_EQ(OwningValues::alive, 0);
}

// Whatever happens to the table while a snapshot is written, in steps of any size, the snapshot
// holds the state of its moment, each entry once.
TEST_P(HashmapSnapshotTest, HoldsTheStateOfItsMoment) {
  const TableKind kind = GetParam();
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Random random(seed);
    const auto backend = whole_backend();
    KeyedTable& table = backend->open_table(table_descriptor(kind));
    TableContents model, frozen;
    std::unique_ptr<SnapshotPart> part;
    std::optional<MemorySnapshot> snapshot;
    const std::uint64_t key_space = 1 + random.below(seed % 4 == 0 ? 4000 : 200);
    for (int step = 0; step < 120; ++step) {
      const auto ns = static_cast<StateNamespace>(random.below(4)) * 1000 - 1000;
      std::vector<std::uint64_t> numbers(random.below(100));
      for (std::uint64_t& number : numbers) number = random.below(key_space);
      const KeyBatch keys = key_batch(kind.encoding, numbers);
      switch (random.below(6)) {
        case 0:
          table.erase(ns, keys, all_rows(keys));
          for (const std::uint64_t number : numbers)
            model.erase({ns, key_text(kind.encoding, number)});
          break;
        case 1:
          if (!random.one_in(2)) break;
          table.drop(ns);
          std::erase_if(model, [&](const auto& entry) { return entry.first.first == ns; });
          break;
        default: {
          std::vector<std::byte*> values(keys.size());
          table.find_or_insert(ns, keys, all_rows(keys), values);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            std::int64_t& expected = model[{ns, key_text(kind.encoding, numbers[i])}];
            ASSERT_EQ(read_value(kind, values[i]), expected);
            write_value(kind, values[i], ++expected);
          }
        }
      }
      if (part == nullptr) {
        frozen = model;
        part = backend->snapshot(SnapshotKind::kCheckpoint);
        snapshot.emplace();
      } else if (random.one_in(40)) {
        part = nullptr;  // given up
      } else if (part->step(*snapshot, 1 + random.below(seed % 2 == 0 ? 200 : 30000))) {
        part = nullptr;
        ASSERT_EQ(entries_in(*snapshot, "counts"), frozen.size()) << "seed " << seed;
        const auto parallelism = static_cast<std::uint32_t>(1 + random.below(3));
        ASSERT_EQ(restored(*snapshot, kind, parallelism), frozen) << "seed " << seed;
        ASSERT_EQ(contents_of(table, kind), model) << "seed " << seed;
      }
    }
  }
  EXPECT_EQ(OwningValues::alive, 0);
}

TEST_P(HashmapSnapshotTest, StepsAreBounded) {
  const TableKind kind = GetParam();
  const auto backend = whole_backend();
  KeyedTable& table = backend->open_table(table_descriptor(kind));
  std::vector<std::uint64_t> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  put(table, kind, 0, numbers, 1);
  const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
  MemorySnapshot snapshot;
  int steps = 1;
  while (!part->step(snapshot, 16 << 10)) ++steps;
  EXPECT_GE(steps, 16);
  EXPECT_EQ(restored(snapshot, kind, 2).size(), 5000u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, HashmapSnapshotTest, ::testing::ValuesIn(kTableKinds),
                         [](const auto& kind) { return kind_name(kind.param); });

constexpr TableKind kPlain{KeyEncoding::kFixed8, true};

MemorySnapshot snapshot_of_one_entry() {
  const auto backend = whole_backend();
  put(backend->open_table(table_descriptor(kPlain)), kPlain, 5, {42}, 9);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  return snapshot;
}

std::string restore_error(const MemorySnapshot& snapshot, const TableKind& kind) {
  const auto backend = whole_backend();
  backend->open_table(table_descriptor(kind));
  try {
    backend->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

TEST(HashmapRestoreTest, AnotherKeyEncodingIsRefused) {
  const std::string error = restore_error(snapshot_of_one_entry(), {KeyEncoding::kFixed16, true});
  EXPECT_THAT(error, HasSubstr("'counts'"));
  EXPECT_THAT(error, HasSubstr("fixed8: (BIGINT) -> BIGINT"));
  EXPECT_THAT(error, HasSubstr("fixed16: (BIGINT) -> BIGINT"));
}

TEST(HashmapRestoreTest, AnotherVersionIsRefused) {
  MemorySnapshot snapshot = snapshot_of_one_entry();
  snapshot.states().at("counts").descriptor.version = 5;
  EXPECT_THAT(restore_error(snapshot, kPlain), HasSubstr("version 5"));
}

TEST(HashmapRestoreTest, DamagedBlocksAreRefused) {
  const MemorySnapshot good = snapshot_of_one_entry();
  const std::string bytes = good.find("counts")->blocks[0].entries;
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    MemorySnapshot cut = good;
    cut.states().at("counts").blocks[0].entries = bytes.substr(0, kept);
    EXPECT_NE(restore_error(cut, kPlain), "") << kept << " bytes were taken for a block";
  }
  MemorySnapshot longer = good;
  longer.states().at("counts").blocks[0].entries += '\0';
  EXPECT_THAT(restore_error(longer, kPlain), HasSubstr("longer than its entries"));
  MemorySnapshot moved = good;
  moved.states().at("counts").blocks[0].group ^= 1;
  EXPECT_THAT(restore_error(moved, kPlain), HasSubstr("key group that is not its own"));
}

TEST(HashmapRestoreTest, TablesOfOneBackendAreKeptApart) {
  const auto backend = whole_backend();
  put(backend->open_table(table_descriptor(kPlain, "a")), kPlain, 0, {1}, 1);
  put(backend->open_table(table_descriptor(kPlain, "b")), kPlain, 0, {1}, 2);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  const auto other = whole_backend();
  KeyedTable& b = other->open_table(table_descriptor(kPlain, "b"));
  KeyedTable& a = other->open_table(table_descriptor(kPlain, "a"));
  other->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
  EXPECT_EQ(contents_of(a, kPlain).begin()->second, 1);
  EXPECT_EQ(contents_of(b, kPlain).begin()->second, 2);
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// Checkpoints outlive programs: these bytes must restore for ever. namespace 5, one entry, key 42,
// value (9, 9); the group follows from XXH3 of the key.
TEST(HashmapFormatTest, BlocksOfVersion2) {
  const MemorySnapshot snapshot = snapshot_of_one_entry();
  const MemorySnapshot::State& state = *snapshot.find("counts");
  EXPECT_EQ(state.descriptor.version, 2u);
  EXPECT_EQ(state.descriptor.schema, "fixed8: (BIGINT) -> BIGINT");
  ASSERT_EQ(state.blocks.size(), 1u);
  EXPECT_EQ(hex(state.blocks[0].entries),
            "0500000000000000"
            "01000000"
            "10000000"
            "2a00000000000000"
            "0900000000000000"
            "0900000000000000");
  EXPECT_EQ(state.blocks[0].group, 106u);
}

TEST(HashmapFormatTest, VariableKeysOfVersion2) {
  const TableKind kind{KeyEncoding::kVariable, true};
  const auto backend = whole_backend();
  put(backend->open_table(table_descriptor(kind)), kind, -1, {3}, 1);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  EXPECT_EQ(hex(snapshot.find("counts")->blocks.at(0).entries),
            "ffffffffffffffff"
            "01000000"
            "10000000"
            "16000000"
            "336b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b"
            "0100000000000000"
            "0100000000000000");
}

TEST(HashmapFormatTest, OwningValuesOfVersion2HaveALength) {
  const TableKind kind{KeyEncoding::kFixed8, false};
  const auto backend = whole_backend();
  put(backend->open_table(table_descriptor(kind)), kind, 5, {42}, 9);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint));
  EXPECT_EQ(hex(snapshot.find("counts")->blocks.at(0).entries),
            "0500000000000000"
            "01000000"
            "ffffffff"
            "2a00000000000000"
            "05000000"
            "01000000"
            "39");
}

}  // namespace
}  // namespace tidemark
