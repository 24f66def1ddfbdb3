// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidemark/data/batch.h"

namespace tidemark {

/// How the key columns of a row become one key. Chosen once for a schema, never changed: keys and
/// their hashes are written into snapshots.
///   kFixed8    one column of at most 8 bytes that is NOT NULL: its value, sign- or zero-extended
///   kVariable  anything else: for each column a byte 0 (NULL) or 1 and then the value, fixed
///              width little-endian, or length (u32) and bytes. -0.0 is encoded as 0.0 and every
///              NaN alike. NULLs are equal, as GROUP BY wants.
enum class KeyEncoding : std::uint8_t { kFixed8, kVariable };

KeyEncoding key_encoding_of(std::span<const DataType> key_types) noexcept;

/// The keys of some rows of a batch, encoded and hashed. Reused from batch to batch.
struct KeyBatch {
  KeyEncoding encoding = KeyEncoding::kFixed8;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> fixed;      // kFixed8: the keys
  std::vector<std::uint32_t> offsets;    // kVariable: size() + 1 offsets into bytes
  std::string bytes;

  std::size_t size() const noexcept { return hashes.size(); }
  std::string_view variable(std::size_t i) const noexcept {
    return {bytes.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

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

  /// Appends the key's columns to the builders, one a key column.
  void decode(std::uint64_t fixed, std::span<ColumnBuilder> out) const;
  void decode(std::string_view variable, std::span<ColumnBuilder> out) const;

 private:
  std::vector<std::size_t> columns_;
  std::vector<DataType> types_;
  KeyEncoding encoding_;
};

}  // namespace tidemark
