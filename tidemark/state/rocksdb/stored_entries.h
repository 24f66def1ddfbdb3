// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tidemark/state/keyed_state.h"
#include "tidemark/state/rocksdb/database.h"
#include "tidemark/state/rocksdb/rocksdb_table.h"
#include "tidemark/state/table_block.h"

namespace tidemark {

/// Puts entries that come from a snapshot straight into the database, past the tier: they come in
/// the order of their hashes, and most will not be looked up soon.
class StoredEntryLoader {
 public:
  StoredEntryLoader(RocksdbTable& table, RocksdbShared& shared, const StateDescriptor& stored);

  /// Adds the entries of a block of a canonical snapshot.
  void load_block(KeyGroup group, std::string_view block);
  /// Adds an entry as another database holds it.
  void load(StateNamespace ns, std::uint64_t hash, std::string_view key, std::string_view stored);
  /// Tells the table of what was loaded.
  void finish();

 private:
  void put(StateNamespace ns, std::uint64_t hash, std::string_view key, std::string_view value,
           bool own_form);
  [[noreturn]] void damaged(const std::string& how) const;

  RocksdbTable& table_;
  RocksdbShared& shared_;
  TableRestore how_;
  NamespaceCounts counts_;
  rocksdb::WriteBatch batch_;
  std::string key_;
  std::string value_;
  std::string scratch_;
};

/// Writes the tables of a database in the canonical form, as they are when it is made. Thread: the
/// task's.
class CanonicalWriter {
 public:
  CanonicalWriter(std::vector<const RocksdbTable*> tables, const RocksdbShared& shared);

  /// The database from now on may change: what it holds now is what is written.
  void begin();
  /// Writes about `bytes_max` bytes; true when nothing is left.
  bool step(SnapshotWriter& writer, std::size_t bytes_max);

 private:
  void add(const RocksdbTable& table, std::string_view key, std::string_view value,
           SnapshotWriter& writer);
  void flush(SnapshotWriter& writer);

  std::vector<const RocksdbTable*> tables_;
  std::shared_ptr<Database> database_;
  std::uint32_t max_parallelism_;
  StateTime time_;
  std::vector<std::unique_ptr<Database::Range>> ranges_;  // of each table
  std::size_t at_ = 0;

  // The block being made.
  StateNamespace ns_ = 0;
  KeyGroup group_ = 0;
  std::uint32_t entries_ = 0;
  std::uint32_t width_ = 0;
  ByteWriter bytes_;
  ByteWriter framed_;
  ByteWriter zero_;
};

}  // namespace tidemark
