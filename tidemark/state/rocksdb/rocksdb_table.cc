// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/rocksdb_table.h"

#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/hash.h"
#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/rocksdb/merged_scan.h"
#include "tidemark/state/rocksdb/stored_value.h"

namespace tidemark {
namespace {

std::shared_ptr<const SlotArrayType> array_type(const TableDescriptor& descriptor,
                                                const RocksdbShared& shared) {
  auto type = std::make_shared<SlotArrayType>();
  type->encoding = descriptor.key_encoding;
  type->value_width = descriptor.values->width();
  type->layout = slot_layout(descriptor.key_encoding, type->value_width, descriptor.ttl.enabled());
  type->ttl = descriptor.ttl;
  type->plain = descriptor.values->is_plain();
  type->values = descriptor.values;
  type->range = shared.range;
  type->max_parallelism = shared.max_parallelism;
  return type;
}

rocksdb::Slice slice_of(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

RocksdbTable::RocksdbTable(const TableDescriptor& descriptor, RocksdbShared& shared)
    : descriptor_(descriptor),
      shared_(shared),
      id_(stable_hash(descriptor.name)),
      type_(array_type(descriptor, shared)),
      guests_(descriptor.values) {
  TIDEMARK_CHECK(id_ != kOwnTable, "a table's name does not hash to the backend's own");
}

RocksdbTable::~RocksdbTable() = default;

NamespaceTier& RocksdbTable::tier_of(StateNamespace ns) {
  std::shared_ptr<NamespaceTier>& tier = tiers_[ns];
  if (tier == nullptr) tier = std::make_shared<NamespaceTier>(*this, ns);
  tier->used_at = shared_.calls;
  if (tier->listed) shared_.space.touch(*tier);
  return *tier;
}

std::unique_ptr<TableScan> RocksdbTable::scan(StateNamespace ns) {
  if (!renewals_.empty()) renew_read();
  const auto found = tiers_.find(ns);
  if (found == tiers_.end())
    return std::make_unique<MergedScan>(type_, nullptr, nullptr, shared_.time);
  std::unique_ptr<Database::Range> stored;
  const std::string prefix = namespace_prefix(id_, ns);
  if (found->second->in_database)
    stored = shared_.database->range(prefix, prefix_end(prefix), /*same_namespace=*/true);
  return std::make_unique<MergedScan>(type_, found->second->array, std::move(stored), shared_.time);
}

void RocksdbTable::drop(StateNamespace ns) {
  shared_.begin_call();
  if (!renewals_.empty()) renew_read();
  const auto found = tiers_.find(ns);
  if (found == tiers_.end()) return;
  const std::shared_ptr<NamespaceTier> tier = std::move(found->second);
  tiers_.erase(found);
  shared_.space.forget(*tier);
  if (!tier->in_database) return;
  const std::string prefix = namespace_prefix(id_, ns);
  if (shared_.holding()) {
    shared_.frozen->remove_later(prefix, prefix_end(prefix));
  } else {
    shared_.database->remove_range(prefix, prefix_end(prefix));
  }
}

std::vector<StateNamespace> RocksdbTable::namespaces() const {
  std::vector<StateNamespace> result;
  for (const auto& [ns, tier] : tiers_)
    if (tier->entries > 0) result.push_back(ns);
  return result;
}

std::size_t RocksdbTable::entries() const {
  std::size_t total = 0;
  for (const auto& [ns, tier] : tiers_) total += tier->entries;
  return total;
}

std::size_t RocksdbTable::memory_bytes() const {
  std::size_t bytes = homes_.capacity() * sizeof(homes_[0]) +
                      misses_.capacity() * sizeof(misses_[0]) + guests_.memory_bytes();
  for (const auto& [ns, tier] : tiers_)
    if (tier->array != nullptr) bytes += tier->array->memory_bytes();
  return bytes;
}

void RocksdbTable::write_slot(const NamespaceTier& tier, const std::byte* slot,
                              rocksdb::WriteBatch& batch) {
  const SlotArray& array = *tier.array;
  const KeyedEntry entry = array.entry(slot);
  key_.clear();
  const std::string_view key =
      type_->encoding == KeyEncoding::kFixed8
          ? std::string_view(reinterpret_cast<const char*>(slot) + kSlotKey, 8)
          : entry.variable_key;
  append_database_key(id_, tier.ns, array.hash_of(slot), key, key_);
  if ((header_of(slot).epoch & kSlotAbsent) != 0) {
    check_rocksdb(batch.Delete(key_), "prepare a write to the database");
    return;
  }
  const std::size_t stamp = ttl().enabled() ? kStampBytes : 0;
  if (type_->plain) {
    const auto* bytes = reinterpret_cast<const char*>(entry.value - stamp);
    check_rocksdb(batch.Put(key_, {bytes, stamp + type_->value_width}),
                  "prepare a write to the database");
    return;
  }
  value_.clear();
  if (stamp > 0) value_.put(stamp_of(entry.value));
  encode_stored(*type_, entry.value, value_);
  check_rocksdb(batch.Put(key_, slice_of(value_.view())), "prepare a write to the database");
}

void RocksdbTable::freeze(FrozenState& frozen) {
  for (const auto& [ns, tier] : tiers_) {
    tier->frozen += std::exchange(tier->dirty, 0);
    if (tier->frozen == 0) continue;
    tier->in_database = true;
    frozen.add(tier);
  }
}

NamespaceCounts RocksdbTable::counts() const {
  NamespaceCounts counts;
  for (const auto& [ns, tier] : tiers_)
    if (tier->entries > 0) counts.emplace(ns, tier->entries);
  return counts;
}

void RocksdbTable::add_stored(const NamespaceCounts& counts) {
  for (const auto& [ns, entries] : counts) {
    NamespaceTier& tier = tier_of(ns);
    tier.entries += entries;
    tier.in_database = true;
  }
}

}  // namespace tidemark
