// SPDX-License-Identifier: Apache-2.0
// The format of a table in a snapshot, version 1. A block holds entries of one namespace and key
// group:
//   0   i64  namespace
//   8   u32  number of entries
//   12       the entries: key, value
// A key is 8 bytes (fixed8), 16 bytes (fixed16), or a u32 length and bytes (variable); see
// state/key.h. A plain value is its bytes in memory; any other is what its ValueOperations encode.
// All numbers are little-endian.
#include <algorithm>
#include <numeric>

#include "tidemark/base/error.h"
#include "tidemark/state/hashmap/hashmap_table.h"

namespace tidemark {
namespace {

KeyedEntry read_key(ByteReader& in, KeyEncoding encoding) {
  KeyedEntry entry;
  switch (encoding) {
    case KeyEncoding::kFixed8: entry.fixed_key = in.get<std::uint64_t>(); break;
    case KeyEncoding::kFixed16: entry.variable_key = in.get_raw(16); break;
    case KeyEncoding::kVariable: entry.variable_key = in.get_string(); break;
  }
  return entry;
}

}  // namespace

StateDescriptor describe_table(const TableDescriptor& table) {
  return {.name = table.name,
          .keyed = true,
          .schema = std::string(to_string(table.key_encoding)) + ": " + table.schema,
          .version = kTableFormatVersion};
}

void HashmapTable::encode_slot(const SlotArray& array, const std::byte* slot,
                               ByteWriter& out) const {
  if (type_->encoding == KeyEncoding::kVariable) {
    out.put_string(array.entry(slot).variable_key);
  } else {
    out.put_raw({reinterpret_cast<const char*>(slot) + kSlotKey, 8 * key_words(type_->encoding)});
  }
  const std::byte* value = slot + type_->layout.value_offset;
  if (type_->plain) {
    out.put_raw({reinterpret_cast<const char*>(value), type_->value_width});
  } else {
    type_->values->encode(value, out);
  }
}

void HashmapTable::count_block(std::string_view block, EntryCounts& counts) const {
  ByteReader in(block);
  const auto ns = in.get<StateNamespace>();
  const auto entries = in.get<std::uint32_t>();
  if (entries > in.remaining()) damaged("has a block that ends before its entries");
  counts[ns] += entries;
}

void HashmapTable::load_block(KeyGroup group, std::string_view block) {
  if (!shared_.range.contains(group))
    damaged("was handed key group " + std::to_string(group) + ", which another subtask owns");
  ByteReader in(block);
  const auto ns = in.get<StateNamespace>();
  auto left = in.get<std::uint32_t>();
  // Values that own memory are decoded into their place, so their length is known only then.
  const std::uint32_t portion = type_->plain ? kDefaultBatchRows : 1;
  while (left > 0) {
    const std::uint32_t count = std::min(left, portion);
    load_entries(group, ns, count, in);
    left -= count;
  }
  if (!in.at_end()) damaged("has a block that is longer than its entries");
}

void HashmapTable::load_entries(KeyGroup group, StateNamespace ns, std::uint32_t count,
                                ByteReader& in) {
  KeyBatch keys;
  clear_keys(type_->encoding, keys);
  std::vector<std::string_view> stored(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    append_key(read_key(in, type_->encoding), keys);
    if (type_->plain) stored[i] = in.get_raw(type_->value_width);
  }
  hash_keys(keys);
  for (const std::uint64_t hash : keys.hashes)
    if (group_of(hash) != group) damaged("holds a key in a key group that is not its own");
  std::vector<RowIndex> rows(count);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  std::vector<std::byte*> values(count);
  find_or_insert(ns, keys, rows, values);
  if (!type_->plain) return type_->values->decode(in, values[0]);
  for (std::uint32_t i = 0; i < count; ++i)
    std::copy(stored[i].begin(), stored[i].end(), reinterpret_cast<char*>(values[i]));
}

void HashmapTable::damaged(const std::string& how) const {
  throw Failure(ErrorCode::kCheckpointDamaged, "state '" + descriptor_.name + "' " + how,
                /*retryable=*/false);
}

}  // namespace tidemark
