// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/kernel.h"

#include <algorithm>
#include <cstring>

namespace tidemark {

void Validity::materialize() {
  if (!all_valid()) return;
  bits_.resize(std::max<std::size_t>(1, bitmap_bytes(rows_)));
  std::memset(bits_.data(), 0xff, bits_.size());
}

void Validity::intersect(const Column& column) {
  const std::uint8_t* other = column.validity_bits();
  if (other == nullptr) return;
  const std::size_t bytes = bitmap_bytes(rows_);
  if (all_valid()) {
    bits_.resize(bytes);
    std::memcpy(bits_.data(), other, bytes);
    return;
  }
  auto* mine = bits_.as<std::uint8_t>();
  for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<std::uint8_t>(mine[i] & other[i]);
}

void Validity::set_null(std::size_t row) {
  materialize();
  clear_bit(bits_.as<std::uint8_t>(), row);
}

void Validity::set_all_null() {
  bits_.resize(std::max<std::size_t>(1, bitmap_bytes(rows_)));
  std::memset(bits_.data(), 0, bits_.size());
}

ColumnPtr single_value(const Value& value) {
  return repeat(value, 1);
}

ColumnPtr all_null(const DataType& type, std::size_t rows) {
  ColumnBuilder builder(type.with_nullable(true));
  builder.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) builder.append_null();
  return builder.finish();
}

ColumnPtr expand(const Vector& vector, std::size_t rows) {
  if (!vector.constant) return vector.column;
  const Column& column = *vector.column;
  if (column.is_null(0)) return all_null(column.type(), rows);
  ColumnBuilder builder(column.type());
  builder.reserve(rows);
  if (is_variable_width(column.kind())) {
    const std::string_view text = column.string(0);
    for (std::size_t i = 0; i < rows; ++i) builder.append_string(text);
  } else {
    visit_physical(column.kind(), [&](auto zero) {
      using T = decltype(zero);
      std::fill_n(builder.extend<T>(rows), rows, column.value<T>(0));
    });
  }
  return builder.finish();
}

}  // namespace tidemark
