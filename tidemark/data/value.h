// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/data/batch.h"
#include "tidemark/data/type.h"

namespace tidemark {

/// One value of any type, for literals, messages and tests. Never used for the rows of a stream.
/// Integers, BOOLEAN, DATE, TIME, TIMESTAMP and intervals are in `integer`, DECIMAL in `integer`
/// as its unscaled value, FLOAT and DOUBLE in `real`, STRING and BYTES in `text`.
struct Value {
  DataType type;
  bool is_null = true;
  __int128 integer = 0;
  double real = 0;
  std::string text;

  static Value null(DataType type = DataType::null()) { return {.type = type}; }
  static Value of_integer(DataType type, __int128 integer) {
    return {.type = type, .is_null = false, .integer = integer};
  }
  static Value of_real(DataType type, double real) {
    return {.type = type, .is_null = false, .real = real};
  }
  static Value of_text(DataType type, std::string text) {
    return {.type = type, .is_null = false, .text = std::move(text)};
  }

  /// Equal type kind, nullness and contents (NaN equals NaN).
  friend bool operator==(const Value& a, const Value& b);
};

/// The row's value, with the column's type.
Value value_at(const Column& column, std::size_t row);
/// Appends a value of the builder's kind, or NULL.
void append_value(ColumnBuilder& builder, const Value& value);
/// A column of `rows` equal values.
ColumnPtr repeat(const Value& value, std::size_t rows);

/// As SQL's CAST to STRING prints it, and "NULL": 2001-01-01 01:24:00.000, 12.50, TRUE.
/// TIMESTAMP_LTZ is printed in UTC with a trailing 'Z'.
std::string to_string(const Value& value);
/// All rows of a batch as values, for tests.
std::vector<std::vector<Value>> to_rows(const Batch& batch);

}  // namespace tidemark
