// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/slice_reader.h"

#include <numeric>
#include <utility>

namespace tidemark {

void NotedValue::encode(const std::byte* noted, ByteWriter& out) const {
  out.put(note(noted));
  value_->encode(noted + kNoteBytes, out);
}

void NotedValue::decode(ByteReader& in, std::byte* noted) const {
  note(noted) = in.get<std::int64_t>();
  value_->decode(in, noted + kNoteBytes);
}

ScratchTables::ScratchTables()
    : backend_(make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism)) {}

KeyedTable& ScratchTables::open(const TableDescriptor& like, const char* name,
                                std::shared_ptr<const ValueOperations> values) {
  return backend_->open_table(
      {.name = name, .key_encoding = like.key_encoding, .values = std::move(values)});
}

EntryReader::EntryReader(KeyedTable& table, KeyEncoding encoding, StateNamespace ns)
    : encoding_(encoding), scan_(table.scan(ns)), entries_(kDefaultBatchRows) {}

bool EntryReader::next() {
  count_ = scan_->next(entries_);
  clear_keys(encoding_, keys_);
  values_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    append_key(entries_[i], keys_);
    values_[i] = entries_[i].value;
  }
  hash_keys(keys_);
  if (rows_.size() < count_) {
    rows_.resize(count_);
    std::iota(rows_.begin(), rows_.end(), RowIndex{0});
  }
  return count_ > 0;
}

KeyedEntry entry_of(const KeyBatch& keys, RowIndex row, const std::byte* value) {
  switch (keys.encoding) {
    case KeyEncoding::kFixed8: return {.fixed_key = keys.fixed[row], .value = value};
    case KeyEncoding::kFixed16:
      return {.variable_key = {reinterpret_cast<const char*>(&keys.fixed[2 * row]), 16},
              .value = value};
    case KeyEncoding::kVariable: break;
  }
  return {.variable_key = keys.variable(row), .value = value};
}

DistinctRows::DistinctRows(const TableDescriptor& like)
    : seen_(scratch_.open(like, "seen", std::make_shared<const NoteOnly>())) {}

Selection DistinctRows::of(const KeyBatch& keys, Selection rows) {
  values_.resize(rows.size());
  distinct_.clear();
  seen_.find_or_insert(0, keys, rows, values_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (NotedValue::note(values_[i])++ == 0) distinct_.push_back(rows[i]);
  seen_.drop(0);
  return distinct_;
}

}  // namespace tidemark
