// SPDX-License-Identifier: Apache-2.0
// Removal of expired entries that nobody looks up, as far as they are in memory.
#include <algorithm>

#include "tidemark/state/rocksdb/rocksdb_table.h"

namespace tidemark {
namespace {

// Slots looked at in one call: not to be noticed beside a batch of rows.
constexpr std::size_t kSlotsACall = 1024;

}  // namespace

void RocksdbTable::remove_some_expired() {
  if (!ttl().enabled() || shared_.time.of(ttl().clock) == kMinTime) return;
  std::size_t left = kSlotsACall;
  for (std::size_t visits = tiers_.size() + 1; visits > 0 && left > 0 && !tiers_.empty();
       --visits, --left) {
    auto at = tiers_.lower_bound(sweep_namespace_);
    if (at == tiers_.end()) at = tiers_.begin();
    if (at->first != sweep_namespace_) sweep_slot_ = 0;
    sweep_namespace_ = at->first;
    if (!sweep(*at->second, left)) return;
    const StateNamespace ns = at->first;
    if (at->second->entries == 0) drop(ns);
    sweep_namespace_ = ns == kMaxTime ? kMinTime : ns + 1;
    sweep_slot_ = 0;
    if (left == 0) return;
  }
}

void RocksdbTable::tell_compactions() {
  if (!ttl().enabled() || shared_.holding()) return;
  const std::int64_t now = shared_.time.of(ttl().clock);
  if (now == told_time_) return;
  told_time_ = now;
  shared_.expiry->set(id_, {ttl().ttl, now});
}

// False when the end was not reached.
bool RocksdbTable::sweep(NamespaceTier& tier, std::size_t& left) {
  if (tier.array == nullptr) return true;
  const std::int64_t now = shared_.time.of(ttl().clock);
  while (sweep_slot_ < tier.array->capacity()) {
    if (left == 0) return false;
    --left;
    std::byte* slot = tier.array->slot(sweep_slot_);
    if (tier.array->is_live(slot) && (header_of(slot).epoch & kSlotAbsent) == 0) {
      std::byte* value = tier.array->value(slot);
      if (stamp_of(value) == kMinTime) {  // touched before the clock was known: its life begins
        touch(tier, slot);
        set_stamp(value, now);
      } else if (is_expired(stamp_of(value), ttl().ttl, now)) {
        const std::size_t before = tier.array->entries();
        erase_slot(tier, slot);
        if (tier.array->entries() < before) continue;  // another entry may have moved here
      }
    }
    ++sweep_slot_;
  }
  return true;
}

}  // namespace tidemark
