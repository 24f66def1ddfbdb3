// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "tidemark/state/rocksdb/rocksdb_backend.h"
#include "tidemark/state/table_model.h"

// What every backend does alike is tested once, with each of these backends and kinds of tables.

namespace tidemark {

enum class BackendKind : std::uint8_t {
  kHashmap,
  kRocksdb,       // on a disk, with all entries in memory
  kRocksdbTight,  // in memory, with a tier that must let entries go
  kRocksdbSpill,  // in memory, with a tier that holds the last look-up's entries only
};

inline constexpr BackendKind kBackendKinds[] = {BackendKind::kHashmap, BackendKind::kRocksdb,
                                                BackendKind::kRocksdbTight,
                                                BackendKind::kRocksdbSpill};

inline std::unique_ptr<KeyedStateBackend> make_backend(BackendKind kind, KeyGroupRange range,
                                                       std::uint32_t max_parallelism,
                                                       bool incremental = true) {
  RocksdbConfig config{.memory_bytes = std::size_t{8} << 20, .incremental = incremental};
  switch (kind) {
    case BackendKind::kHashmap: return make_hashmap_backend(range, max_parallelism);
    case BackendKind::kRocksdb: config.directories = {::testing::TempDir() + "contract"}; break;
    case BackendKind::kRocksdbTight: config.tier_bytes = std::size_t{16} << 10; break;
    case BackendKind::kRocksdbSpill: config.tier_bytes = 1; break;
  }
  return make_rocksdb_backend(range, max_parallelism, config);
}

inline std::string backend_name(BackendKind kind) {
  switch (kind) {
    case BackendKind::kHashmap: return "hashmap";
    case BackendKind::kRocksdb: return "rocksdb";
    case BackendKind::kRocksdbTight: return "rocksdb_tight";
    case BackendKind::kRocksdbSpill: return "rocksdb_spill";
  }
  return "";
}

using ContractParam = std::tuple<BackendKind, TableKind>;

/// A test that runs with each backend and each kind of table.
class ContractTest : public ::testing::TestWithParam<ContractParam> {
 protected:
  BackendKind backend_kind() const { return std::get<0>(GetParam()); }
  TableKind kind() const { return std::get<1>(GetParam()); }

  std::unique_ptr<KeyedStateBackend> make(KeyGroupRange range,
                                          std::uint32_t max_parallelism) const {
    return make_backend(backend_kind(), range, max_parallelism);
  }
  KeyBatch keys(const std::vector<std::uint64_t>& numbers) const {
    return key_batch(kind().encoding, numbers);
  }
  void put(KeyedTable& table, StateNamespace ns, const std::vector<std::uint64_t>& numbers,
           std::int64_t value) const {
    const KeyBatch batch = keys(numbers);
    std::vector<std::byte*> values(batch.size());
    table.find_or_insert(ns, batch, all_rows(batch), values);
    for (std::byte* at : values) write_value(kind(), at, value);
  }
};

inline std::string contract_name(const ::testing::TestParamInfo<ContractParam>& info) {
  return backend_name(std::get<0>(info.param)) + "_" + kind_name(std::get<1>(info.param));
}

#define TIDEMARK_CONTRACT_SUITE(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(                                                                     \
      Backends, Suite,                                                                          \
      ::testing::Combine(::testing::ValuesIn(kBackendKinds), ::testing::ValuesIn(kTableKinds)), \
      contract_name)

}  // namespace tidemark
