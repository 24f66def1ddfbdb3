// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/hashmap/slot_array.h"

#include <algorithm>
#include <cstring>

#include "tidemark/base/check.h"
#include "tidemark/base/hash.h"

namespace tidemark {
namespace {

// A home must be cheap to probe: at 0.6 a look-up reads 1.75 slots on average.
constexpr std::size_t kLoadNumerator = 6;
constexpr std::size_t kLoadDenominator = 10;
constexpr std::size_t kSmallestCapacity = 32;

std::size_t capacity_for(std::size_t entries) {
  return std::max(kSmallestCapacity, entries * kLoadDenominator / kLoadNumerator + 1);
}

// 2^64 * capacity / (number of hashes in the range): multiplied by a hash's distance from the first
// it gives 2^64 * its home.
std::uint64_t scale_of(KeyGroupRange range, std::uint32_t max_parallelism, std::size_t capacity) {
  const std::uint64_t first = first_hash_of(range.begin, max_parallelism);
  const std::uint64_t hashes = first_hash_of(range.end, max_parallelism) - first;
  if (hashes == 0) return capacity;  // all 2^64 of them
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(capacity) << 64) / hashes);
}

}  // namespace

SlotArray::SlotArray(std::shared_ptr<const SlotArrayType> type, std::size_t entries)
    : type_(std::move(type)),
      block_(capacity_for(entries) * type_->layout.stride),
      arena_(std::make_unique<KeyArena>()),
      capacity_(capacity_for(entries)),
      limit_(capacity_ * kLoadNumerator / kLoadDenominator),
      first_hash_(first_hash_of(type_->range.begin, type_->max_parallelism)),
      scale_(scale_of(type_->range, type_->max_parallelism, capacity_)) {
  TIDEMARK_CHECK(type_->range.begin < type_->range.end, "a subtask owns key groups");
}

SlotArray::~SlotArray() {
  destroy_values();
}

std::size_t SlotArray::bytes_for(const SlotArrayType& type, std::size_t entries) noexcept {
  return capacity_for(entries) * type.layout.stride;
}

std::size_t SlotArray::entries_within(const SlotArrayType& type, std::size_t bytes) noexcept {
  const std::size_t slots = bytes / type.layout.stride;
  return slots < kSmallestCapacity ? 0 : (slots - 1) * kLoadNumerator / kLoadDenominator;
}

std::size_t SlotArray::memory_bytes() const noexcept {
  return block_.bytes() + arena_->memory_bytes() + sizeof(*this);
}

KeyedEntry SlotArray::entry(const std::byte* slot) const noexcept {
  KeyedEntry entry;
  entry.value = slot + type_->layout.value_offset;
  switch (type_->encoding) {
    case KeyEncoding::kFixed8: entry.fixed_key = load_at<std::uint64_t>(slot, kSlotKey); break;
    case KeyEncoding::kFixed16:
      entry.variable_key = {reinterpret_cast<const char*>(slot) + kSlotKey, 16};
      break;
    case KeyEncoding::kVariable:
      entry.variable_key = VariableSlot::key(slot, type_->layout.key_end);
      break;
  }
  return entry;
}

std::uint64_t SlotArray::hash_of(const std::byte* slot) const noexcept {
  if (type_->encoding == KeyEncoding::kVariable) return load_at<std::uint64_t>(slot, kSlotKey);
  return stable_hash(
      {reinterpret_cast<const char*>(slot) + kSlotKey, 8 * key_words(type_->encoding)});
}

void SlotArray::occupy(std::byte* slot, std::uint32_t epoch) noexcept {
  SlotHeader& header = header_of(slot);
  if (header.mark != live_ + 1) ++used_;
  header = {live_, epoch};
  ++entries_;
  std::memset(value(slot), 0, type_->value_width);
}

void SlotArray::reset(std::byte* slot) noexcept {
  TIDEMARK_DCHECK(is_live(slot), "an entry");
  if (!type_->plain) type_->values->destroy(value(slot));
  std::memset(value(slot), 0, type_->value_width);
}

void SlotArray::erase(std::byte* slot) noexcept {
  TIDEMARK_DCHECK(is_live(slot), "an entry");
  if (!type_->plain) type_->values->destroy(value(slot));
  header_of(slot).mark = live_ + 1;
  --entries_;
}

void SlotArray::remove(std::byte* slot) noexcept {
  TIDEMARK_DCHECK(is_live(slot), "an entry");
  if (!type_->plain) type_->values->destroy(value(slot));
  std::size_t gap = index_of(slot);
  for (std::size_t at = gap;;) {
    at = at + 1 == capacity_ ? 0 : at + 1;
    const std::byte* next = this->slot(at);
    if (!is_live(next)) break;
    const std::size_t home = home_of(hash_of(next));
    // An entry whose home lies behind the gap, on the way from the gap to the entry, stays.
    const bool stays = gap <= at ? gap < home && home <= at : gap < home || home <= at;
    if (stays) continue;
    std::memcpy(this->slot(gap), next, type_->layout.stride);
    gap = at;
  }
  header_of(this->slot(gap)).mark = 0;
  --entries_;
  --used_;
}

void SlotArray::move_into(SlotArray& larger) {
  TIDEMARK_DCHECK(larger.entries_ == 0, "an empty array");
  const std::size_t stride = type_->layout.stride;
  for (std::size_t i = 0; i < capacity_; ++i) {
    const std::byte* from = slot(i);
    if (!is_live(from)) continue;
    std::size_t at = larger.home_of(hash_of(from));
    while (larger.is_live(larger.slot(at))) at = at + 1 == larger.capacity_ ? 0 : at + 1;
    std::byte* to = larger.slot(at);
    std::memcpy(to, from, stride);
    header_of(to).mark = larger.live_;
    if (type_->encoding == KeyEncoding::kVariable)
      VariableSlot::store_key(to, VariableSlot::key(from, type_->layout.key_end),
                              type_->layout.key_end, *larger.arena_);
  }
  larger.entries_ = larger.used_ = entries_;
  owns_values_ = false;
}

void SlotArray::clear() noexcept {
  destroy_values();
  owns_values_ = true;
  entries_ = used_ = 0;
  live_ += 2;
  if (live_ == 0) {  // every mark was used once: old ones must not come back to life
    std::memset(block_.data(), 0, capacity_ * type_->layout.stride);
    live_ = 2;
  }
  arena_ = std::make_unique<KeyArena>();
}

void SlotArray::destroy_values() noexcept {
  if (type_->plain || !owns_values_ || entries_ == 0) return;
  for (std::size_t i = 0; i < capacity_; ++i)
    if (is_live(slot(i))) type_->values->destroy(value(slot(i)));
}

}  // namespace tidemark
