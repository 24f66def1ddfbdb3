// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/rocksdb_backend.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tidemark/base/error.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_model.h"

// What only this backend does: its tier, and checkpoints that share files.

namespace tidemark {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kGroups = 128;
constexpr KeyGroupRange kAllGroups = {0, kGroups};
constexpr TableKind kPlain{KeyEncoding::kFixed8, true};

std::unique_ptr<KeyedStateBackend> make(std::size_t tier_bytes = std::size_t{1} << 20) {
  return make_rocksdb_backend(kAllGroups, kGroups,
                              {.memory_bytes = std::size_t{4} << 20, .tier_bytes = tier_bytes});
}

void put(KeyedTable& table, StateNamespace ns, std::uint64_t begin, std::uint64_t end,
         std::int64_t value) {
  std::vector<std::uint64_t> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  const KeyBatch keys = key_batch(kPlain.encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  table.find_or_insert(ns, keys, all_rows(keys), values);
  for (std::byte* at : values) write_value(kPlain, at, value);
}

TEST(RocksdbBackendTest, TheTierKeepsToItsBudget) {
  const auto backend = make(std::size_t{256} << 10);
  KeyedTable& table = backend->open_table(table_descriptor(kPlain));
  for (std::uint64_t begin = 0; begin < 50'000; begin += 1000)
    put(table, static_cast<StateNamespace>(begin % 3), begin, begin + 1000, 1);
  EXPECT_EQ(table.entries(), 50'000u);
  EXPECT_LT(table.memory_bytes(), std::size_t{512} << 10);
  EXPECT_EQ(contents_of(table, kPlain).size(), 50'000u);
}

// Rows that come while the files are not linked yet are held in memory, up to a bound; then the
// task links the files itself.
TEST(RocksdbBackendTest, ASlowCheckpointDoesNotHoldUnboundedMemory) {
  const auto backend = make(std::size_t{64} << 10);
  KeyedTable& table = backend->open_table(table_descriptor(kPlain));
  put(table, 0, 0, 500, 1);
  MemorySnapshot snapshot;
  const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
  for (std::uint64_t begin = 0; begin < 60'000; begin += 1000)
    put(table, 0, begin, begin + 1000, 2);
  EXPECT_LT(table.memory_bytes(), std::size_t{4} << 20);
  snapshot.take(*part, kAllGroups);
  const auto restored = make();
  KeyedTable& old = restored->open_table(table_descriptor(kPlain));
  restored->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
  const TableContents contents = contents_of(old, kPlain);
  EXPECT_EQ(contents.size(), 500u);
  for (const auto& [key, value] : contents) EXPECT_EQ(value, 1);
}

TEST(RocksdbBackendTest, ACheckpointStoresOnlyNewFiles) {
  const auto files = std::make_shared<MemoryFiles>();
  const auto backend = make();
  KeyedTable& table = backend->open_table(table_descriptor(kPlain));
  for (std::uint64_t begin = 0; begin < 40'000; begin += 1000)
    put(table, 0, begin, begin + 1000, 1);
  MemorySnapshot first(files);
  first.take(*backend->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  const std::size_t full = files->stored_bytes();
  put(table, 0, 0, 100, 2);
  MemorySnapshot second(files);
  second.take(*backend->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  EXPECT_LT(files->stored_bytes() - full, full / 10);
  EXPECT_GT(second.own_forms().at(0).files.size(), first.own_forms().at(0).files.size());

  // The restored database goes on sharing.
  const std::size_t before = files->stored_bytes();
  const auto restored = make();
  KeyedTable& again = restored->open_table(table_descriptor(kPlain));
  restored->restore(MemorySnapshotReader(second, 0, 1, kGroups));
  EXPECT_EQ(contents_of(again, kPlain), contents_of(table, kPlain));
  MemorySnapshot third(files);
  third.take(*restored->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  EXPECT_LT(files->stored_bytes() - before, full / 10);

  // A store that has lost its files is given all of them again.
  files->forget_all();
  put(again, 0, 0, 1, 3);
  MemorySnapshot fourth(files);
  fourth.take(*restored->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  const auto last = make();
  KeyedTable& end = last->open_table(table_descriptor(kPlain));
  last->restore(MemorySnapshotReader(fourth, 0, 1, kGroups));
  EXPECT_EQ(contents_of(end, kPlain), contents_of(again, kPlain));
}

TEST(RocksdbBackendTest, ADamagedFileIsRefused) {
  const auto backend = make();
  put(backend->open_table(table_descriptor(kPlain)), 0, 0, 1000, 1);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  for (const StoredFile& file : snapshot.own_forms().at(0).files) {
    std::string& bytes = snapshot.files().bytes(file);
    bytes[bytes.size() / 2] ^= 1;
    const auto other = make();
    other->open_table(table_descriptor(kPlain));
    try {
      other->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
      FAIL() << file.name;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::kCheckpointDamaged);
      EXPECT_THAT(failure.what(), HasSubstr(file.name));
    }
    bytes[bytes.size() / 2] ^= 1;
  }
}

TEST(RocksdbBackendTest, TheHashmapBackendSaysHowToReadItsCheckpoints) {
  const auto backend = make();
  put(backend->open_table(table_descriptor(kPlain)), 0, 0, 10, 1);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  const auto hashmap = make_hashmap_backend(kAllGroups, kGroups);
  hashmap->open_table(table_descriptor(kPlain));
  try {
    hashmap->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
    FAIL() << "restored";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kCheckpointMismatch);
    EXPECT_THAT(failure.what(), HasSubstr("state.backend.type to 'rocksdb'"));
    EXPECT_THAT(failure.what(), HasSubstr("savepoint"));
  }
}

// A table may be opened after the restore.
TEST(RocksdbBackendTest, ATableOpenedLateFindsItsEntries) {
  const auto backend = make();
  put(backend->open_table(table_descriptor(kPlain, "a")), 0, 0, 10, 1);
  put(backend->open_table(table_descriptor(kPlain, "b")), 3, 0, 20, 2);
  MemorySnapshot snapshot;
  snapshot.take(*backend->snapshot(SnapshotKind::kCheckpoint), kAllGroups);
  const auto other = make();
  other->open_table(table_descriptor(kPlain, "a"));
  other->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
  KeyedTable& late = other->open_table(table_descriptor(kPlain, "b"));
  EXPECT_EQ(late.entries(), 20u);
  EXPECT_EQ(late.namespaces(), std::vector<StateNamespace>{3});
}

}  // namespace
}  // namespace tidemark
