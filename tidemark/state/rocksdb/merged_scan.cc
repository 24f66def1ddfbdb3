// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/merged_scan.h"

#include "tidemark/state/hashmap/slot_probe.h"
#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/rocksdb/namespace_tier.h"
#include "tidemark/state/rocksdb/stored_value.h"

namespace tidemark {

MergedScan::MergedScan(std::shared_ptr<const SlotArrayType> type,
                       std::shared_ptr<const SlotArray> array,
                       std::unique_ptr<Database::Range> stored, const StateTime& time)
    : type_(std::move(type)),
      array_(std::move(array)),
      stored_(std::move(stored)),
      now_(time.of(type_->ttl.clock)),
      values_(type_->values) {}

std::size_t MergedScan::next(std::span<Entry> out) {
  if (const std::size_t count = next_in_memory(out)) return count;
  if (stored_ == nullptr) return 0;
  values_.clear();
  keys_.resize(out.size());
  std::size_t count = 0;
  for (; stored_->valid() && count < out.size(); stored_->next()) {
    std::string& key = keys_[count];
    key = DatabaseKey(stored_->key()).key;
    Entry entry = entry_of(type_->encoding, key);
    if (is_in_memory(entry)) continue;
    std::byte* value = values_.add();
    decode_stored(*type_, stored_->value(), value);
    if (is_expired(value)) continue;
    entry.value = value;
    out[count++] = entry;
  }
  return count;
}

std::size_t MergedScan::next_in_memory(std::span<Entry> out) {
  if (array_ == nullptr) return 0;
  std::size_t count = 0;
  for (; at_ < array_->capacity() && count < out.size(); ++at_) {
    const std::byte* slot = array_->slot(at_);
    if (array_->is_live(slot) && (header_of(slot).epoch & kSlotAbsent) == 0 &&
        !is_expired(slot + type_->layout.value_offset))
      out[count++] = array_->entry(slot);
  }
  return count;
}

bool MergedScan::is_expired(const std::byte* value) const noexcept {
  return type_->ttl.enabled() && tidemark::is_expired(stamp_of(value), type_->ttl.ttl, now_);
}

bool MergedScan::is_in_memory(const KeyedEntry& entry) {
  if (array_ == nullptr) return false;
  clear_keys(type_->encoding, probed_);
  append_key(entry, probed_);
  hash_keys(probed_);
  constexpr RowIndex kFirst[] = {0};
  compute_homes(*array_, probed_, kFirst, homes_);
  const ArrayView view(*array_);
  return with_slot_type(type_->encoding, [&]<typename Slot>(Slot) {
    std::byte* vacant = nullptr;
    return find_slot<Slot>(view, homes_[0], Slot::probe(probed_, 0), vacant) != nullptr;
  });
}

}  // namespace tidemark
