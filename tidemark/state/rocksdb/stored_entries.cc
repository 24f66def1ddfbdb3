// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/stored_entries.h"

#include <algorithm>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/rocksdb/stored_value.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

std::string_view bytes_of(KeyEncoding encoding, const KeyedEntry& entry) {
  if (encoding != KeyEncoding::kFixed8) return entry.variable_key;
  return {reinterpret_cast<const char*>(&entry.fixed_key), sizeof(entry.fixed_key)};
}

}  // namespace

StoredEntryLoader::StoredEntryLoader(RocksdbTable& table, RocksdbShared& shared,
                                     const StateDescriptor& stored)
    : table_(table), shared_(shared), how_(stored, table.descriptor()) {}

void StoredEntryLoader::load_block(KeyGroup group, std::string_view block) {
  if (!shared_.range.contains(group))
    damaged("was handed key group " + std::to_string(group) + ", which another subtask owns");
  const SlotArrayType& type = table_.type();
  TableBlockReader in(type.encoding, block);
  if (in.header().value_width != how_.value_width())
    damaged("has a block with values of another width");
  while (in.left() > 0) {
    KeyedEntry entry;
    const std::string_view value = in.next(entry);
    const std::string_view key = bytes_of(type.encoding, entry);
    const std::uint64_t hash = stable_hash(key);
    if (key_group_of(hash, shared_.max_parallelism) != group)
      damaged("holds a key in a key group that is not its own");
    put(in.header().ns, hash, key, value, /*own_form=*/false);
  }
  if (!in.at_end()) damaged("has a block that is longer than its entries");
}

void StoredEntryLoader::load(StateNamespace ns, std::uint64_t hash, std::string_view key,
                             std::string_view stored) {
  put(ns, hash, key, stored, /*own_form=*/true);
}

void StoredEntryLoader::put(StateNamespace ns, std::uint64_t hash, std::string_view key,
                            std::string_view value, bool own_form) {
  const SlotArrayType& type = table_.type();
  const std::int64_t stamp = how_.take_stamp(value, shared_.time);
  value_.clear();
  if (type.ttl.enabled()) {
    if (is_expired(stamp, type.ttl.ttl, shared_.time.of(type.ttl.clock))) return;
    value_.append(reinterpret_cast<const char*>(&stamp), sizeof(stamp));
  }
  // What says whether a value is still all zero (stored_value.h).
  char made = 1;
  if (!type.plain && own_form) {
    if (value.empty()) damaged("has a value without its first byte");
    made = value.front();
    value.remove_prefix(1);
  }
  if (!type.plain) value_.push_back(made);
  if (made != 0) value_.append(how_.convert(value, scratch_));
  key_.clear();
  append_database_key(table_.id(), ns, hash, key, key_);
  check_rocksdb(batch_.Put(key_, value_), "prepare a write to the database");
  ++counts_[ns];
  if (batch_.GetDataSize() >= kBatchBytes) shared_.database->write(batch_);
}

void StoredEntryLoader::finish() {
  shared_.database->write(batch_);
  table_.add_stored(counts_);
  counts_.clear();
}

void StoredEntryLoader::damaged(const std::string& how) const {
  throw Failure(ErrorCode::kCheckpointDamaged, "state '" + table_.descriptor().name + "' " + how,
                /*retryable=*/false);
}

CanonicalWriter::CanonicalWriter(std::vector<const RocksdbTable*> tables,
                                 const RocksdbShared& shared)
    : tables_(std::move(tables)),
      database_(shared.database),
      max_parallelism_(shared.max_parallelism),
      time_(shared.time) {}

void CanonicalWriter::begin() {
  for (const RocksdbTable* table : tables_) {
    std::string prefix;
    append_big_endian(table->id(), prefix);
    ranges_.push_back(database_->range(prefix, prefix_end(prefix), /*same_namespace=*/false));
  }
}

bool CanonicalWriter::step(SnapshotWriter& writer, std::size_t bytes_max) {
  std::size_t work = 0;
  for (; at_ < ranges_.size() && work < bytes_max; ++at_) {
    Database::Range& range = *ranges_[at_];
    for (; range.valid() && work < bytes_max; range.next()) {
      add(*tables_[at_], range.key(), range.value(), writer);
      work += range.key().size() + range.value().size();
    }
    flush(writer);
    if (range.valid()) return false;
    ranges_[at_].reset();
  }
  return at_ == ranges_.size();
}

void CanonicalWriter::add(const RocksdbTable& table, std::string_view key, std::string_view stored,
                          SnapshotWriter& writer) {
  const SlotArrayType& type = table.type();
  const std::string_view stamp = stored.substr(0, type.ttl.enabled() ? kStampBytes : 0);
  if (!stamp.empty() &&
      is_expired(ByteReader(stamp).get<std::int64_t>(), type.ttl.ttl, time_.of(type.ttl.clock)))
    return;
  const std::string_view value = canonical_value(type, stored.substr(stamp.size()), zero_);
  const DatabaseKey parts(key);
  const KeyGroup group = key_group_of(parts.hash, max_parallelism_);
  if (parts.ns != ns_ || group != group_ || bytes_.size() >= kBlockBytes) flush(writer);
  ns_ = parts.ns;
  group_ = group;
  width_ = value_width_in_blocks(*type.values, type.ttl.enabled());
  ++entries_;
  write_key(entry_of(type.encoding, parts.key), type.encoding, bytes_);
  if (width_ == kSizedValues) bytes_.put(static_cast<std::uint32_t>(stamp.size() + value.size()));
  bytes_.put_raw(stamp);
  bytes_.put_raw(value);
}

void CanonicalWriter::flush(SnapshotWriter& writer) {
  if (entries_ == 0) return;
  framed_.clear();
  put_table_block_header({ns_, entries_, width_}, framed_);
  framed_.put_raw(bytes_.view());
  writer.write_keyed(tables_[at_]->descriptor().name, group_, framed_.view());
  entries_ = 0;
  bytes_.clear();
}

}  // namespace tidemark
