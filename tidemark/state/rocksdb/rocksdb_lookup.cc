// SPDX-License-Identifier: Apache-2.0
// Look-ups. What is in memory is found as in the hashmap backend. Keys that are not get slots at
// once, so that their equals in the batch meet them, and are read from the database together.
#include <algorithm>
#include <cstring>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/state/hashmap/slot_probe.h"
#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/rocksdb/rocksdb_table.h"
#include "tidemark/state/rocksdb/stored_value.h"

namespace tidemark {
namespace {

std::string_view key_bytes(const KeyBatch& keys, std::size_t row) {
  const std::size_t words = key_words(keys.encoding);
  if (words == 0) return keys.variable(row);
  return {reinterpret_cast<const char*>(&keys.fixed[row * words]), 8 * words};
}

}  // namespace

/// The loops over a batch, by slot type.
struct RocksdbTable::Lookup {
  RocksdbTable& table;
  NamespaceTier& tier;
  const KeyBatch& keys;
  const RowIndex* rows;  // null: all rows
  SlotArray& array;

  std::size_t row(std::size_t i) const noexcept { return rows != nullptr ? rows[i] : i; }

  /// There is room for all rows, so that no slot moves.
  template <typename Slot, bool kStamped>
  void find_or_insert(std::span<const std::size_t> homes, std::span<std::byte*> values,
                      Touch touch) const {
    const ArrayView view(array);
    const std::uint32_t written = written_word(table.shared_.epoch);
    for (std::size_t i = 0; i < homes.size(); ++i) {
      view.prefetch(homes.data(), homes.size(), i);
      const auto probe = Slot::probe(keys, row(i));
      std::byte* vacant = nullptr;
      std::byte* slot = find_slot<Slot>(view, homes[i], probe, vacant);
      if (slot == nullptr) {
        slot = insert<Slot>(view, homes[i], probe, vacant, i, written & ~kSlotUsed);
        ++tier.dirty;
        if (!tier.in_database) ++tier.entries;
        if constexpr (kStamped) set_stamp(slot + view.value_offset, table.touch_time(keys, row(i)));
      } else {
        const std::uint32_t before = header_of(slot).epoch;
        if (before != written) table.touch(tier, slot);
        if constexpr (kStamped) {
          const std::int64_t time = table.touch_time(keys, row(i));
          if ((before & kSlotAbsent) != 0) {
            set_stamp(slot + view.value_offset, time);
          } else {
            table.touch_stamp(slot + view.value_offset, time, touch);
          }
        }
      }
      values[i] = slot + view.value_offset;
    }
  }

  template <typename Slot>
  void find(std::span<const std::size_t> homes, std::span<const std::byte*> values) const {
    const ArrayView view(array);
    const bool stamped = table.ttl().enabled();
    for (std::size_t i = 0; i < homes.size(); ++i) {
      view.prefetch(homes.data(), homes.size(), i);
      std::byte* vacant = nullptr;
      std::byte* slot = find_slot<Slot>(view, homes[i], Slot::probe(keys, row(i)), vacant);
      values[i] = nullptr;
      if (slot == nullptr) {
        if (tier.in_database) table.misses_.push_back({i, row(i), nullptr});
        continue;
      }
      std::uint32_t& word = header_of(slot).epoch;
      if ((word & kSlotUsed) == 0) word |= kSlotUsed;
      if ((word & kSlotAbsent) != 0) continue;
      values[i] = !stamped ? slot + view.value_offset
                           : table.read_stamped(tier, slot, table.touch_time(keys, row(i)));
    }
  }

  /// Where the database may have keys, those that are not in memory get slots that say that they
  /// are absent.
  template <typename Slot>
  void erase(std::span<const std::size_t> homes) const {
    const ArrayView view(array);
    const std::uint32_t absent = (written_word(table.shared_.epoch) & ~kSlotUsed) | kSlotAbsent;
    for (std::size_t i = 0; i < homes.size(); ++i) {
      const auto probe = Slot::probe(keys, row(i));
      std::byte* vacant = nullptr;
      std::byte* slot = find_slot<Slot>(view, homes[i], probe, vacant);
      if (slot != nullptr) {
        table.erase_slot(tier, slot);
      } else if (tier.in_database) {
        insert<Slot>(view, homes[i], probe, vacant, i, absent);
        ++tier.dirty;
      }
    }
  }

  template <typename Slot>
  Placed insert_clean(std::size_t home, std::size_t at) const {
    const ArrayView view(array);
    const auto probe = Slot::probe(keys, at);
    std::byte* vacant = nullptr;
    std::byte* slot = find_slot<Slot>(view, home, probe, vacant);
    if (slot != nullptr) return {slot, false};  // its equal was read before it
    array.occupy(vacant, table.shared_.epoch << kSlotEpochShift);
    Slot::store(vacant, probe, view.key_end, array.arena());
    return {vacant, true};
  }

 private:
  template <typename Slot>
  std::byte* insert(const ArrayView& view, std::size_t home, const typename Slot::Probe& probe,
                    std::byte* slot, std::size_t i, std::uint32_t word) const {
    if (array.crowded(view.distance(home, slot))) tier.crowded = true;
    array.occupy(slot, word);
    Slot::store(slot, probe, view.key_end, array.arena());
    if (tier.in_database) table.misses_.push_back({i, row(i), slot});
    return slot;
  }
};

// A slot is about to be written to: its frozen state is saved first.
void RocksdbTable::touch(NamespaceTier& tier, std::byte* slot) {
  std::uint32_t& word = header_of(slot).epoch;
  if (tier.is_frozen(word, shared_.epoch)) {
    if (shared_.holding()) shared_.frozen->save(tier, slot);
    --tier.frozen;
    ++tier.dirty;
  } else if ((word & kSlotDirty) == 0) {
    ++tier.dirty;
  }
  if ((word & kSlotAbsent) != 0) ++tier.entries;
  word = written_word(shared_.epoch);
}

void RocksdbTable::erase_slot(NamespaceTier& tier, std::byte* slot) {
  if ((header_of(slot).epoch & kSlotAbsent) != 0) return;
  if (tier.in_database || tier.array.use_count() > 1) return mark_absent(tier, slot);
  touch(tier, slot);
  --tier.entries;
  --tier.dirty;
  tier.array->remove(slot);
}

void RocksdbTable::mark_absent(NamespaceTier& tier, std::byte* slot) {
  touch(tier, slot);
  --tier.entries;
  std::byte* value = tier.array->value(slot);
  if (!type_->plain) type_->values->destroy(value);
  std::memset(value, 0, type_->value_width);
  header_of(slot).epoch |= kSlotAbsent;
}

std::int64_t RocksdbTable::touch_time(const KeyBatch& keys, std::size_t row) const noexcept {
  const std::int64_t now = shared_.time.of(ttl().clock);
  if (keys.times == nullptr || ttl().clock != TimeToLive::Clock::kEventTime) return now;
  return std::max(now, keys.times[row]);
}

void RocksdbTable::touch_stamp(std::byte* value, std::int64_t time, Touch renewal) {
  if (is_expired(stamp_of(value), ttl().ttl, shared_.time.of(ttl().clock))) {
    if (!type_->plain) type_->values->destroy(value);
    std::memset(value, 0, type_->value_width);
    set_stamp(value, time);
  } else if (renewal == Touch::kRenew) {
    renew(value, time);
  }
}

const std::byte* RocksdbTable::read_stamped(NamespaceTier& tier, std::byte* slot,
                                            std::int64_t time) {
  std::byte* value = tier.array->value(slot);
  const bool expired = is_expired(stamp_of(value), ttl().ttl, shared_.time.of(ttl().clock));
  if (expired && ttl().visibility == TimeToLive::Visibility::kNeverExpired) {
    mark_absent(tier, slot);
    return nullptr;
  }
  if (!expired && ttl().update == TimeToLive::Update::kOnReadAndWrite && stamp_of(value) < time) {
    touch(tier, slot);
    renew(value, time);
  }
  return value;
}

void RocksdbTable::find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                                  std::span<std::byte*> values, Touch renewal) {
  TIDEMARK_DCHECK(values.size() >= rows.size(), "room for a value a row");
  shared_.begin_call();
  if (!renewals_.empty()) renew_read();
  unpin();
  NamespaceTier& tier = tier_of(ns);
  tier.pin = pin_;
  shared_.space.make_room(tier, rows.size());
  // Rows ascend without repetition, so as many rows as keys are all of them.
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  compute_homes(*tier.array, keys, rows, homes_);
  misses_.clear();
  const Lookup lookup{*this, tier, keys, indexes, *tier.array};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) {
    if (ttl().enabled()) return lookup.find_or_insert<Slot, true>(homes_, values, renewal);
    lookup.find_or_insert<Slot, false>(homes_, values, renewal);
  });
  if (!misses_.empty()) read_into_slots(tier, keys, renewal);
}

void RocksdbTable::read_into_slots(NamespaceTier& tier, const KeyBatch& keys, Touch renewal) {
  tier.entries += misses_.size();
  read_misses(tier.ns, keys, [&](std::size_t i, std::string_view stored) {
    std::byte* value = tier.array->value(misses_[i].slot);
    decode_stored(*type_, stored, value);
    --tier.entries;
    if (ttl().enabled()) touch_stamp(value, touch_time(keys, misses_[i].row), renewal);
  });
}

void RocksdbTable::find(StateNamespace ns, const KeyBatch& keys, Selection rows,
                        std::span<const std::byte*> values) {
  TIDEMARK_DCHECK(values.size() >= rows.size(), "room for a value a row");
  const auto found = tiers_.find(ns);
  if (found == tiers_.end() || found->second->entries == 0) {
    std::fill_n(values.begin(), rows.size(), nullptr);
    return;
  }
  NamespaceTier& tier = *found->second;
  tier.pin = pin_;
  if (tier.array == nullptr) shared_.space.offer(tier, rows.size());
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  misses_.clear();
  if (tier.array != nullptr) {
    compute_homes(*tier.array, keys, rows, homes_);
    const Lookup lookup{*this, tier, keys, indexes, *tier.array};
    with_slot_type(type_->encoding,
                   [&]<typename Slot>(Slot) { lookup.find<Slot>(homes_, values); });
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values[i] = nullptr;
      misses_.push_back({i, rows[i], nullptr});
    }
  }
  if (!misses_.empty()) read_for_find(tier, keys, values);
}

// No slot may move here, because what find_or_insert() handed out still holds.
void RocksdbTable::read_for_find(NamespaceTier& tier, const KeyBatch& keys,
                                 std::span<const std::byte*> values) {
  read_misses(tier.ns, keys, [&](std::size_t i, std::string_view stored) {
    const Miss& miss = misses_[i];
    const Placed placed = insert_clean(tier, keys, miss.row);
    std::byte* value = placed.slot == nullptr ? guests_.add() : tier.array->value(placed.slot);
    if (placed.slot == nullptr || placed.fresh) decode_stored(*type_, stored, value);
    values[miss.index] = value;
    if (!ttl().enabled()) return;
    const std::int64_t time = touch_time(keys, miss.row);
    if (placed.slot != nullptr) {
      const bool gone = (header_of(placed.slot).epoch & kSlotAbsent) != 0;
      values[miss.index] = gone ? nullptr : read_stamped(tier, placed.slot, time);
      return;
    }
    const bool expired = is_expired(stamp_of(value), ttl().ttl, shared_.time.of(ttl().clock));
    if (expired && ttl().visibility == TimeToLive::Visibility::kNeverExpired)
      values[miss.index] = nullptr;
    if (!expired && ttl().update == TimeToLive::Update::kOnReadAndWrite)
      renewals_.push_back({tier.ns, time, std::string(key_bytes(keys, miss.row))});
  });
}

void RocksdbTable::renew_read() {
  const std::vector<Renewal> renewals = std::exchange(renewals_, {});
  KeyBatch keys;
  for (const Renewal& renewal : renewals) {
    clear_keys(type_->encoding, keys);
    append_key(entry_of(type_->encoding, renewal.key), keys);
    hash_keys(keys);
    constexpr RowIndex kFirst[] = {0};
    std::byte* value = nullptr;
    find_or_insert(renewal.ns, keys, kFirst, {&value, 1}, Touch::kKeep);
    renew(value, renewal.time);
  }
}

RocksdbTable::Placed RocksdbTable::insert_clean(NamespaceTier& tier, const KeyBatch& keys,
                                                std::size_t row) {
  if (tier.array == nullptr || tier.crowded || tier.array->full()) return {nullptr, false};
  const Lookup lookup{*this, tier, keys, nullptr, *tier.array};
  const std::size_t home = tier.array->home_of(keys.hashes[row]);
  return with_slot_type(type_->encoding,
                        [&]<typename Slot>(Slot) { return lookup.insert_clean<Slot>(home, row); });
}

void RocksdbTable::erase(StateNamespace ns, const KeyBatch& keys, Selection rows) {
  shared_.begin_call();
  if (!renewals_.empty()) renew_read();
  unpin();
  const auto found = tiers_.find(ns);
  if (found == tiers_.end() || found->second->entries == 0) return;
  NamespaceTier& tier = tier_of(ns);
  if (tier.in_database) shared_.space.make_room(tier, rows.size());
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  misses_.clear();
  compute_homes(*tier.array, keys, rows, homes_);
  const Lookup lookup{*this, tier, keys, indexes, *tier.array};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) { lookup.erase<Slot>(homes_); });
  if (!misses_.empty())
    read_misses(ns, keys, [&](std::size_t, std::string_view) { --tier.entries; });
  if (tier.entries == 0) drop(ns);
}

void RocksdbTable::read_misses(StateNamespace ns, const KeyBatch& keys,
                               const std::function<void(std::size_t, std::string_view)>& found) {
  std::sort(misses_.begin(), misses_.end(),
            [&](const Miss& a, const Miss& b) { return keys.hashes[a.row] < keys.hashes[b.row]; });
  read_keys_.clear();
  read_ends_.clear();
  for (const Miss& miss : misses_) {
    append_database_key(id_, ns, keys.hashes[miss.row], key_bytes(keys, miss.row), read_keys_);
    read_ends_.push_back(read_keys_.size());
  }
  read_slices_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : read_ends_) {
    read_slices_.emplace_back(read_keys_.data() + begin, end - begin);
    begin = end;
  }
  shared_.database->read(read_slices_, found);
}

}  // namespace tidemark
