// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tidemark/base/check.h"
#include "tidemark/data/buffer.h"
#include "tidemark/data/type.h"

namespace tidemark {

/// Row numbers in [0, batch.rows()), ascending.
using RowIndex = std::uint32_t;
using Selection = std::span<const RowIndex>;

class Column;
/// Columns are immutable once built, and shared: between a projection and its input, and between
/// threads after the batch passed through a channel.
using ColumnPtr = std::shared_ptr<const Column>;

/// One column of a batch in Arrow's layout: an optional validity bitmap (absent: no NULL), and
/// either fixed-width values or 32-bit offsets (rows + 1 of them, from 0) into bytes. The value
/// under a NULL is unspecified but readable; the string under a NULL is empty.
class Column {
 public:
  /// Takes the finished buffers. `validity` is empty (size 0) when no row is NULL. `offsets` and
  /// `values` as above; `offsets` is empty for fixed-width types.
  Column(DataType type, std::size_t rows, Buffer validity, Buffer values, Buffer offsets);

  const DataType& type() const noexcept { return type_; }
  TypeKind kind() const noexcept { return type_.kind; }
  std::size_t size() const noexcept { return rows_; }
  std::size_t null_count() const noexcept { return null_count_; }
  bool has_nulls() const noexcept { return null_count_ > 0; }

  bool is_null(std::size_t row) const noexcept {
    return has_nulls() && !bit_is_set(validity_.as<std::uint8_t>(), row);
  }
  /// nullptr when there are no NULLs.
  const std::uint8_t* validity_bits() const noexcept {
    return has_nulls() ? validity_.as<std::uint8_t>() : nullptr;
  }

  /// The values of a fixed-width column; T must have the width of the type (see TypeKind).
  template <typename T>
  const T* values() const noexcept {
    TIDEMARK_DCHECK(sizeof(T) == value_width(type_.kind), "width of the column's type");
    return values_.as<T>();
  }
  template <typename T>
  T value(std::size_t row) const noexcept {
    return values<T>()[row];
  }
  /// The offsets of a STRING or BYTES column, size() + 1 of them.
  const std::int32_t* offsets() const noexcept { return offsets_.as<std::int32_t>(); }
  /// The bytes of all strings of a STRING or BYTES column, or of the fixed-width values.
  const char* bytes() const noexcept { return values_.as<char>(); }
  std::string_view string(std::size_t row) const noexcept {
    const std::int32_t* at = offsets();
    return {bytes() + at[row], static_cast<std::size_t>(at[row + 1] - at[row])};
  }

  /// Memory of the buffers in bytes.
  std::size_t memory_bytes() const noexcept;

 private:
  DataType type_;
  std::size_t rows_;
  std::size_t null_count_;
  Buffer validity_;
  Buffer values_;
  Buffer offsets_;
};

/// Builds one column, row by row or in bulk. One thread; reusable after finish().
class ColumnBuilder {
 public:
  explicit ColumnBuilder(DataType type);

  const DataType& type() const noexcept { return type_; }
  std::size_t size() const noexcept { return rows_; }

  void reserve(std::size_t rows);

  /// Appends a value of a fixed-width type; T must have the type's width.
  template <typename T>
  void append(T value) {
    TIDEMARK_DCHECK(sizeof(T) == value_width(type_.kind), "width of the column's type");
    const std::size_t at = rows_ * sizeof(T);
    values_.resize(at + sizeof(T));
    values_.as<T>()[rows_] = value;
    mark_valid();
  }
  /// Appends a value of a STRING or BYTES type. Throws a Failure beyond 2 GiB a column.
  void append_string(std::string_view bytes);
  void append_null();
  /// Appends row `row` of `source`, which has the same kind.
  void append_from(const Column& source, std::size_t row);

  /// Adds `count` rows that are valid and returns where their values go: all must be written.
  template <typename T>
  T* extend(std::size_t count) {
    TIDEMARK_DCHECK(sizeof(T) == value_width(type_.kind), "width of the column's type");
    values_.resize((rows_ + count) * sizeof(T));
    T* out = values_.as<T>() + rows_;
    mark_valid_many(count);
    return out;
  }
  /// Makes an earlier row NULL. For fixed-width types, and for strings that are empty.
  void set_null(std::size_t row);

  /// Forgets rows from `rows` on. Undoes the part of a record that turned out not to parse.
  void truncate(std::size_t rows);

  /// The column; the builder is empty afterwards.
  ColumnPtr finish();

 private:
  void mark_valid() {
    if (!validity_.size()) {
      ++rows_;
      return;
    }
    append_validity(true);
  }
  void mark_valid_many(std::size_t count);
  void append_validity(bool valid);
  void materialize_validity();

  DataType type_;
  std::size_t rows_ = 0;
  Buffer validity_;  // empty until the first NULL
  Buffer values_;
  Buffer offsets_;
};

/// The rows named by `rows`, in that order (repetitions allowed).
ColumnPtr gather(const Column& column, Selection rows);
/// Rows [begin, begin + count).
ColumnPtr slice(const ColumnPtr& column, std::size_t begin, std::size_t count);
/// One column after the other; all have the kind of the first. Requires at least one.
ColumnPtr concatenate(std::span<const ColumnPtr> columns);

}  // namespace tidemark
