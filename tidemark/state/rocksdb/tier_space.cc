// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/tier_space.h"

#include <algorithm>

#include "tidemark/state/rocksdb/rocksdb_shared.h"
#include "tidemark/state/rocksdb/rocksdb_table.h"

namespace tidemark {
namespace {

// A tier that no call used for so long gives all its memory before one in use gives any.
constexpr std::uint64_t kIdleCalls = 256;
// Tiers looked at for memory, from the one unused for longest.
constexpr int kTiersAsked = 8;
// The least part of its entries that a full tier evicts at a time, so that it is not asked again
// at the next batch.
constexpr std::size_t kEvictedPart = 32;
// While nothing written may go to the database, tiers may exceed the budget by this.
constexpr std::size_t kHeldPart = 4;
constexpr std::size_t kHeldBytes = std::size_t{1} << 20;
constexpr std::size_t kSmallestArena = std::size_t{16} << 10;

}  // namespace

void TierSpace::list(NamespaceTier& tier) {
  if (tier.listed) {
    order_.splice(order_.begin(), order_, tier.place);
  } else {
    order_.push_front(&tier);
    tier.listed = true;
  }
  tier.place = order_.begin();
}

void TierSpace::forget(NamespaceTier& tier) noexcept {
  if (tier.listed) order_.erase(tier.place);
  tier.listed = false;
  bytes_ -= tier.bytes;
  tier.bytes = 0;
}

bool TierSpace::fits(const NamespaceTier& tier, std::size_t slots) noexcept {
  return tier.array != nullptr && !tier.crowded &&
         tier.array->entries() + slots <= tier.array->limit() &&
         tier.array->arena().memory_bytes() <= tier.arena_limit;
}

std::size_t TierSpace::share_of(const NamespaceTier& tier, std::size_t slots) const {
  const std::size_t others = std::min(bytes_max_, bytes_ - tier.bytes);
  return std::max(slots, SlotArray::entries_within(tier.table->type(), bytes_max_ - others));
}

void TierSpace::make_room(NamespaceTier& tier, std::size_t slots) {
  if (over_budget()) reclaim(0, tier);
  if (!fits(tier, slots)) {
    grow(tier, slots);
  } else if (over_budget()) {
    shrink(tier, slots);
  }
}

void TierSpace::grow(NamespaceTier& tier, std::size_t slots) {
  const std::size_t held = tier.array ? tier.array->entries() : 0;
  const std::size_t limit = tier.array ? tier.array->limit() : 0;
  // As large as it would be without a budget, where there is memory.
  const std::size_t larger = std::max(held + slots, tier.crowded           ? limit * 2
                                                    : held + slots > limit ? held * 2
                                                                           : limit);
  const std::size_t needed = SlotArray::bytes_for(tier.table->type(), larger);
  if (bytes_ - tier.bytes + needed > bytes_max_)
    reclaim(needed - std::min(needed, tier.bytes), tier);
  if (bytes_ - tier.bytes + needed <= bytes_max_) return rebuild(tier, larger);

  // All of its share, if that is much more than it has; otherwise entries must go.
  const std::size_t share = share_of(tier, slots);
  if (share > limit + limit / 4 && share >= held + slots) return rebuild(tier, share);
  const std::size_t size = limit > 0 ? std::min(std::max(limit, slots), share) : share;
  const std::size_t freed = tier.crowded ? size / 2 : std::max(slots, size / kEvictedPart);
  evict(tier, size - std::min(size, freed));
  std::size_t left = tier.array ? tier.array->entries() : 0;
  if (left + slots > size && shared_.holding()) {
    // What is left was written after the barrier of an unfinished checkpoint.
    if (bytes_ < bytes_max_ + bytes_max_ / kHeldPart + kHeldBytes)
      return rebuild(tier, (left + slots) * 3 / 2);
    shared_.finish_cut();
    evict(tier, size - std::min(size, freed));
    left = tier.array->entries();
  }
  if (!fits(tier, slots)) rebuild(tier, std::max(size, left + slots));
}

// Over the budget, because others have grown, or because of one large batch, or of a checkpoint.
void TierSpace::shrink(NamespaceTier& tier, std::size_t slots) {
  const std::size_t share = share_of(tier, slots);
  if (shared_.holding()) return;
  if (tier.array->entries() + slots > share) evict(tier, share - slots);
  const SlotArrayType& type = tier.table->type();
  if (SlotArray::bytes_for(type, share) < tier.array->capacity() * type.layout.stride * 3 / 4)
    rebuild(tier, share);
}

void TierSpace::offer(NamespaceTier& tier, std::size_t slots) {
  if (bytes_ + SlotArray::bytes_for(tier.table->type(), slots) <= bytes_max_) rebuild(tier, slots);
}

// Gives the tier an array of another size, with the same entries.
void TierSpace::rebuild(NamespaceTier& tier, std::size_t entries) {
  auto array = std::make_shared<SlotArray>(tier.table->shared_type(), entries);
  if (tier.array) tier.array->move_into(*array);
  tier.array = std::move(array);
  tier.hand = tier.frozen_cursor = 0;
  tier.crowded = false;
  const std::size_t key_bytes = tier.array->arena().memory_bytes();
  tier.arena_limit = 2 * key_bytes + kSmallestArena;
  bytes_ -= tier.bytes;
  tier.bytes = tier.array->capacity() * tier.table->type().layout.stride + key_bytes;
  bytes_ += tier.bytes;
  if (!tier.listed) list(tier);
}

// Removes entries until `left` are, or until none may go.
void TierSpace::evict(NamespaceTier& tier, std::size_t left) {
  if (tier.array == nullptr) return;
  SlotArray& array = *tier.array;
  const std::uint32_t epoch = shared_.epoch;
  const bool holding = shared_.holding();
  std::size_t unproductive = 0;
  while (array.entries() > left && unproductive < 2 * array.capacity()) {
    if (tier.hand >= array.capacity()) tier.hand = 0;
    std::byte* slot = array.slot(tier.hand);
    std::uint32_t& word = header_of(slot).epoch;
    const bool stays = !array.is_live(slot) || ((word & kSlotUsed) != 0 && left > 0) ||
                       (holding && tier.is_dirty_now(word, epoch));
    if (stays) {
      word &= ~kSlotUsed;
      ++tier.hand;
      ++unproductive;
      continue;
    }
    if ((word & kSlotDirty) != 0) {
      tier.table->write_slot(tier, slot, shared_.batch);
      tier.in_database = true;
      --(tier.is_dirty_now(word, epoch) ? tier.dirty : tier.frozen);
    }
    array.remove(slot);  // another entry may have moved here: the hand stays
  }
  shared_.database->write(shared_.batch);
}

void TierSpace::reclaim(std::size_t bytes, const NamespaceTier& taker) {
  const std::size_t target = bytes_max_ - std::min(bytes_max_, bytes);
  auto next = order_.end();
  for (int asked = 0; asked < kTiersAsked && bytes_ > target && next != order_.begin(); ++asked) {
    NamespaceTier& tier = **--next;
    // One that is being scanned, or into which another table's caller points, stays as it is.
    if (&tier == &taker || tier.array.use_count() > 1 || tier.table->is_pinned(tier)) continue;
    if (over_budget() || shared_.calls - tier.used_at > kIdleCalls) {
      ++next;  // spill() takes it out of the list
      spill(tier);
    } else if (tier.bytes >= 4 * bytes) {
      halve(tier);
    }
  }
}

void TierSpace::spill(NamespaceTier& tier) {
  evict(tier, 0);
  if (tier.array->entries() > 0) {
    list(tier);  // held back: not asked again for a while
    return;
  }
  tier.array = nullptr;
  forget(tier);
}

void TierSpace::halve(NamespaceTier& tier) {
  const std::size_t half = tier.array->limit() / 2;
  evict(tier, half - half / kEvictedPart);
  if (tier.array->entries() < half) rebuild(tier, half);
}

}  // namespace tidemark
