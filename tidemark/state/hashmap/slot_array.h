// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tidemark/state/hashmap/memory_block.h"
#include "tidemark/state/hashmap/slot.h"
#include "tidemark/state/key_group.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// What all arrays of one table have in common.
struct SlotArrayType {
  KeyEncoding encoding = KeyEncoding::kFixed8;
  SlotLayout layout{};
  std::size_t value_width = 0;
  bool plain = true;
  TimeToLive ttl;
  std::shared_ptr<const ValueOperations> values;
  KeyGroupRange range;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
};

/// One open-addressing array of entries: a namespace of a table, or the frozen image of one that
/// was dropped or grown while a snapshot was open. An entry's home is its hash scaled to the
/// capacity, so the slots are in the order of their hashes, and of their key groups, but for what
/// linear probing displaces. Owns the values. Thread: the task's.
class SlotArray {
 public:
  /// Of `scanned()` when no open snapshot still needs this array.
  static constexpr std::size_t kNotFrozen = SIZE_MAX;

  /// Holds at least `entries` entries before it is full.
  SlotArray(std::shared_ptr<const SlotArrayType> type, std::size_t entries);
  ~SlotArray();
  SlotArray(const SlotArray&) = delete;
  SlotArray& operator=(const SlotArray&) = delete;

  /// Bytes of the slots of an array for so many entries, and the reverse.
  static std::size_t bytes_for(const SlotArrayType& type, std::size_t entries) noexcept;
  static std::size_t entries_within(const SlotArrayType& type, std::size_t bytes) noexcept;

  const SlotArrayType& type() const noexcept { return *type_; }
  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t entries() const noexcept { return entries_; }
  bool full() const noexcept { return used_ >= limit_; }
  /// Entries and tombstones that it holds before it is full.
  std::size_t limit() const noexcept { return limit_; }
  /// Whether an entry that would go `slots` behind its home calls for a larger array. Keys that
  /// come in the order of their hashes, as another table's scan gives them, fill the front of an
  /// array before its end: without room it would become one run that every look-up walks along.
  bool crowded(std::size_t slots) const noexcept {
    return slots > kCrowdedSlots && capacity_ < entries_ * kSparsestSlots;
  }
  /// What an array to replace this full or crowded one should hold. Where tombstones are what fills
  /// it, the same size is enough.
  std::size_t entries_when_grown() const noexcept { return full() ? entries_ * 2 : limit_ * 2; }
  std::size_t memory_bytes() const noexcept;

  std::byte* slot(std::size_t index) const noexcept {
    return block_.data() + index * type_->layout.stride;
  }
  std::size_t index_of(const std::byte* slot) const noexcept {
    return static_cast<std::size_t>(slot - block_.data()) / type_->layout.stride;
  }
  std::byte* value(std::byte* slot) const noexcept { return slot + type_->layout.value_offset; }
  bool is_live(const std::byte* slot) const noexcept { return header_of(slot).mark == live_; }
  std::uint32_t live_mark() const noexcept { return live_; }
  std::size_t home_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(hash - first_hash_) * scale_) >>
                                    64);
  }
  bool is_expired(const std::byte* slot, const StateTime& time) const noexcept {
    const TimeToLive& ttl = type_->ttl;
    return ttl.enabled() && tidemark::is_expired(stamp_of(slot + type_->layout.value_offset),
                                                 ttl.ttl, time.of(ttl.clock));
  }
  /// Key (in place) and value of a live slot.
  KeyedEntry entry(const std::byte* slot) const noexcept;
  /// The hash of a live slot's key, computed again when the slot does not keep it.
  std::uint64_t hash_of(const std::byte* slot) const noexcept;
  KeyArena& arena() noexcept { return *arena_; }

  /// Turns an empty or erased slot into an entry with a zero value; its key is stored by the
  /// caller.
  void occupy(std::byte* slot, std::uint32_t epoch) noexcept;
  /// Makes an entry's value zero again.
  void reset(std::byte* slot) noexcept;
  /// Turns an entry into a tombstone and destroys its value.
  void erase(std::byte* slot) noexcept;
  /// Removes an entry and leaves no tombstone: the entries behind it, up to the next empty slot,
  /// move up where that brings them nearer to their homes. Other entries' slots change with it; the
  /// slot may hold another entry afterwards. Only for arrays in which erase() is never used.
  void remove(std::byte* slot) noexcept;
  /// Moves every entry into `larger`, which is empty. This array keeps its bytes, so that a
  /// snapshot can go on reading plain values, but no longer owns them.
  void move_into(SlotArray& larger);
  /// Removes all entries. Constant time when values are plain.
  void clear() noexcept;

  /// Slots below this were read by the open snapshot; kNotFrozen when none needs this array.
  std::size_t scanned() const noexcept { return scanned_; }
  void set_scanned(std::size_t index) noexcept { scanned_ = index; }

 private:
  // Random keys are never so far from home: the chance is e^-28 at the highest load.
  static constexpr std::size_t kCrowdedSlots = 256;
  // Slots an entry, at most. Beyond, the hashes themselves are alike, and room does not help.
  static constexpr std::size_t kSparsestSlots = 64;

  void destroy_values() noexcept;

  std::shared_ptr<const SlotArrayType> type_;
  MemoryBlock block_;
  std::unique_ptr<KeyArena> arena_;
  std::size_t capacity_;
  std::size_t limit_;  // entries and tombstones before it counts as full
  std::uint64_t first_hash_;
  std::uint64_t scale_;
  std::uint32_t live_ = 2;
  bool owns_values_ = true;
  std::size_t entries_ = 0;
  std::size_t used_ = 0;
  std::size_t scanned_ = kNotFrozen;
};

}  // namespace tidemark
