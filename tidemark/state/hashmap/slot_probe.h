// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/state/hashmap/slot.h"
#include "tidemark/state/hashmap/slot_array.h"

// Look-ups by the batch. The homes of all keys are computed first; then each key is probed while
// the slots of keys further on are already being fetched, so that many cache misses overlap.

namespace tidemark {

inline constexpr std::size_t kPrefetchDistance = 16;

/// What a probe reads of an array, in registers: stores to values could otherwise change it as far
/// as the compiler knows.
struct ArrayView {
  explicit ArrayView(const SlotArray& array)
      : slots(array.slot(0)),
        stride(array.type().layout.stride),
        key_end(array.type().layout.key_end),
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
  std::size_t key_end;
  std::size_t value_offset;
  std::byte* end;
  std::uint32_t live;
};

/// Calls `use` with the slot type of the encoding.
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
      if (Slot::equals(slot, probe, array.key_end)) return slot;
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

/// The homes of the keys of `rows`; their first slots are being fetched when it returns. Keys of
/// another subtask stop the program.
void compute_homes(const SlotArray& array, const KeyBatch& keys, Selection rows,
                   std::vector<std::size_t>& homes);

}  // namespace tidemark
