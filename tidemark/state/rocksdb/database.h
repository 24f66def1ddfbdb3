// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/state/rocksdb/expiry_filter.h"
#include "tidemark/state/rocksdb/rocksdb_backend.h"
#include "tidemark/state/rocksdb/scratch_directory.h"

namespace tidemark {

/// Fills a new directory with the files of a database.
using DatabaseFiller = std::function<void(rocksdb::Env& env, const std::string& directory)>;

/// A RocksDB database in a directory of its own, without a log: it is scratch, and what must last
/// is in checkpoints. Thread-safe. Throws Failure (kIo).
class Database {
 public:
  /// Opens an empty one, or what `fill` puts into its directory.
  explicit Database(const RocksdbConfig& config, const DatabaseFiller& fill = nullptr);
  Database(const RocksdbConfig& config, const DatabaseFiller& fill,
           std::shared_ptr<const ExpiryTimes> expiry);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::Env& env() const noexcept { return scratch_.env(); }

  void write(rocksdb::WriteBatch& batch);
  /// found(i, value) for each of `keys` that has a value, in any order.
  void read(const std::vector<rocksdb::Slice>& keys,
            const std::function<void(std::size_t, std::string_view)>& found);
  /// Removes all keys in [begin, end). Files that hold nothing else go at once.
  void remove_range(const std::string& begin, const std::string& end);
  /// Over the keys in [begin, end), as they are now. `same_namespace` promises that the bounds are
  /// those of one namespace.
  class Range;
  std::unique_ptr<Range> range(std::string begin, std::string end, bool same_namespace) const;

  /// Makes a directory of hard links to the database's files as they are now; returns its path. The
  /// caller removes it. Blocks for as long as it takes to flush the memtables.
  std::string link_files();

  /// Rewrites all files, leaving out what has expired. Blocks.
  void compact();

  /// Bytes of memory in use.
  std::size_t memory_bytes() const;

 private:
  ScratchDirectory scratch_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
  std::uint64_t links_made_ = 0;
};

/// An iterator and its bounds.
class Database::Range {
 public:
  Range(rocksdb::DB& db, std::string begin, std::string end, bool same_namespace);

  bool valid() const { return iterator_->Valid(); }
  /// Throws when the iteration did not end but failed.
  void next();
  std::string_view key() const { return iterator_->key().ToStringView(); }
  std::string_view value() const { return iterator_->value().ToStringView(); }

 private:
  void check() const;

  std::string end_;
  rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace tidemark
