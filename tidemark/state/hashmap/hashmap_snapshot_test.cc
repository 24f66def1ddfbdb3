// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_model.h"

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
