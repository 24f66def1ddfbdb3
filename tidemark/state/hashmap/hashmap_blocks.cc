// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "tidemark/base/error.h"
#include "tidemark/state/hashmap/hashmap_table.h"

namespace tidemark {

void HashmapTable::encode_slot(const SlotArray& array, const std::byte* slot,
                               ByteWriter& out) const {
  write_key(array.entry(slot), type_->encoding, out);
  const std::byte* value = slot + type_->layout.value_offset;
  const bool stamped = type_->ttl.enabled();
  if (type_->plain) {
    if (stamped) out.put(stamp_of(value));
    out.put_raw({reinterpret_cast<const char*>(value), type_->value_width});
  } else {
    encoded_value_.clear();
    if (stamped) encoded_value_.put(stamp_of(value));
    type_->values->encode(value, encoded_value_);
    out.put_string(encoded_value_.view());
  }
}

void HashmapTable::count_block(std::string_view block, EntryCounts& counts) const {
  const TableBlockReader in(type_->encoding, block);
  if (in.left() > block.size()) damaged("has a block that ends before its entries");
  counts[in.header().ns] += in.left();
}

void HashmapTable::load_block(KeyGroup group, std::string_view block, const TableRestore& how) {
  if (!shared_.range.contains(group))
    damaged("was handed key group " + std::to_string(group) + ", which another subtask owns");
  TableBlockReader in(type_->encoding, block);
  if (in.header().value_width != how.value_width())
    damaged("has a block with values of another width");
  while (in.left() > 0) load_entries(group, in, how);
  if (!in.at_end()) damaged("has a block that is longer than its entries");
}

void HashmapTable::load_entries(KeyGroup group, TableBlockReader& in, const TableRestore& how) {
  const TimeToLive& ttl = type_->ttl;
  const std::size_t count = std::min<std::size_t>(in.left(), kDefaultBatchRows);
  KeyBatch keys;
  clear_keys(type_->encoding, keys);
  std::vector<std::string_view> stored;
  std::vector<std::int64_t> stamps;
  for (std::size_t i = 0; i < count; ++i) {
    KeyedEntry key;
    std::string_view value = in.next(key);
    const std::int64_t stamp = how.take_stamp(value, shared_.time);
    if (ttl.enabled() && is_expired(stamp, ttl.ttl, shared_.time.of(ttl.clock))) continue;
    append_key(key, keys);
    stored.push_back(value);
    stamps.push_back(stamp);
  }
  hash_keys(keys);
  for (const std::uint64_t hash : keys.hashes)
    if (group_of(hash) != group) damaged("holds a key in a key group that is not its own");
  std::vector<RowIndex> rows(stored.size());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  std::vector<std::byte*> values(rows.size());
  find_or_insert(in.header().ns, keys, rows, values);
  std::string scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (ttl.enabled()) set_stamp(values[i], stamps[i]);
    load_value(how.convert(stored[i], scratch), values[i]);
  }
}

void HashmapTable::load_value(std::string_view stored, std::byte* value) const {
  if (type_->plain) {
    std::copy(stored.begin(), stored.end(), reinterpret_cast<char*>(value));
    return;
  }
  ByteReader in(stored);
  type_->values->decode(in, value);
  if (!in.at_end()) damaged("has a value that is longer than its kind");
}

void HashmapTable::damaged(const std::string& how) const {
  throw Failure(ErrorCode::kCheckpointDamaged, "state '" + descriptor_.name + "' " + how,
                /*retryable=*/false);
}

}  // namespace tidemark
