// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/base/result.h"

namespace tidemark {

/// SQL's types (Flink, "Data Types"). Physical storage of one value in a column, little-endian:
enum class TypeKind : std::uint8_t {
  kNull,           // the type of a bare NULL; every value is NULL        (int8)
  kBoolean,        // one byte, 0 or 1; packed to bits only at Arrow export (uint8)
  kTinyInt,        // int8
  kSmallInt,       // int16
  kInt,            // int32
  kBigInt,         // int64
  kFloat,          // IEEE single
  kDouble,         // IEEE double
  kDecimal,        // unscaled value, value * 10^scale; precision 1..38   (__int128)
  kString,         // UTF-8; CHAR(n) and VARCHAR(n) are STRING with a length (offsets + bytes)
  kBytes,          // raw bytes                                           (offsets + bytes)
  kDate,           // days since 1970-01-01                               (int32)
  kTime,           // milliseconds since midnight, [0, 86400000)          (int32)
  kTimestamp,      // wall-clock time without a zone, units since 1970-01-01 00:00:00 (int64)
  kTimestampLtz,   // an instant, units since the epoch in UTC            (int64)
  kIntervalDay,    // INTERVAL DAY TO SECOND, milliseconds                (int64)
  kIntervalMonth,  // INTERVAL YEAR TO MONTH, months                      (int32)
};

/// A type with its parameters and whether NULL is allowed. A value type, cheap to copy.
/// TIMESTAMP(p) and TIMESTAMP_LTZ(p) count milliseconds for p <= 3, microseconds for p <= 6 and
/// nanoseconds for p <= 9 (so TIMESTAMP(7..9) spans the years 1677 to 2262).
struct DataType {
  TypeKind kind = TypeKind::kNull;
  std::uint8_t precision = 0;  // DECIMAL 1..38, TIME and TIMESTAMP 0..9, otherwise 0
  std::uint8_t scale = 0;      // DECIMAL 0..precision, otherwise 0
  bool nullable = true;
  std::uint32_t length = 0;  // CHAR(n), VARCHAR(n), BINARY(n), VARBINARY(n); 0 is no limit

  friend bool operator==(const DataType&, const DataType&) = default;

  DataType with_nullable(bool allowed) const {
    DataType copy = *this;
    copy.nullable = allowed;
    return copy;
  }

  static DataType null() { return {}; }
  static DataType boolean() { return {.kind = TypeKind::kBoolean}; }
  static DataType tiny_int() { return {.kind = TypeKind::kTinyInt}; }
  static DataType small_int() { return {.kind = TypeKind::kSmallInt}; }
  static DataType integer() { return {.kind = TypeKind::kInt}; }
  static DataType big_int() { return {.kind = TypeKind::kBigInt}; }
  static DataType float32() { return {.kind = TypeKind::kFloat}; }
  static DataType float64() { return {.kind = TypeKind::kDouble}; }
  static DataType decimal(std::uint8_t precision, std::uint8_t scale) {
    return {.kind = TypeKind::kDecimal, .precision = precision, .scale = scale};
  }
  static DataType string() { return {.kind = TypeKind::kString}; }
  static DataType bytes() { return {.kind = TypeKind::kBytes}; }
  static DataType date() { return {.kind = TypeKind::kDate}; }
  static DataType time(std::uint8_t precision = 0) {
    return {.kind = TypeKind::kTime, .precision = precision};
  }
  static DataType timestamp(std::uint8_t precision = 6) {
    return {.kind = TypeKind::kTimestamp, .precision = precision};
  }
  static DataType timestamp_ltz(std::uint8_t precision = 6) {
    return {.kind = TypeKind::kTimestampLtz, .precision = precision};
  }
  static DataType interval_day() { return {.kind = TypeKind::kIntervalDay}; }
  static DataType interval_month() { return {.kind = TypeKind::kIntervalMonth}; }
};

/// As SQL writes it: "DECIMAL(10, 2) NOT NULL".
std::string to_string(const DataType& type);

/// Bytes of one value in a column, 0 for STRING and BYTES.
std::size_t value_width(TypeKind kind) noexcept;

inline bool is_variable_width(TypeKind kind) noexcept {
  return kind == TypeKind::kString || kind == TypeKind::kBytes;
}
inline bool is_integer(TypeKind kind) noexcept {
  return kind >= TypeKind::kTinyInt && kind <= TypeKind::kBigInt;
}
inline bool is_floating(TypeKind kind) noexcept {
  return kind == TypeKind::kFloat || kind == TypeKind::kDouble;
}
inline bool is_numeric(TypeKind kind) noexcept {
  return kind >= TypeKind::kTinyInt && kind <= TypeKind::kDecimal;
}
inline bool is_timestamp(TypeKind kind) noexcept {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampLtz;
}

/// Units a second of a TIMESTAMP's storage: 1000, 1000000 or 1000000000.
std::int64_t timestamp_units_per_second(std::uint8_t precision) noexcept;
/// A timestamp's storage as event-time milliseconds, rounded towards minus infinity.
std::int64_t timestamp_to_millis(std::int64_t value, std::uint8_t precision) noexcept;
/// The reverse; nullopt-free: an Error when it does not fit the storage.
Result<std::int64_t> millis_to_timestamp(std::int64_t millis, std::uint8_t precision);

}  // namespace tidemark
