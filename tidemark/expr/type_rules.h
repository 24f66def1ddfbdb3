// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tidemark/data/type.h"

// Which types mix, and what comes out: Flink's LogicalTypeMerging and LogicalTypeCasts.

namespace tidemark {

/// As common_type(), without the words of an error.
std::optional<DataType> merged_type(const DataType& a, const DataType& b);

/// The DECIMAL that holds every value of an integer or DECIMAL type.
DataType decimal_for(const DataType& type);

/// DECIMAL(precision, scale) brought within 38 digits: integral digits are kept, and the scale is
/// reduced, but not below min(scale, 6).
DataType adjusted_decimal(int precision, int scale);

/// Result types of arithmetic on two DECIMALs. `operation` is one of + - * / %.
DataType decimal_result(char operation, const DataType& a, const DataType& b);

/// Whether SQL has a cast between the types (for some values it may still fail).
bool can_cast(TypeKind from, TypeKind to);
/// How a user gets from one to the other when CAST is refused; empty when there is no way.
std::string_view cast_alternative(TypeKind from, TypeKind to);

/// Whether values of the type have an order and can be compared with < (every type but NULL).
bool is_comparable(TypeKind kind);
inline bool is_interval(TypeKind kind) {
  return kind == TypeKind::kIntervalDay || kind == TypeKind::kIntervalMonth;
}
inline bool is_temporal(TypeKind kind) {
  return kind == TypeKind::kDate || kind == TypeKind::kTime || is_timestamp(kind);
}

}  // namespace tidemark
