// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/type.h"

#include <fmt/format.h>

#include "tidemark/base/time.h"
#include "tidemark/data/decimal.h"

namespace tidemark {
namespace {

std::string name_of(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kNull: return "NULL";
    case TypeKind::kBoolean: return "BOOLEAN";
    case TypeKind::kTinyInt: return "TINYINT";
    case TypeKind::kSmallInt: return "SMALLINT";
    case TypeKind::kInt: return "INT";
    case TypeKind::kBigInt: return "BIGINT";
    case TypeKind::kFloat: return "FLOAT";
    case TypeKind::kDouble: return "DOUBLE";
    case TypeKind::kDecimal: return fmt::format("DECIMAL({}, {})", type.precision, type.scale);
    case TypeKind::kString:
      return type.length ? fmt::format("VARCHAR({})", type.length) : std::string("STRING");
    case TypeKind::kBytes:
      return type.length ? fmt::format("VARBINARY({})", type.length) : std::string("BYTES");
    case TypeKind::kDate: return "DATE";
    case TypeKind::kTime: return fmt::format("TIME({})", type.precision);
    case TypeKind::kTimestamp: return fmt::format("TIMESTAMP({})", type.precision);
    case TypeKind::kTimestampLtz: return fmt::format("TIMESTAMP_LTZ({})", type.precision);
    case TypeKind::kIntervalDay: return "INTERVAL DAY TO SECOND";
    case TypeKind::kIntervalMonth: return "INTERVAL YEAR TO MONTH";
  }
  return "?";
}

}  // namespace

std::string to_string(const DataType& type) {
  return type.nullable ? name_of(type) : name_of(type) + " NOT NULL";
}

std::size_t value_width(TypeKind kind) noexcept {
  switch (kind) {
    case TypeKind::kNull:
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt: return 1;
    case TypeKind::kSmallInt: return 2;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kIntervalMonth: return 4;
    case TypeKind::kBigInt:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
    case TypeKind::kIntervalDay: return 8;
    case TypeKind::kDecimal: return sizeof(Int128);
    case TypeKind::kString:
    case TypeKind::kBytes: return 0;
  }
  return 0;
}

std::int64_t timestamp_units_per_second(std::uint8_t precision) noexcept {
  if (precision <= 3) return 1'000;
  return precision <= 6 ? 1'000'000 : 1'000'000'000;
}

std::int64_t timestamp_to_millis(std::int64_t value, std::uint8_t precision) noexcept {
  return floor_div(value, timestamp_units_per_second(precision) / 1'000);
}

Result<std::int64_t> millis_to_timestamp(std::int64_t millis, std::uint8_t precision) {
  std::int64_t value = 0;
  if (__builtin_mul_overflow(millis, timestamp_units_per_second(precision) / 1'000, &value))
    return Error{ErrorCode::kEvaluation,
                 fmt::format("a timestamp of {} ms does not fit TIMESTAMP({})", millis, precision)};
  return value;
}

}  // namespace tidemark
