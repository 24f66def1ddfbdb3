// SPDX-License-Identifier: Apache-2.0
// Removal of expired entries that nobody looks up.
#include <algorithm>

#include "tidemark/state/hashmap/hashmap_table.h"

namespace tidemark {
namespace {

// Slots looked at in one call: enough for a table to be walked through while it is used, few enough
// not to be noticed beside a batch of rows.
constexpr std::size_t kFewestSlots = 1024;
constexpr std::size_t kMostSlots = 65536;

}  // namespace

// A table is walked through at least once in a time to live, however rarely this is called, as far
// as the bound on one call allows.
std::size_t HashmapTable::slots_to_sweep() {
  const std::int64_t now = shared_.time.of(type_->ttl.clock);
  const std::int64_t elapsed =
      swept_at_ == kMinTime ? 0 : std::min(saturating_sub(now, swept_at_), type_->ttl.ttl);
  swept_at_ = now;
  std::size_t capacity = 0;
  for (const auto& [ns, array] : arrays_) capacity += array->capacity();
  const double share = static_cast<double>(elapsed) / static_cast<double>(type_->ttl.ttl);
  const auto due = static_cast<std::size_t>(share * static_cast<double>(capacity));
  return std::clamp(due, kFewestSlots, kMostSlots);
}

void HashmapTable::remove_some_expired() {
  if (!type_->ttl.enabled() || arrays_.empty()) return;
  if (shared_.time.of(type_->ttl.clock) == kMinTime) return;
  std::size_t left = slots_to_sweep();
  const std::size_t namespaces = arrays_.size();
  for (std::size_t visited = 0; visited <= namespaces && left > 0 && !arrays_.empty(); ++visited) {
    auto at = arrays_.lower_bound(sweep_namespace_);
    if (at == arrays_.end()) at = arrays_.begin();
    if (at->first != sweep_namespace_) sweep_slot_ = 0;
    const StateNamespace ns = at->first;
    sweep_namespace_ = ns;
    SlotArray& array = *at->second;
    const std::size_t end = std::min(array.capacity(), sweep_slot_ + left);
    left -= end > sweep_slot_ ? end - sweep_slot_ : 0;
    for (; sweep_slot_ < end; ++sweep_slot_)
      start_life_or_remove(ns, array, array.slot(sweep_slot_));
    if (end < array.capacity()) return;
    sweep_slot_ = 0;
    if (array.entries() == 0) drop(ns);
    if (ns == kMaxTime) {
      sweep_namespace_ = kMinTime;
    } else {
      sweep_namespace_ = ns + 1;
    }
  }
}

// An entry that was touched before the clock was known begins its life now.
void HashmapTable::start_life_or_remove(StateNamespace ns, SlotArray& array, std::byte* slot) {
  if (!array.is_live(slot)) return;
  const bool unstamped = stamp_of(array.value(slot)) == kMinTime;
  if (!unstamped && !array.is_expired(slot, shared_.time)) return;
  if (SnapshotSession* session = session_of(array)) {
    SlotHeader& header = header_of(slot);
    if (header.epoch != session->epoch() && array.index_of(slot) >= array.scanned())
      session->save(*this, ns, array, slot, array.hash_of(slot));
    header.epoch = session->epoch();
  }
  if (unstamped) {
    set_stamp(array.value(slot), shared_.time.of(type_->ttl.clock));
  } else {
    array.erase(slot);
  }
}

}  // namespace tidemark
