// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/hashmap/hashmap_table.h"

#include <algorithm>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

// Arrays kept for the next namespaces: as many as are commonly live at once.
constexpr std::size_t kSpareArrays = 4;
// An array this much larger than what it held costs more to scan than to grow again.
constexpr std::size_t kSpareSlotsPerEntry = 16;
constexpr std::size_t kSmallCapacity = 4096;

std::shared_ptr<const SlotArrayType> array_type(const TableDescriptor& descriptor,
                                                const HashmapShared& shared) {
  auto type = std::make_shared<SlotArrayType>();
  type->encoding = descriptor.key_encoding;
  type->value_width = descriptor.values->width();
  type->ttl = descriptor.ttl;
  type->layout = slot_layout(descriptor.key_encoding, type->value_width, type->ttl.enabled());
  type->plain = descriptor.values->is_plain();
  type->values = descriptor.values;
  type->range = shared.range;
  type->max_parallelism = shared.max_parallelism;
  return type;
}

bool has_less_capacity(const std::shared_ptr<SlotArray>& a, const std::shared_ptr<SlotArray>& b) {
  return a->capacity() < b->capacity();
}

class SlotScan final : public TableScan {
 public:
  SlotScan(std::shared_ptr<SlotArray> array, const StateTime& time)
      : array_(std::move(array)), time_(time) {}

  std::size_t next(std::span<Entry> out) override {
    if (array_ == nullptr) return 0;
    std::size_t count = 0;
    for (; at_ < array_->capacity() && count < out.size(); ++at_) {
      const std::byte* slot = array_->slot(at_);
      if (array_->is_live(slot) && !array_->is_expired(slot, time_))
        out[count++] = array_->entry(slot);
    }
    return count;
  }

 private:
  std::shared_ptr<SlotArray> array_;
  StateTime time_;
  std::size_t at_ = 0;
};

}  // namespace

HashmapTable::HashmapTable(const TableDescriptor& descriptor, HashmapShared& shared)
    : descriptor_(descriptor), shared_(shared), type_(array_type(descriptor, shared)) {
  spare_.reserve(kSpareArrays);
}

HashmapTable::~HashmapTable() = default;

std::shared_ptr<SlotArray>& HashmapTable::array_of(StateNamespace ns) {
  std::shared_ptr<SlotArray>& array = arrays_[ns];
  if (array == nullptr) array = take_array();
  return array;
}

std::shared_ptr<SlotArray> HashmapTable::take_array() {
  if (spare_.empty()) return std::make_shared<SlotArray>(type_, expected_entries_);
  const auto largest = std::max_element(spare_.begin(), spare_.end(), has_less_capacity);
  std::shared_ptr<SlotArray> array = std::move(*largest);
  spare_.erase(largest);
  return array;
}

void HashmapTable::reserve(StateNamespace ns, std::size_t entries) {
  std::shared_ptr<SlotArray>& array = arrays_[ns];
  if (array == nullptr) array = std::make_shared<SlotArray>(type_, entries);
}

void HashmapTable::grow(StateNamespace ns, std::shared_ptr<SlotArray>& array) {
  auto larger = std::make_shared<SlotArray>(type_, array->entries_when_grown());
  SnapshotSession* session = session_of(*array);
  // The old array lives on as the snapshot's image of these entries. Values that own memory are
  // about to be moved out of it, so they are saved now.
  if (session != nullptr && !type_->plain) session->save_rest(*this, ns, *array);
  array->move_into(*larger);
  array = std::move(larger);
}

std::unique_ptr<TableScan> HashmapTable::scan(StateNamespace ns) {
  const auto found = arrays_.find(ns);
  return std::make_unique<SlotScan>(found == arrays_.end() ? nullptr : found->second, shared_.time);
}

void HashmapTable::drop(StateNamespace ns) {
  const auto found = arrays_.find(ns);
  if (found == arrays_.end()) return;
  std::shared_ptr<SlotArray> array = std::move(found->second);
  arrays_.erase(found);
  expected_entries_ = array->entries();
  recycle(std::move(array));
}

void HashmapTable::recycle(std::shared_ptr<SlotArray> array) noexcept {
  if (array.use_count() > 1) return;  // still read by a snapshot or a scan, which let go later
  const bool sparse = array->capacity() > kSmallCapacity &&
                      array->capacity() > expected_entries_ * kSpareSlotsPerEntry;
  if (sparse) return;
  array->clear();
  if (spare_.size() < kSpareArrays) {
    spare_.push_back(std::move(array));
    return;
  }
  const auto smallest = std::min_element(spare_.begin(), spare_.end(), has_less_capacity);
  if (has_less_capacity(*smallest, array)) *smallest = std::move(array);
}

std::vector<StateNamespace> HashmapTable::namespaces() const {
  std::vector<StateNamespace> result;
  for (const auto& [ns, array] : arrays_)
    if (array->entries() > 0) result.push_back(ns);
  return result;
}

std::size_t HashmapTable::entries() const {
  std::size_t total = 0;
  for (const auto& [ns, array] : arrays_) total += array->entries();
  return total;
}

std::size_t HashmapTable::memory_bytes() const {
  std::size_t bytes = homes_.capacity() * sizeof(homes_[0]);
  for (const auto& [ns, array] : arrays_) bytes += array->memory_bytes();
  for (const auto& array : spare_) bytes += array->memory_bytes();
  return bytes;
}

void HashmapTable::join(SnapshotSession& session) {
  session.add_table(*this);
  for (const auto& [ns, array] : arrays_)
    if (array->entries() > 0) session.add_array(*this, ns, array);
}

}  // namespace tidemark
