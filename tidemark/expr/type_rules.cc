// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/type_rules.h"

#include <algorithm>

#include "tidemark/data/decimal.h"

namespace tidemark {
namespace {

std::optional<DataType> merged_numeric(const DataType& a, const DataType& b) {
  if (a.kind == TypeKind::kDecimal || b.kind == TypeKind::kDecimal) {
    if (is_floating(a.kind) || is_floating(b.kind)) return DataType::float64();
    const DataType left = decimal_for(a);
    const DataType right = decimal_for(b);
    const int scale = std::max(left.scale, right.scale);
    const int integral = std::max(left.precision - left.scale, right.precision - right.scale);
    return adjusted_decimal(integral + scale, scale);
  }
  // Kinds are numbered from narrow to wide, and FLOAT absorbs every integer.
  return DataType{.kind = std::max(a.kind, b.kind)};
}

std::optional<DataType> merged_same_kind(const DataType& a, const DataType& b) {
  DataType merged = a;
  merged.precision = std::max(a.precision, b.precision);
  merged.length = a.length == 0 || b.length == 0 ? 0 : std::max(a.length, b.length);
  return merged;
}

}  // namespace

std::optional<DataType> merged_type(const DataType& a, const DataType& b) {
  const bool nullable = a.nullable || b.nullable;
  if (a.kind == TypeKind::kNull) return b.with_nullable(true);
  if (b.kind == TypeKind::kNull) return a.with_nullable(true);
  std::optional<DataType> merged;
  if (is_numeric(a.kind) && is_numeric(b.kind)) {
    merged = merged_numeric(a, b);
  } else if (a.kind == b.kind) {
    merged = merged_same_kind(a, b);
  } else {
    const DataType& low = a.kind < b.kind ? a : b;
    const DataType& high = a.kind < b.kind ? b : a;
    if (low.kind == TypeKind::kDate && is_timestamp(high.kind)) merged = high;
    if (low.kind == TypeKind::kTimestamp && high.kind == TypeKind::kTimestampLtz)
      merged = DataType::timestamp_ltz(std::max(low.precision, high.precision));
  }
  if (merged) merged->nullable = nullable;
  return merged;
}

DataType decimal_for(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kTinyInt: return DataType::decimal(3, 0);
    case TypeKind::kSmallInt: return DataType::decimal(5, 0);
    case TypeKind::kInt: return DataType::decimal(10, 0);
    case TypeKind::kBigInt: return DataType::decimal(19, 0);
    default: return DataType::decimal(type.precision, type.scale);
  }
}

DataType adjusted_decimal(int precision, int scale) {
  if (precision > kMaxDecimalPrecision) {
    const int integral = precision - scale;
    scale = std::max(kMaxDecimalPrecision - integral, std::min(scale, 6));
    precision = kMaxDecimalPrecision;
  }
  return DataType::decimal(static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale));
}

DataType decimal_result(char operation, const DataType& a, const DataType& b) {
  const int p1 = a.precision;
  const int s1 = a.scale;
  const int p2 = b.precision;
  const int s2 = b.scale;
  switch (operation) {
    case '*': return adjusted_decimal(p1 + p2 + 1, s1 + s2);
    case '/': {
      const int scale = std::max(6, s1 + p2 + 1);
      return adjusted_decimal(p1 - s1 + s2 + scale, scale);
    }
    case '%': {
      const int scale = std::max(s1, s2);
      return adjusted_decimal(std::min(p1 - s1, p2 - s2) + scale, scale);
    }
    default: {
      const int scale = std::max(s1, s2);
      return adjusted_decimal(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
    }
  }
}

bool can_cast(TypeKind from, TypeKind to) {
  if (from == to || from == TypeKind::kNull) return true;
  if (to == TypeKind::kNull) return false;
  if (to == TypeKind::kString || from == TypeKind::kString) return true;
  if (from == TypeKind::kBytes || to == TypeKind::kBytes) return false;
  const bool from_number = is_numeric(from);
  const bool to_number = is_numeric(to);
  if (from_number && to_number) return true;
  if (from == TypeKind::kBoolean) return to_number;
  if (to == TypeKind::kBoolean) return from_number;
  if (is_interval(from)) return is_integer(to);
  if (is_interval(to)) return is_integer(from);
  if (from_number || to_number) return false;
  // What is left is DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ among each other.
  if (to == TypeKind::kTime) return is_timestamp(from);
  return from != TypeKind::kTime;
}

std::string_view cast_alternative(TypeKind from, TypeKind to) {
  if (is_numeric(from) && is_timestamp(to)) return "use TO_TIMESTAMP_LTZ(number, 0 or 3)";
  if (is_numeric(from) && to == TypeKind::kDate) return "use TO_DATE(FROM_UNIXTIME(number))";
  if (is_timestamp(from) && is_numeric(to)) return "use UNIX_TIMESTAMP or TIMESTAMPDIFF";
  if (from == TypeKind::kDate && is_numeric(to)) return "use EXTRACT or TIMESTAMPDIFF";
  return {};
}

bool is_comparable(TypeKind kind) {
  return kind != TypeKind::kNull;
}

}  // namespace tidemark
