// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/data/batch.h"

namespace tidemark {

/// How the key columns of a row become one key. Follows from the key's types alone and never
/// changes for them: keys and their hashes are written into snapshots. The columns stand one after
/// the other, each as
///   a byte 0 (NULL) or 1, when its type is nullable; zeros follow for a fixed-width NULL
///   fixed width: the value, little-endian
///   STRING, BYTES: length (u32) and bytes; the last column of a key needs no length
/// -0.0 is encoded as 0.0 and every NaN alike. NULLs are equal, as GROUP BY wants.
///   kFixed8    at most 8 bytes, padded with zeros: one word. Also the key of no columns.
///   kFixed16   at most 16 bytes, padded with zeros: two words. A nullable BIGINT is one.
///   kVariable  anything else
enum class KeyEncoding : std::uint8_t { kFixed8, kFixed16, kVariable };

KeyEncoding key_encoding_of(std::span<const DataType> key_types) noexcept;
std::string_view to_string(KeyEncoding encoding) noexcept;
/// Words of a fixed key; 0 for kVariable.
constexpr std::size_t key_words(KeyEncoding encoding) noexcept {
  return encoding == KeyEncoding::kFixed8 ? 1 : encoding == KeyEncoding::kFixed16 ? 2 : 0;
}

/// The keys of some rows of a batch, encoded and hashed (base/hash.h). Reused from batch to batch.
struct KeyBatch {
  KeyEncoding encoding = KeyEncoding::kFixed8;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> fixed;    // key_words() a key
  std::vector<std::uint32_t> offsets;  // kVariable: size() + 1 offsets into bytes
  std::string bytes;                   // kVariable: at least 64 bytes longer than the keys
  /// Event times of the keys' rows, one a key, where the owner of the batch gives them: what
  /// touches of event-time tables are stamped with. Not owned; may be null.
  const EventTime* times = nullptr;

  std::size_t size() const noexcept { return hashes.size(); }
  std::string_view variable(std::size_t i) const noexcept {
    return {bytes.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// A key with the value stored for it.
struct KeyedEntry {
  std::uint64_t fixed_key = 0;    // kFixed8
  std::string_view variable_key;  // kVariable, and the 16 bytes of kFixed16
  const std::byte* value = nullptr;
};

/// Keys and hashes that are already encoded, for tables that are fed from storage: appends the key
/// of `entry`; hash_keys() completes the batch.
void append_key(const KeyedEntry& entry, KeyBatch& out);
void clear_keys(KeyEncoding encoding, KeyBatch& out);
void hash_keys(KeyBatch& out);

/// Turns key columns into keys and back. One thread.
class KeyCodec {
 public:
  /// `columns` index the batch's schema; `types` are theirs.
  KeyCodec(std::vector<std::size_t> columns, std::vector<DataType> types);

  KeyEncoding encoding() const noexcept { return encoding_; }
  const std::vector<DataType>& types() const noexcept { return types_; }

  /// Keys and hashes of all rows, or of `rows`. No key columns: every row has the same, empty key.
  void encode(const Batch& batch, KeyBatch& out) const;
  void encode(const Batch& batch, Selection rows, KeyBatch& out) const;

  /// Appends the keys' columns to the builders, one a key column, a column at a time. Throws a
  /// Failure (kCheckpointDamaged) for bytes that encode() cannot have written.
  void decode(std::span<const KeyedEntry> entries, std::span<ColumnBuilder> out) const;
  void decode(std::uint64_t fixed, std::span<ColumnBuilder> out) const;
  void decode(std::string_view variable, std::span<ColumnBuilder> out) const;

 private:
  struct KeyColumn {
    std::size_t column;
    DataType type;
    std::size_t offset;  // fixed encodings: where its flag or value stands
    bool last;
  };
  void encode_fixed(const Batch& batch, const RowIndex* rows, std::size_t count,
                    KeyBatch& out) const;
  void encode_variable(const Batch& batch, const RowIndex* rows, std::size_t count,
                       KeyBatch& out) const;

  std::vector<DataType> types_;
  std::vector<KeyColumn> columns_;
  KeyEncoding encoding_;
};

}  // namespace tidemark
