// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/state/keyed_state.h"

namespace tidemark {

struct RocksdbConfig {
  /// Directories on local disks for the databases, which are scratch: they go when the backend
  /// does, and what a crash leaves is removed by the next database in the same directory. Each
  /// database takes the next directory in turn. Empty: databases live in the memory of the process
  /// and compact nothing by themselves, so that a simulation repeats itself.
  std::vector<std::string> directories;
  /// Bytes for the tier of entries in memory, block cache and memtables together.
  std::size_t memory_bytes = std::size_t{128} << 20;
  /// Of which for the tier; 0: half of them. The entries of one look-up are held in any case.
  std::size_t tier_bytes = 0;
  /// Whether checkpoints are the database's own files, of which only new ones are stored. Otherwise
  /// every checkpoint is written like a savepoint.
  bool incremental = true;
};

/// The backend for state that is larger than memory. The same tables as the hashmap's, in memory as
/// far as the budget goes, are a write-back tier in front of a RocksDB database: a look-up that
/// meets an entry there costs what it costs in memory alone; those of a batch that do not are read
/// together, and what has changed is written when it must make room or at a snapshot.
///
/// Throws IoFailure when a directory cannot be used; so do all operations of its tables.
std::unique_ptr<KeyedStateBackend> make_rocksdb_backend(KeyGroupRange range,
                                                        std::uint32_t max_parallelism,
                                                        RocksdbConfig config);

}  // namespace tidemark
