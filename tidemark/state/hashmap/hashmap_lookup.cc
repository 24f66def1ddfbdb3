// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tidemark/base/check.h"
#include "tidemark/state/hashmap/hashmap_table.h"
#include "tidemark/state/hashmap/slot_probe.h"

namespace tidemark {

/// The loops over a batch, by slot type.
struct HashmapTable::Lookup {
  HashmapTable& table;
  StateNamespace ns;
  const KeyBatch& keys;
  const RowIndex* rows;  // null: all rows
  SlotArray& array;
  SnapshotSession* session;  // null when the array needs no saving

  std::size_t row(std::size_t i) const noexcept { return rows != nullptr ? rows[i] : i; }

  // A slot of an open snapshot is saved before anyone may write to it.
  void save(std::byte* slot, std::uint64_t hash) const {
    SlotHeader& header = header_of(slot);
    if (header.epoch == session->epoch()) return;
    if (array.index_of(slot) >= array.scanned()) session->save(table, ns, array, slot, hash);
    header.epoch = session->epoch();
  }

  /// False when the array is full or crowded: rows from the front are done, and it may be called
  /// again.
  template <typename Slot, bool kSave, bool kStamped>
  bool find_or_insert(std::span<const std::size_t> homes, std::span<std::byte*> values,
                      Touch touch) const {
    const ArrayView view(array);
    const std::uint32_t epoch = table.shared_.epoch;
    for (std::size_t i = 0; i < homes.size(); ++i) {
      view.prefetch(homes.data(), homes.size(), i);
      const auto probe = Slot::probe(keys, row(i));
      std::byte* vacant = nullptr;
      std::byte* slot = find_slot<Slot>(view, homes[i], probe, vacant);
      if (slot == nullptr) {
        if (array.full() || array.crowded(view.distance(homes[i], vacant))) return false;
        slot = vacant;
        array.occupy(slot, epoch);
        Slot::store(slot, probe, view.key_end, array.arena());
        if constexpr (kStamped) set_stamp(slot + view.value_offset, touch_time(row(i)));
      } else {
        if constexpr (kSave) save(slot, keys.hashes[row(i)]);
        if constexpr (kStamped) touch_found(slot, row(i), touch);
      }
      values[i] = slot + view.value_offset;
    }
    return true;
  }

  std::int64_t touch_time(std::size_t key) const noexcept {
    const std::int64_t now = table.shared_.time.of(array.type().ttl.clock);
    if (keys.times == nullptr || array.type().ttl.clock != TimeToLive::Clock::kEventTime)
      return now;
    return std::max(now, keys.times[key]);
  }

  void touch_found(std::byte* slot, std::size_t key, Touch touch) const {
    if (array.is_expired(slot, table.shared_.time)) {
      array.reset(slot);
      set_stamp(array.value(slot), touch_time(key));
    } else if (touch == Touch::kRenew) {
      renew(array.value(slot), touch_time(key));
    }
  }

  /// Reading from a table with a time to live removes what has expired, and may renew the rest.
  template <typename Slot>
  void find_living(std::span<const std::size_t> homes, std::span<const std::byte*> values) const {
    const TimeToLive& ttl = array.type().ttl;
    const bool hides = ttl.visibility == TimeToLive::Visibility::kNeverExpired;
    const bool renews = ttl.update == TimeToLive::Update::kOnReadAndWrite;
    for_each_slot<Slot>(homes, [&](std::size_t i, std::byte* slot) {
      values[i] = nullptr;
      if (slot == nullptr) return;
      const bool expired = array.is_expired(slot, table.shared_.time);
      if (session != nullptr && (expired || renews)) save(slot, keys.hashes[row(i)]);
      if (expired && hides) return array.erase(slot);
      if (!expired && renews) renew(array.value(slot), touch_time(row(i)));
      values[i] = array.value(slot);
    });
  }

  template <typename Slot>
  void find(std::span<const std::size_t> homes, std::span<const std::byte*> values) const {
    for_each_slot<Slot>(homes, [&](std::size_t i, std::byte* slot) {
      values[i] = slot == nullptr ? nullptr : array.value(slot);
    });
  }

  template <typename Slot>
  void erase(std::span<const std::size_t> homes) const {
    for_each_slot<Slot>(homes, [&](std::size_t i, std::byte* slot) {
      if (slot == nullptr) return;
      if (session != nullptr) save(slot, keys.hashes[row(i)]);
      array.erase(slot);
    });
  }

  /// Calls `use` with each row's slot, nullptr when its key is absent.
  template <typename Slot, typename Use>
  void for_each_slot(std::span<const std::size_t> homes, Use use) const {
    const ArrayView view(array);
    for (std::size_t i = 0; i < homes.size(); ++i) {
      view.prefetch(homes.data(), homes.size(), i);
      std::byte* vacant = nullptr;
      use(i, find_slot<Slot>(view, homes[i], Slot::probe(keys, row(i)), vacant));
    }
  }
};

SnapshotSession* HashmapTable::session_of(const SlotArray& array) const noexcept {
  return array.scanned() == SlotArray::kNotFrozen ? nullptr : shared_.open_session();
}

void HashmapTable::find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                                  std::span<std::byte*> values, Touch touch) {
  TIDEMARK_DCHECK(values.size() >= rows.size(), "room for a value a row");
  std::shared_ptr<SlotArray>& array = array_of(ns);
  // Rows ascend without repetition, so as many rows as keys are all of them.
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  for (;;) {
    compute_homes(*array, keys, rows, homes_);
    SnapshotSession* session = session_of(*array);
    const Lookup lookup{*this, ns, keys, indexes, *array, session};
    const bool done = with_slot_type(type_->encoding, [&]<typename Slot>(Slot) {
      if (type_->ttl.enabled())
        return session == nullptr ? lookup.find_or_insert<Slot, false, true>(homes_, values, touch)
                                  : lookup.find_or_insert<Slot, true, true>(homes_, values, touch);
      return session == nullptr ? lookup.find_or_insert<Slot, false, false>(homes_, values, touch)
                                : lookup.find_or_insert<Slot, true, false>(homes_, values, touch);
    });
    if (done) return;
    grow(ns, array);
  }
}

void HashmapTable::find(StateNamespace ns, const KeyBatch& keys, Selection rows,
                        std::span<const std::byte*> values) {
  TIDEMARK_DCHECK(values.size() >= rows.size(), "room for a value a row");
  const auto found = arrays_.find(ns);
  if (found == arrays_.end()) {
    std::fill_n(values.begin(), rows.size(), nullptr);
    return;
  }
  SlotArray& array = *found->second;
  compute_homes(array, keys, rows, homes_);
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  const Lookup lookup{*this, ns, keys, indexes, array, session_of(array)};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) {
    if (type_->ttl.enabled()) return lookup.find_living<Slot>(homes_, values);
    lookup.find<Slot>(homes_, values);
  });
}

void HashmapTable::erase(StateNamespace ns, const KeyBatch& keys, Selection rows) {
  const auto found = arrays_.find(ns);
  if (found == arrays_.end()) return;
  SlotArray& array = *found->second;
  compute_homes(array, keys, rows, homes_);
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  const Lookup lookup{*this, ns, keys, indexes, array, session_of(array)};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) { lookup.erase<Slot>(homes_); });
  if (array.entries() == 0) drop(ns);
}

}  // namespace tidemark
