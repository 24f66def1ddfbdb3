// SPDX-License-Identifier: Apache-2.0
// Look-ups by the batch. The homes of all keys are computed first; then each key is probed while
// the slots of keys further on are already being fetched, so that many cache misses overlap.
#include <algorithm>

#include "tidemark/base/check.h"
#include "tidemark/state/hashmap/hashmap_table.h"

namespace tidemark {
namespace {

constexpr std::size_t kPrefetchDistance = 16;

/// What a probe reads of an array, in registers: stores to values could otherwise change it as far
/// as the compiler knows.
struct ArrayView {
  explicit ArrayView(const SlotArray& array)
      : slots(array.slot(0)),
        stride(array.type().layout.stride),
        value_offset(array.type().layout.value_offset),
        end(slots + array.capacity() * stride),
        live(array.live_mark()) {}

  std::byte* slot(std::size_t index) const noexcept { return slots + index * stride; }
  void prefetch(const std::size_t* homes, std::size_t count, std::size_t i) const noexcept {
    if (i + kPrefetchDistance < count) __builtin_prefetch(slot(homes[i + kPrefetchDistance]), 1);
  }

  /// How many slots `to` is behind `home`, around the end.
  std::size_t distance(std::size_t home, const std::byte* to) const noexcept {
    const std::byte* from = slot(home);
    return static_cast<std::size_t>(to >= from ? to - from : (end - from) + (to - slots)) / stride;
  }

  std::byte* slots;
  std::size_t stride;
  std::size_t value_offset;
  std::byte* end;
  std::uint32_t live;
};

// Calls `use` with the slot type of the encoding.
template <typename Use>
auto with_slot_type(KeyEncoding encoding, Use&& use) {
  switch (encoding) {
    case KeyEncoding::kFixed8: return use(Fixed8Slot{});
    case KeyEncoding::kFixed16: return use(Fixed16Slot{});
    case KeyEncoding::kVariable: break;
  }
  return use(VariableSlot{});
}

/// The slot of the key, or nullptr. `vacant` is then where it would go: an erased slot on the way
/// or the empty one at its end.
template <typename Slot>
inline std::byte* find_slot(const ArrayView& array, std::size_t home,
                            const typename Slot::Probe& probe, std::byte*& vacant) noexcept {
  std::byte* erased = nullptr;
  for (std::byte* slot = array.slot(home);;) {
    const std::uint32_t mark = header_of(slot).mark;
    if (mark == array.live) {
      if (Slot::equals(slot, probe, array.value_offset)) return slot;
    } else if (mark != array.live + 1) {
      vacant = erased != nullptr ? erased : slot;
      return nullptr;
    } else if (erased == nullptr) {
      erased = slot;
    }
    slot += array.stride;
    if (slot == array.end) slot = array.slots;
  }
}

}  // namespace

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
  template <typename Slot, bool kSave>
  bool find_or_insert(std::span<const std::size_t> homes, std::span<std::byte*> values) const {
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
        Slot::store(slot, probe, view.value_offset, array.arena());
      } else if constexpr (kSave) {
        save(slot, keys.hashes[row(i)]);
      }
      values[i] = slot + view.value_offset;
    }
    return true;
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

void HashmapTable::compute_homes(const SlotArray& array, const KeyBatch& keys, Selection rows) {
  TIDEMARK_DCHECK(keys.encoding == type_->encoding, "keys encoded for this table");
  homes_.resize(rows.size());
  std::size_t furthest = 0;
  if (rows.size() == keys.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      homes_[i] = array.home_of(keys.hashes[i]);
      furthest = std::max(furthest, homes_[i]);
    }
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      homes_[i] = array.home_of(keys.hashes[rows[i]]);
      furthest = std::max(furthest, homes_[i]);
    }
  }
  TIDEMARK_CHECK(furthest < array.capacity(), "keys of the subtask's own key groups");
  for (std::size_t i = 0; i < std::min(kPrefetchDistance, homes_.size()); ++i)
    __builtin_prefetch(array.slot(homes_[i]), 1);
}

void HashmapTable::find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                                  std::span<std::byte*> values) {
  TIDEMARK_DCHECK(values.size() >= rows.size(), "room for a value a row");
  std::shared_ptr<SlotArray>& array = array_of(ns);
  // Rows ascend without repetition, so as many rows as keys are all of them.
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  for (;;) {
    compute_homes(*array, keys, rows);
    SnapshotSession* session =
        array->scanned() == SlotArray::kNotFrozen ? nullptr : shared_.open_session();
    const Lookup lookup{*this, ns, keys, indexes, *array, session};
    const bool done = with_slot_type(type_->encoding, [&]<typename Slot>(Slot) {
      return session == nullptr ? lookup.find_or_insert<Slot, false>(homes_, values)
                                : lookup.find_or_insert<Slot, true>(homes_, values);
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
  compute_homes(array, keys, rows);
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  const Lookup lookup{*this, ns, keys, indexes, array, nullptr};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) { lookup.find<Slot>(homes_, values); });
}

void HashmapTable::erase(StateNamespace ns, const KeyBatch& keys, Selection rows) {
  const auto found = arrays_.find(ns);
  if (found == arrays_.end()) return;
  SlotArray& array = *found->second;
  compute_homes(array, keys, rows);
  SnapshotSession* session =
      array.scanned() == SlotArray::kNotFrozen ? nullptr : shared_.open_session();
  const RowIndex* indexes = rows.size() == keys.size() ? nullptr : rows.data();
  const Lookup lookup{*this, ns, keys, indexes, array, session};
  with_slot_type(type_->encoding, [&]<typename Slot>(Slot) { lookup.erase<Slot>(homes_); });
  if (array.entries() == 0) drop(ns);
}

}  // namespace tidemark
