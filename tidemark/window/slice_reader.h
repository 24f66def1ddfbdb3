// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// A value of a table in memory with 8 bytes of the caller's before it.
class NotedValue final : public ValueOperations {
 public:
  static constexpr std::size_t kNoteBytes = 8;

  explicit NotedValue(std::shared_ptr<const ValueOperations> value) : value_(std::move(value)) {}

  static std::int64_t& note(std::byte* noted) { return *reinterpret_cast<std::int64_t*>(noted); }
  static std::int64_t note(const std::byte* noted) {
    return *reinterpret_cast<const std::int64_t*>(noted);
  }

  std::size_t width() const override { return kNoteBytes + value_->width(); }
  bool is_plain() const override { return value_->is_plain(); }
  void destroy(std::byte* noted) const noexcept override { value_->destroy(noted + kNoteBytes); }
  void encode(const std::byte* noted, ByteWriter& out) const override;
  void decode(ByteReader& in, std::byte* noted) const override;

 private:
  std::shared_ptr<const ValueOperations> value_;
};

/// A number of the caller's and nothing else.
class NoteOnly final : public ValueOperations {
 public:
  std::size_t width() const override { return NotedValue::kNoteBytes; }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte* noted, ByteWriter& out) const override {
    out.put(NotedValue::note(noted));
  }
  void decode(ByteReader& in, std::byte* noted) const override {
    NotedValue::note(noted) = in.get<std::int64_t>();
  }
};

/// Tables in memory beside an operator's state, never part of a snapshot.
class ScratchTables {
 public:
  ScratchTables();
  /// Keys as in `like`.
  KeyedTable& open(const TableDescriptor& like, const char* name,
                   std::shared_ptr<const ValueOperations> values);
  std::size_t memory_bytes() const { return backend_->memory_bytes(); }

 private:
  std::unique_ptr<KeyedStateBackend> backend_;
};

/// Reads a namespace of a table by the batch, with the keys as look-ups in other tables take them.
class EntryReader {
 public:
  EntryReader(KeyedTable& table, KeyEncoding encoding, StateNamespace ns);

  /// The next entries, at most kDefaultBatchRows; false when there are none.
  bool next();
  const KeyBatch& keys() const noexcept { return keys_; }
  /// All rows of keys().
  Selection rows() const noexcept { return {rows_.data(), keys_.size()}; }
  std::span<const std::byte* const> values() const noexcept { return values_; }
  std::span<const TableScan::Entry> entries() const noexcept { return {entries_.data(), count_}; }

 private:
  KeyEncoding encoding_;
  std::unique_ptr<TableScan> scan_;
  std::vector<TableScan::Entry> entries_;
  std::size_t count_ = 0;
  KeyBatch keys_;
  std::vector<RowIndex> rows_;
  std::vector<const std::byte*> values_;
};

/// Row `row` of `keys` as an entry. The key is valid as long as `keys`.
KeyedEntry entry_of(const KeyBatch& keys, RowIndex row, const std::byte* value);

/// One row for each key among `rows`, ascending.
class DistinctRows {
 public:
  explicit DistinctRows(const TableDescriptor& like);
  Selection of(const KeyBatch& keys, Selection rows);

 private:
  ScratchTables scratch_;
  KeyedTable& seen_;
  std::vector<std::byte*> values_;
  std::vector<RowIndex> distinct_;
};

}  // namespace tidemark
