// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/column.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tidemark/base/error.h"

namespace tidemark {

Column::Column(DataType type, std::size_t rows, Buffer validity, Buffer values, Buffer offsets)
    : type_(type),
      rows_(rows),
      null_count_(0),
      validity_(std::move(validity)),
      values_(std::move(values)),
      offsets_(std::move(offsets)) {
  if (validity_.size() > 0) {
    TIDEMARK_DCHECK(validity_.size() >= bitmap_bytes(rows), "a bit for each row");
    null_count_ = rows - count_set_bits(validity_.as<std::uint8_t>(), rows);
  }
  TIDEMARK_DCHECK(
      !is_variable_width(type.kind) || offsets_.size() >= (rows + 1) * sizeof(std::int32_t),
      "an offset for each row and one more");
  TIDEMARK_DCHECK(is_variable_width(type.kind) || values_.size() >= rows * value_width(type.kind),
                  "a value for each row");
}

std::size_t Column::memory_bytes() const noexcept {
  return validity_.capacity() + values_.capacity() + offsets_.capacity();
}

ColumnBuilder::ColumnBuilder(DataType type) : type_(type) {}

void ColumnBuilder::reserve(std::size_t rows) {
  const auto reserve_bytes = [](Buffer& buffer, std::size_t bytes) {
    const std::size_t size = buffer.size();
    buffer.resize(std::max(size, bytes));
    buffer.resize(size);
  };
  if (is_variable_width(type_.kind)) {
    reserve_bytes(offsets_, (rows + 1) * sizeof(std::int32_t));
  } else {
    reserve_bytes(values_, rows * value_width(type_.kind));
  }
}

void ColumnBuilder::append_string(std::string_view bytes) {
  TIDEMARK_DCHECK(is_variable_width(type_.kind), "a STRING or BYTES column");
  if (values_.size() + bytes.size() > std::numeric_limits<std::int32_t>::max()) [[unlikely]]
    throw Failure(ErrorCode::kInvalidRecord, "the strings of one batch exceed 2 GiB", false);
  values_.append(bytes.data(), bytes.size());
  if (rows_ == 0) {
    offsets_.resize(sizeof(std::int32_t));
    offsets_.as<std::int32_t>()[0] = 0;
  }
  offsets_.resize((rows_ + 2) * sizeof(std::int32_t));
  offsets_.as<std::int32_t>()[rows_ + 1] = static_cast<std::int32_t>(values_.size());
  mark_valid();
}

void ColumnBuilder::append_null() {
  materialize_validity();
  if (is_variable_width(type_.kind)) {
    append_string({});
  } else {
    const std::size_t width = value_width(type_.kind);
    values_.resize((rows_ + 1) * width);
    std::memset(values_.data() + rows_ * width, 0, width);
    append_validity(true);
  }
  clear_bit(validity_.as<std::uint8_t>(), rows_ - 1);
}

void ColumnBuilder::append_from(const Column& source, std::size_t row) {
  if (source.is_null(row)) return append_null();
  if (is_variable_width(type_.kind)) return append_string(source.string(row));
  const std::size_t width = value_width(type_.kind);
  values_.append(source.bytes() + row * width, width);
  mark_valid();
}

void ColumnBuilder::set_null(std::size_t row) {
  materialize_validity();
  clear_bit(validity_.as<std::uint8_t>(), row);
}

void ColumnBuilder::truncate(std::size_t rows) {
  TIDEMARK_DCHECK(rows <= rows_, "rows that exist");
  rows_ = rows;
  if (validity_.size() > 0) validity_.resize(bitmap_bytes(rows));
  if (is_variable_width(type_.kind)) {
    const std::size_t kept =
        offsets_.size() == 0 ? 0 : static_cast<std::size_t>(offsets_.as<std::int32_t>()[rows]);
    values_.resize(kept);
    if (offsets_.size() > 0) offsets_.resize((rows + 1) * sizeof(std::int32_t));
  } else {
    values_.resize(rows * value_width(type_.kind));
  }
}

ColumnPtr ColumnBuilder::finish() {
  if (is_variable_width(type_.kind) && offsets_.size() == 0) {
    offsets_.resize(sizeof(std::int32_t));
    offsets_.as<std::int32_t>()[0] = 0;
  }
  auto column = std::make_shared<const Column>(type_, rows_, std::exchange(validity_, Buffer()),
                                               std::exchange(values_, Buffer()),
                                               std::exchange(offsets_, Buffer()));
  rows_ = 0;
  return column;
}

void ColumnBuilder::materialize_validity() {
  if (validity_.size() > 0) return;
  // At least one byte, so that its presence is known by its size even before the first row.
  validity_.resize(std::max<std::size_t>(1, bitmap_bytes(rows_)));
  std::memset(validity_.data(), 0xff, validity_.size());
}

void ColumnBuilder::append_validity(bool valid) {
  const std::size_t bytes = bitmap_bytes(rows_ + 1);
  if (validity_.size() < bytes) {
    validity_.resize(bytes);
    validity_.as<std::uint8_t>()[bytes - 1] = 0;
  }
  if (valid) {
    set_bit(validity_.as<std::uint8_t>(), rows_);
  } else {
    clear_bit(validity_.as<std::uint8_t>(), rows_);
  }
  ++rows_;
}

void ColumnBuilder::mark_valid_many(std::size_t count) {
  if (validity_.size() == 0) {
    rows_ += count;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) append_validity(true);
}

namespace {

template <typename T>
void gather_values(const T* in, Selection rows, T* out) {
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = in[rows[i]];
}

void gather_fixed(const Column& column, Selection rows, Buffer& out) {
  const std::size_t width = value_width(column.kind());
  out.resize(rows.size() * width);
  const char* in = column.bytes();
  switch (width) {
    case 1:
      return gather_values(reinterpret_cast<const std::uint8_t*>(in), rows, out.as<std::uint8_t>());
    case 2:
      return gather_values(reinterpret_cast<const std::uint16_t*>(in), rows,
                           out.as<std::uint16_t>());
    case 4:
      return gather_values(reinterpret_cast<const std::uint32_t*>(in), rows,
                           out.as<std::uint32_t>());
    case 8:
      return gather_values(reinterpret_cast<const std::uint64_t*>(in), rows,
                           out.as<std::uint64_t>());
    default: return gather_values(reinterpret_cast<const __int128*>(in), rows, out.as<__int128>());
  }
}

void gather_strings(const Column& column, Selection rows, Buffer& offsets, Buffer& bytes) {
  const std::int32_t* in = column.offsets();
  offsets.resize((rows.size() + 1) * sizeof(std::int32_t));
  std::int32_t* out = offsets.as<std::int32_t>();
  std::int64_t total = 0;
  out[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    total += in[rows[i] + 1] - in[rows[i]];
    if (total > std::numeric_limits<std::int32_t>::max()) [[unlikely]]
      throw Failure(ErrorCode::kInvalidRecord, "the strings of one batch exceed 2 GiB", false);
    out[i + 1] = static_cast<std::int32_t>(total);
  }
  bytes.resize(static_cast<std::size_t>(total));
  char* to = bytes.as<char>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t length = static_cast<std::size_t>(out[i + 1] - out[i]);
    if (length > 0) std::memcpy(to + out[i], column.bytes() + in[rows[i]], length);
  }
}

Buffer gather_validity(const Column& column, Selection rows) {
  Buffer validity;
  if (!column.has_nulls() || rows.empty()) return validity;
  validity.resize(bitmap_bytes(rows.size()));
  std::memset(validity.data(), 0, validity.size());
  std::uint8_t* bits = validity.as<std::uint8_t>();
  const std::uint8_t* in = column.validity_bits();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (bit_is_set(in, rows[i])) set_bit(bits, i);
  return validity;
}

}  // namespace

ColumnPtr gather(const Column& column, Selection rows) {
  Buffer values;
  Buffer offsets;
  if (is_variable_width(column.kind())) {
    gather_strings(column, rows, offsets, values);
  } else {
    gather_fixed(column, rows, values);
  }
  return std::make_shared<const Column>(column.type(), rows.size(), gather_validity(column, rows),
                                        std::move(values), std::move(offsets));
}

ColumnPtr slice(const ColumnPtr& column, std::size_t begin, std::size_t count) {
  TIDEMARK_DCHECK(begin + count <= column->size(), "rows of the column");
  if (begin == 0 && count == column->size()) return column;
  Buffer values;
  Buffer offsets;
  if (is_variable_width(column->kind())) {
    const std::int32_t* in = column->offsets() + begin;
    offsets.resize((count + 1) * sizeof(std::int32_t));
    for (std::size_t i = 0; i <= count; ++i) offsets.as<std::int32_t>()[i] = in[i] - in[0];
    values.append(column->bytes() + in[0], static_cast<std::size_t>(in[count] - in[0]));
  } else {
    const std::size_t width = value_width(column->kind());
    values.append(column->bytes() + begin * width, count * width);
  }
  Buffer validity;
  if (column->has_nulls() && count > 0) {
    validity.resize(bitmap_bytes(count));
    std::memset(validity.data(), 0, validity.size());
    for (std::size_t i = 0; i < count; ++i)
      if (!column->is_null(begin + i)) set_bit(validity.as<std::uint8_t>(), i);
  }
  return std::make_shared<const Column>(column->type(), count, std::move(validity),
                                        std::move(values), std::move(offsets));
}

ColumnPtr concatenate(std::span<const ColumnPtr> columns) {
  TIDEMARK_CHECK(!columns.empty(), "at least one column to concatenate");
  if (columns.size() == 1) return columns[0];
  ColumnBuilder builder(columns[0]->type());
  std::size_t rows = 0;
  for (const ColumnPtr& column : columns) rows += column->size();
  builder.reserve(rows);
  for (const ColumnPtr& column : columns)
    for (std::size_t row = 0; row < column->size(); ++row) builder.append_from(*column, row);
  return builder.finish();
}

}  // namespace tidemark
