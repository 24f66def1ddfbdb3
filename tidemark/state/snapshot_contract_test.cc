// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <optional>

#include "tidemark/base/random.h"
#include "tidemark/state/contract_backend.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

constexpr std::uint32_t kGroups = 128;
constexpr KeyGroupRange kAllGroups = {0, kGroups};

std::uint32_t entries_in(const MemorySnapshot& snapshot, std::string_view state) {
  std::uint32_t entries = 0;
  for (const MemorySnapshot::Block& block : snapshot.find(state)->blocks)
    entries += table_block_entries(block.entries);
  return entries;
}

/// What a snapshot holds, restored into `parallelism` subtasks.
TableContents restored(const MemorySnapshot& snapshot, BackendKind backend_kind,
                       const TableKind& kind, std::uint32_t parallelism) {
  TableContents all;
  for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
    const auto backend =
        make_backend(backend_kind, range_of(subtask, parallelism, kGroups), kGroups);
    KeyedTable& table = backend->open_table(table_descriptor(kind));
    backend->restore(MemorySnapshotReader(snapshot, subtask, parallelism, kGroups));
    const TableContents part = contents_of(table, kind);
    EXPECT_EQ(table.entries(), part.size());
    for (const auto& entry : part) {
      EXPECT_TRUE(all.insert(entry).second) << "an entry in two subtasks";
    }
  }
  return all;
}

class SnapshotContract : public ContractTest {
 protected:
  std::unique_ptr<KeyedStateBackend> whole() const { return make(kAllGroups, kGroups); }
  TableContents restored(const MemorySnapshot& snapshot, std::uint32_t parallelism) const {
    return tidemark::restored(snapshot, backend_kind(), kind(), parallelism);
  }
  void take(KeyedStateBackend& backend, MemorySnapshot& snapshot,
            SnapshotKind snapshot_kind = SnapshotKind::kCheckpoint) const {
    snapshot.take(*backend.snapshot(snapshot_kind), backend.key_groups());
  }
};

TEST_P(SnapshotContract, ShowsNothingOfWhatCameAfterIt) {
  for (const SnapshotKind snapshot_kind : {SnapshotKind::kCheckpoint, SnapshotKind::kSavepoint}) {
    const auto backend = whole();
    KeyedTable& table = backend->open_table(table_descriptor(kind()));
    put(table, 7, {1, 2, 3}, 10);
    const TableContents before = contents_of(table, kind());
    const auto part = backend->snapshot(snapshot_kind);
    put(table, 7, {2, 3, 4}, 20);
    put(table, 8, {1}, 20);
    MemorySnapshot snapshot;
    snapshot.take(*part, kAllGroups);
    EXPECT_EQ(restored(snapshot, 1), before);
  }
}

TEST_P(SnapshotContract, AnEmptyTableIsDeclared) {
  const auto backend = whole();
  backend->open_table(table_descriptor(kind()));
  MemorySnapshot snapshot;
  take(*backend, snapshot);
  ASSERT_NE(snapshot.find("counts"), nullptr);
  EXPECT_TRUE(snapshot.find("counts")->descriptor.keyed);
  EXPECT_TRUE(snapshot.find("counts")->blocks.empty());
  EXPECT_TRUE(restored(snapshot, 2).empty());
}

TEST_P(SnapshotContract, AnAbandonedSnapshotLeavesTheTableUsable) {
  const auto backend = whole();
  KeyedTable& table = backend->open_table(table_descriptor(kind()));
  for (int round = 0; round < 5; ++round) {
    put(table, round, {1, 2, 3, 4, 5, 6, 7, 8, 9}, round);
    const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
    put(table, round, {1, 2, 3}, 100 + round);
    MemorySnapshot partial;
    part->step(partial, 40);
    if (round > 1) table.drop(round - 2);
  }
  const TableContents contents = contents_of(table, kind());
  MemorySnapshot snapshot;
  take(*backend, snapshot);
  EXPECT_EQ(restored(snapshot, 1), contents);
}

TEST_P(SnapshotContract, ABackendMayGoBeforeItsPart) {
  auto backend = whole();
  put(backend->open_table(table_descriptor(kind())), 0, {1, 2}, 1);
  const auto part = backend->snapshot(SnapshotKind::kCheckpoint);
  backend.reset();
  EXPECT_EQ(OwningValues::alive, 0);
}

/// A table and its model under random changes, while snapshots are made, written and given up.
class SnapshotStory {
 public:
  SnapshotStory(const ContractParam& param, std::uint64_t seed)
      : backend_kind_(std::get<0>(param)),
        kind_(std::get<1>(param)),
        seed_(seed),
        random_(seed),
        backend_(make_backend(backend_kind_, kAllGroups, kGroups, seed % 5 != 0)),
        table_(&backend_->open_table(table_descriptor(kind_))),
        key_space_(1 + random_.below(seed % 4 == 0 ? 4000 : 200)) {}

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      change();
      advance();
    }
  }
  std::uint64_t written() const { return written_; }

 private:
  void change() {
    const auto ns = static_cast<StateNamespace>(random_.below(4)) * 1000 - 1000;
    std::vector<std::uint64_t> numbers(random_.below(100));
    for (std::uint64_t& number : numbers) number = random_.below(key_space_);
    const KeyBatch keys = key_batch(kind_.encoding, numbers);
    switch (random_.below(7)) {
      case 0:
        table_->erase(ns, keys, all_rows(keys));
        for (const std::uint64_t number : numbers)
          model_.erase({ns, key_text(kind_.encoding, number)});
        break;
      case 1:
        if (!random_.one_in(2)) break;
        table_->drop(ns);
        std::erase_if(model_, [&](const auto& entry) { return entry.first.first == ns; });
        break;
      case 2: look(ns, numbers, keys); break;
      default: update(ns, numbers, keys);
    }
    ASSERT_EQ(table_->entries(), model_.size()) << "seed " << seed_;
  }

  void look(StateNamespace ns, const std::vector<std::uint64_t>& numbers, const KeyBatch& keys) {
    std::vector<const std::byte*> values(keys.size());
    table_->find(ns, keys, all_rows(keys), values);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto expected = model_.find({ns, key_text(kind_.encoding, numbers[i])});
      ASSERT_EQ(values[i] != nullptr, expected != model_.end()) << "seed " << seed_;
      if (values[i] == nullptr) continue;
      ASSERT_EQ(read_value(kind_, values[i]), expected->second);
    }
  }

  void update(StateNamespace ns, const std::vector<std::uint64_t>& numbers, const KeyBatch& keys) {
    std::vector<std::byte*> values(keys.size());
    table_->find_or_insert(ns, keys, all_rows(keys), values);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::int64_t& expected = model_[{ns, key_text(kind_.encoding, numbers[i])}];
      ASSERT_EQ(read_value(kind_, values[i]), expected) << "seed " << seed_;
      write_value(kind_, values[i], ++expected);
    }
  }

  void advance() {
    if (files_wait_) {
      if (!random_.one_in(4)) return;
      snapshot_->write_files(kAllGroups);
      files_wait_ = false;
      check();
    } else if (part_ == nullptr) {
      frozen_ = model_;
      savepoint_ = random_.one_in(3);
      part_ = backend_->snapshot(savepoint_ ? SnapshotKind::kSavepoint : SnapshotKind::kCheckpoint);
      snapshot_.emplace(files_);
    } else if (random_.one_in(40)) {
      part_ = nullptr;  // given up
    } else if (part_->step(*snapshot_, 1 + random_.below(seed_ % 2 == 0 ? 200 : 30000))) {
      part_ = nullptr;
      files_wait_ = true;
    }
  }

  void check() {
    ++written_;
    const bool canonical = snapshot_->own_forms().empty();
    ASSERT_EQ(entries_in(*snapshot_, "counts"), canonical ? frozen_.size() : 0) << "seed " << seed_;
    ASSERT_TRUE(canonical || !savepoint_);
    const auto parallelism = static_cast<std::uint32_t>(1 + random_.below(3));
    ASSERT_EQ(restored(*snapshot_, backend_kind_, kind_, parallelism), frozen_) << "seed " << seed_;
    ASSERT_EQ(contents_of(*table_, kind_), model_) << "seed " << seed_;
    if (!canonical) return;
    const BackendKind other =
        backend_kind_ == BackendKind::kHashmap ? BackendKind::kRocksdbTight : BackendKind::kHashmap;
    ASSERT_EQ(restored(*snapshot_, other, kind_, parallelism), frozen_) << "seed " << seed_;
  }

  BackendKind backend_kind_;
  TableKind kind_;
  std::uint64_t seed_;
  Random random_;
  std::unique_ptr<KeyedStateBackend> backend_;
  KeyedTable* table_;
  std::uint64_t key_space_;
  std::shared_ptr<MemoryFiles> files_ = std::make_shared<MemoryFiles>();
  TableContents model_, frozen_;
  std::unique_ptr<SnapshotPart> part_;
  std::optional<MemorySnapshot> snapshot_;
  bool savepoint_ = false;
  bool files_wait_ = false;
  std::uint64_t written_ = 0;
};

// Whatever happens to the table while a snapshot is written, in steps of any size, the snapshot
// holds the state of its moment, each entry once. A canonical one restores into other backends.
TEST_P(SnapshotContract, HoldsTheStateOfItsMoment) {
  std::uint64_t written = 0;
  // A database on a disk takes its time to open, and each restore opens some.
  const std::uint64_t seeds = backend_kind() == BackendKind::kRocksdb ? 2 : 12;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SnapshotStory story(GetParam(), seed);
    story.run(120);
    written += story.written();
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(written, seeds);
  EXPECT_EQ(OwningValues::alive, 0);
}

TEST_P(SnapshotContract, StepsAreBounded) {
  const auto backend = whole();
  KeyedTable& table = backend->open_table(table_descriptor(kind()));
  std::vector<std::uint64_t> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  put(table, 0, numbers, 1);
  const auto part = backend->snapshot(SnapshotKind::kSavepoint);
  MemorySnapshot snapshot;
  int steps = 1;
  while (!part->step(snapshot, 16 << 10)) ++steps;
  EXPECT_GE(steps, 16);
  EXPECT_EQ(restored(snapshot, 2).size(), 5000u);
}

// A restored table goes on: it takes changes, snapshots and restores again.
TEST_P(SnapshotContract, GoesOnFromWhatWasRestored) {
  MemorySnapshot snapshot(std::make_shared<MemoryFiles>());
  TableContents expected;
  for (std::int64_t generation = 1; generation <= 4; ++generation) {
    const auto backend = whole();
    KeyedTable& table = backend->open_table(table_descriptor(kind()));
    if (generation > 1) backend->restore(MemorySnapshotReader(snapshot, 0, 1, kGroups));
    ASSERT_EQ(contents_of(table, kind()), expected);
    for (std::uint64_t key = 0; key < 300; key += static_cast<std::uint64_t>(generation))
      put(table, generation % 2, {key}, generation);
    const KeyBatch gone = keys({5, 6, 7});
    table.erase(0, gone, all_rows(gone));
    expected = contents_of(table, kind());
    MemorySnapshot next(std::make_shared<MemoryFiles>(snapshot.files()));
    take(*backend, next);
    snapshot = std::move(next);
  }
}

TIDEMARK_CONTRACT_SUITE(SnapshotContract);

}  // namespace
}  // namespace tidemark
