// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tidemark/state/hashmap/key_arena.h"
#include "tidemark/state/key.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark {

// A slot of a table, `stride` bytes:
//   0   u32  mark: equals the array's live mark when the slot holds an entry, live mark + 1 when
//            the entry was erased; anything else is empty. Emptying a table is adding 2 to its
//            mark.
//   4   u32  epoch: that of the open snapshot when the entry is new since then or already saved
//   8        the key: a word, two words, or for kVariable
//              8   u64  hash
//              16  u32  length
//              20       the bytes, when they fit before the value; otherwise 24 holds a pointer
//   ..       with a time to live: i64  stamp (state/time_to_live.h)
//   ..       the value, 8-byte aligned
// Strides are multiples of 32, so that the common slot lies in one cache line.
struct SlotHeader {
  std::uint32_t mark;
  std::uint32_t epoch;
};
static_assert(sizeof(SlotHeader) == 8);

struct SlotLayout {
  std::size_t key_end;  // a variable key's bytes in the slot end before it
  std::size_t value_offset;
  std::size_t stride;
};

inline constexpr std::size_t kSlotKey = sizeof(SlotHeader);
inline constexpr std::size_t kSlotAlignment = 32;
inline constexpr std::size_t kSlotInline = 20;   // where a variable key's bytes begin
inline constexpr std::size_t kSlotPointer = 24;  // or a pointer to them

/// A variable key takes what rounding leaves over: 28 bytes beside a value of 16.
constexpr SlotLayout slot_layout(KeyEncoding encoding, std::size_t value_width,
                                 bool stamped = false) noexcept {
  const std::size_t stamp = stamped ? kStampBytes : 0;
  const std::size_t value = stamp + (value_width + 7) / 8 * 8;
  const std::size_t least = encoding == KeyEncoding::kVariable ? kSlotPointer + sizeof(char*)
                                                               : kSlotKey + 8 * key_words(encoding);
  const std::size_t stride = (least + value + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  const std::size_t key_end = encoding == KeyEncoding::kVariable ? stride - value : least;
  return {key_end, key_end + stamp, stride};
}

inline SlotHeader& header_of(std::byte* slot) noexcept {
  return *reinterpret_cast<SlotHeader*>(slot);
}
inline const SlotHeader& header_of(const std::byte* slot) noexcept {
  return *reinterpret_cast<const SlotHeader*>(slot);
}

template <typename T>
T load_at(const void* address, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(address) + offset, sizeof(T));
  return value;
}

/// The three ways to compare, store and read a slot's key. `Probe` is a key being looked for.
struct Fixed8Slot {
  struct Probe {
    std::uint64_t key;
  };
  static Probe probe(const KeyBatch& keys, std::size_t row) noexcept { return {keys.fixed[row]}; }
  static bool equals(const std::byte* slot, const Probe& probe, std::size_t) noexcept {
    return load_at<std::uint64_t>(slot, kSlotKey) == probe.key;
  }
  static void store(std::byte* slot, const Probe& probe, std::size_t, KeyArena&) {
    std::memcpy(slot + kSlotKey, &probe.key, sizeof(probe.key));
  }
};

struct Fixed16Slot {
  struct Probe {
    std::uint64_t low;
    std::uint64_t high;
  };
  static Probe probe(const KeyBatch& keys, std::size_t row) noexcept {
    return {keys.fixed[2 * row], keys.fixed[2 * row + 1]};
  }
  static bool equals(const std::byte* slot, const Probe& probe, std::size_t) noexcept {
    return ((load_at<std::uint64_t>(slot, kSlotKey) ^ probe.low) |
            (load_at<std::uint64_t>(slot, kSlotKey + 8) ^ probe.high)) == 0;
  }
  static void store(std::byte* slot, const Probe& probe, std::size_t, KeyArena&) {
    std::memcpy(slot + kSlotKey, &probe, sizeof(probe));
  }
};

struct VariableSlot {
  struct Probe {
    std::uint64_t hash;
    std::string_view key;
  };
  static Probe probe(const KeyBatch& keys, std::size_t row) noexcept {
    return {keys.hashes[row], keys.variable(row)};
  }
  static std::string_view key(const std::byte* slot, std::size_t key_end) noexcept {
    const auto length = load_at<std::uint32_t>(slot, 16);
    const char* bytes = kSlotInline + length <= key_end
                            ? reinterpret_cast<const char*>(slot) + kSlotInline
                            : load_at<const char*>(slot, kSlotPointer);
    return {bytes, length};
  }
  static bool equals(const std::byte* slot, const Probe& probe, std::size_t key_end) noexcept {
    if (load_at<std::uint64_t>(slot, kSlotKey) != probe.hash) return false;
    const std::string_view stored = key(slot, key_end);
    return stored.size() == probe.key.size() &&
           equal_bytes(stored.data(), probe.key.data(), stored.size());
  }
  static void store(std::byte* slot, const Probe& probe, std::size_t key_end, KeyArena& arena) {
    std::memcpy(slot + kSlotKey, &probe.hash, sizeof(probe.hash));
    store_key(slot, probe.key, key_end, arena);
  }
  static void store_key(std::byte* slot, std::string_view key, std::size_t key_end,
                        KeyArena& arena) {
    const auto length = static_cast<std::uint32_t>(key.size());
    std::memcpy(slot + 16, &length, sizeof(length));
    if (kSlotInline + length <= key_end) {
      std::memcpy(slot + kSlotInline, key.data(), length);
    } else {
      const char* bytes = arena.add(key);
      std::memcpy(slot + kSlotPointer, &bytes, sizeof(bytes));
    }
  }

 private:
  // By the word; both sides are followed by readable bytes, which are masked away.
  static bool equal_bytes(const char* a, const char* b, std::size_t count) noexcept {
    for (; count >= 8; count -= 8, a += 8, b += 8)
      if (load_at<std::uint64_t>(a, 0) != load_at<std::uint64_t>(b, 0)) return false;
    if (count == 0) return true;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * count);
    return ((load_at<std::uint64_t>(a, 0) ^ load_at<std::uint64_t>(b, 0)) & mask) == 0;
  }
};

}  // namespace tidemark
