// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "tidemark/state/hashmap/slot_array.h"

// In a tier the epoch word of a slot (state/hashmap/slot.h) says how the slot stands to the
// database:
//   bit 0   dirty: the database does not have this yet
//   bit 1   absent: the key has no entry, whatever the database says
//   bit 2   used: looked up since the clock's hand came by
//   3..31   the epoch of its last write: snapshots made before it

namespace tidemark {

inline constexpr std::uint32_t kSlotDirty = 1;
inline constexpr std::uint32_t kSlotAbsent = 2;
inline constexpr std::uint32_t kSlotUsed = 4;
inline constexpr unsigned kSlotEpochShift = 3;

constexpr std::uint32_t slot_epoch_of(std::uint32_t word) noexcept {
  return word >> kSlotEpochShift;
}
/// The word of a slot that was just looked up for writing.
constexpr std::uint32_t written_word(std::uint32_t epoch) noexcept {
  return (epoch << kSlotEpochShift) | kSlotUsed | kSlotDirty;
}

class RocksdbTable;

/// What of one namespace is in memory, and what is known about the rest. Thread: the task's.
struct NamespaceTier {
  NamespaceTier(RocksdbTable& owner, StateNamespace space) : table(&owner), ns(space) {}

  RocksdbTable* table;
  StateNamespace ns;
  std::shared_ptr<SlotArray> array;  // null: nothing is in memory; others may hold it, to scan it
  std::size_t bytes = 0;             // of the array when it was made
  std::size_t arena_limit = 0;    // its keys' bytes beyond which most belong to entries that left
  std::size_t entries = 0;        // in memory and in the database
  std::size_t dirty = 0;          // slots written since the last snapshot was made
  std::size_t frozen = 0;         // dirty slots written before it
  bool in_database = false;       // whether the database may have, or get, something of it
  bool crowded = false;           // an entry went too far from its home
  std::size_t hand = 0;           // of the clock: where eviction goes on
  std::size_t frozen_cursor = 0;  // where the writing of frozen slots goes on
  std::uint64_t used_at = 0;      // number of the last call
  std::uint64_t pin = 0;          // equals the table's: pointers into it may be in use
  std::list<NamespaceTier*>::iterator place;  // in TierSpace's list; valid while listed
  bool listed = false;

  bool is_dirty_now(std::uint32_t word, std::uint32_t epoch) const noexcept {
    return (word & kSlotDirty) != 0 && slot_epoch_of(word) == epoch;
  }
  bool is_frozen(std::uint32_t word, std::uint32_t epoch) const noexcept {
    return (word & kSlotDirty) != 0 && slot_epoch_of(word) != epoch;
  }
};

}  // namespace tidemark
