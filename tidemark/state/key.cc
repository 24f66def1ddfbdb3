// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include "tidemark/state/key.h"

#include <xxhash.h>

#include <cstring>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/state/key_column.h"

namespace tidemark {
namespace {

// What may be read and written past the end of a key when it is copied in blocks.
constexpr std::size_t kSlack = 64;
constexpr std::size_t kCopyBlock = 16;

std::size_t fixed_width_of(std::span<const DataType> types) {
  std::size_t width = 0;
  for (const DataType& type : types) {
    if (is_variable_width(type.kind)) return SIZE_MAX;
    width += value_width(type.kind) + (type.nullable ? 1 : 0);
  }
  return width;
}

void check_not_null(const Column& column, const DataType& type) {
  if (type.nullable || !column.has_nulls()) return;
  throw Failure(ErrorCode::kInvalidRecord,
                "a key column of type " + to_string(type) +
                    " has a NULL; declare the column without NOT NULL or filter the NULLs out",
                /*retryable=*/false);
}

inline std::size_t row_at(const RowIndex* rows, std::size_t i) noexcept {
  return rows != nullptr ? rows[i] : i;
}

template <typename T, std::size_t kStride>
void put_not_null(const T* values, const RowIndex* rows, std::size_t count, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = canonical_key_value(values[row_at(rows, i)]);
    std::memcpy(out + i * kStride, &value, sizeof(T));
  }
}

template <typename T, std::size_t kStride>
void put_nullable(const Column& column, const RowIndex* rows, std::size_t count, char* out) {
  const T* values = column.values<T>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = row_at(rows, i);
    if (column.is_null(row)) continue;
    const T value = canonical_key_value(values[row]);
    out[i * kStride] = 1;
    std::memcpy(out + i * kStride + 1, &value, sizeof(T));
  }
}

template <std::size_t kStride>
void put_fixed_column(const Column& column, const DataType& type, const RowIndex* rows,
                      std::size_t count, char* out) {
  with_key_type(type.kind, [&]<typename T>(T*) {
    if (type.nullable) {
      put_nullable<T, kStride>(column, rows, count, out);
    } else {
      put_not_null<T, kStride>(column.values<T>(), rows, count, out);
    }
  });
}

std::size_t variable_length(const Column& column, const DataType& type, bool last,
                            std::size_t row) noexcept {
  const std::size_t flag = type.nullable ? 1 : 0;
  if (column.is_null(row))
    return flag + (is_variable_width(type.kind) ? (last ? 0 : sizeof(std::uint32_t))
                                                : value_width(type.kind));
  if (!is_variable_width(type.kind)) return flag + value_width(type.kind);
  return flag + (last ? 0 : sizeof(std::uint32_t)) + column.string(row).size();
}

// Blocks instead of memcpy: keys are short, and both sides have slack.
inline void copy_blocks(char* to, const char* from, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; i += kCopyBlock) std::memcpy(to + i, from + i, kCopyBlock);
}

char* put_variable_string(const Column& column, const DataType& type, bool last, std::size_t row,
                          char* out) {
  const bool null = column.is_null(row);
  if (type.nullable) *out++ = null ? 0 : 1;
  const std::string_view text = null ? std::string_view{} : column.string(row);
  if (!last) {
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(out, &length, sizeof(length));
    out += sizeof(length);
  }
  copy_blocks(out, text.data(), text.size());
  return out + text.size();
}

template <typename T>
char* put_variable_value(const Column& column, const DataType& type, std::size_t row, char* out) {
  const bool null = column.is_null(row);
  if (type.nullable) *out++ = null ? 0 : 1;
  const T value = null ? T{} : canonical_key_value(column.value<T>(row));
  std::memcpy(out, &value, sizeof(T));
  return out + sizeof(T);
}

}  // namespace

KeyEncoding key_encoding_of(std::span<const DataType> key_types) noexcept {
  const std::size_t width = fixed_width_of(key_types);
  if (width <= 8) return KeyEncoding::kFixed8;
  return width <= 16 ? KeyEncoding::kFixed16 : KeyEncoding::kVariable;
}

std::string_view to_string(KeyEncoding encoding) noexcept {
  switch (encoding) {
    case KeyEncoding::kFixed8: return "fixed8";
    case KeyEncoding::kFixed16: return "fixed16";
    case KeyEncoding::kVariable: return "variable";
  }
  return "unknown";
}

void clear_keys(KeyEncoding encoding, KeyBatch& out) {
  out.encoding = encoding;
  out.hashes.clear();
  out.fixed.clear();
  out.offsets.clear();
  out.bytes.clear();
}

void append_key(const KeyedEntry& entry, KeyBatch& out) {
  if (out.encoding == KeyEncoding::kFixed8) {
    out.fixed.push_back(entry.fixed_key);
  } else if (out.encoding == KeyEncoding::kFixed16) {
    out.fixed.resize(out.fixed.size() + 2);
    std::memcpy(&out.fixed[out.fixed.size() - 2], entry.variable_key.data(), 16);
  } else {
    if (out.offsets.empty()) out.offsets.push_back(0);
    out.bytes.append(entry.variable_key);
    out.offsets.push_back(static_cast<std::uint32_t>(out.bytes.size()));
  }
}

void hash_keys(KeyBatch& out) {
  const std::size_t words = key_words(out.encoding);
  const std::size_t count = words > 0             ? out.fixed.size() / words
                            : out.offsets.empty() ? 0
                                                  : out.offsets.size() - 1;
  out.hashes.resize(count);
  if (words == 1) {
    stable_hash_u64(out.fixed.data(), count, out.hashes.data());
  } else if (words == 2) {
    for (std::size_t i = 0; i < count; ++i) out.hashes[i] = XXH3_64bits(&out.fixed[2 * i], 16);
  } else {
    const std::size_t used = count > 0 ? out.offsets[count] : 0;
    if (out.bytes.size() < used + kSlack) out.bytes.resize(used + kSlack);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view key = out.variable(i);
      out.hashes[i] = XXH3_64bits(key.data(), key.size());
    }
  }
}

KeyCodec::KeyCodec(std::vector<std::size_t> columns, std::vector<DataType> types)
    : types_(std::move(types)), encoding_(key_encoding_of(types_)) {
  TIDEMARK_CHECK(columns.size() == types_.size(), "a type for each key column");
  std::size_t offset = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns_.push_back({columns[i], types_[i], offset, i + 1 == columns.size()});
    offset += value_width(types_[i].kind) + (types_[i].nullable ? 1 : 0);
  }
}

void KeyCodec::encode(const Batch& batch, KeyBatch& out) const {
  out.encoding = encoding_;
  if (encoding_ == KeyEncoding::kVariable)
    return encode_variable(batch, nullptr, batch.rows(), out);
  encode_fixed(batch, nullptr, batch.rows(), out);
}

void KeyCodec::encode(const Batch& batch, Selection rows, KeyBatch& out) const {
  out.encoding = encoding_;
  if (encoding_ == KeyEncoding::kVariable)
    return encode_variable(batch, rows.data(), rows.size(), out);
  encode_fixed(batch, rows.data(), rows.size(), out);
}

void KeyCodec::encode_fixed(const Batch& batch, const RowIndex* rows, std::size_t count,
                            KeyBatch& out) const {
  const std::size_t words = key_words(encoding_);
  out.fixed.resize(words * count);
  const bool covered =
      columns_.size() == 1 && !types_[0].nullable && value_width(types_[0].kind) == words * 8;
  if (!covered) std::memset(out.fixed.data(), 0, words * count * 8);
  char* bytes = reinterpret_cast<char*>(out.fixed.data());
  for (const KeyColumn& key : columns_) {
    const Column& column = batch.column(key.column);
    check_not_null(column, key.type);
    if (words == 1) {
      put_fixed_column<8>(column, key.type, rows, count, bytes + key.offset);
    } else {
      put_fixed_column<16>(column, key.type, rows, count, bytes + key.offset);
    }
  }
  hash_keys(out);
}

void KeyCodec::encode_variable(const Batch& batch, const RowIndex* rows, std::size_t count,
                               KeyBatch& out) const {
  std::vector<std::uint32_t>& offsets = out.offsets;
  offsets.assign(count + 1, 0);
  for (const KeyColumn& key : columns_) {
    const Column& column = batch.column(key.column);
    check_not_null(column, key.type);
    for (std::size_t i = 0; i < count; ++i)
      offsets[i + 1] +=
          static_cast<std::uint32_t>(variable_length(column, key.type, key.last, row_at(rows, i)));
  }
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    total += offsets[i + 1];
    offsets[i + 1] = static_cast<std::uint32_t>(total);
  }
  if (total > UINT32_MAX - kSlack)
    throw Failure(ErrorCode::kInvalidRecord, "the keys of one batch exceed 4 GiB",
                  /*retryable=*/false);
  if (out.bytes.size() < total + kSlack) out.bytes.resize(total + kSlack);
  // A block copy may run over the start of the next key, so keys are written in their order: by
  // row, and within a row by column.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = row_at(rows, i);
    char* at = out.bytes.data() + offsets[i];
    for (const KeyColumn& key : columns_) {
      const Column& column = batch.column(key.column);
      if (is_variable_width(key.type.kind)) {
        at = put_variable_string(column, key.type, key.last, row, at);
      } else {
        with_key_type(key.type.kind, [&]<typename T>(T*) {
          at = put_variable_value<T>(column, key.type, row, at);
        });
      }
    }
  }
  hash_keys(out);
}

}  // namespace tidemark
