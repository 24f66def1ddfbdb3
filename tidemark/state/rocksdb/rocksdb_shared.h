// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tidemark/state/key_group.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/rocksdb/database.h"
#include "tidemark/state/rocksdb/frozen_state.h"
#include "tidemark/state/rocksdb/tier_space.h"

namespace tidemark {

/// What the tables of one backend share. Thread: the task's.
struct RocksdbShared {
  RocksdbShared(KeyGroupRange groups, std::uint32_t groups_max, std::size_t tier_bytes)
      : range(groups), max_parallelism(groups_max), space(*this, tier_bytes) {}

  KeyGroupRange range;
  std::uint32_t max_parallelism;
  std::shared_ptr<Database> database;
  std::shared_ptr<ExpiryTimes> expiry = std::make_shared<ExpiryTimes>();
  TierSpace space;
  std::uint32_t epoch = 1;  // of the last snapshot made, open or not
  std::uint64_t calls = 0;
  StateTime time;
  std::shared_ptr<FrozenState> frozen;  // of the open snapshot
  rocksdb::WriteBatch batch;            // reused; empty between calls

  /// Whether the database waits for an open snapshot: nothing written after its barrier may go in.
  /// True until settle(), whatever the I/O thread has done meanwhile.
  bool holding() const noexcept { return frozen != nullptr; }
  /// To be called first by whatever may move slots or write to the database.
  void begin_call() {
    ++calls;
    if (frozen != nullptr && frozen->over()) settle();
  }
  /// Makes the open snapshot independent of the database, now.
  void finish_cut() {
    frozen->finish();
    settle();
  }
  /// Does what had to wait for the open snapshot.
  void settle();
};

}  // namespace tidemark
