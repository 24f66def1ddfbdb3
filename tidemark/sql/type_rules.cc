// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/type_rules.h"

namespace tidemark::sql {

bool can_store(const DataType& from, const DataType& to) {
  if (from.kind == to.kind || from.kind == TypeKind::kNull) return true;
  switch (to.kind) {
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return is_integer(from.kind) && from.kind < to.kind;
    case TypeKind::kFloat: return is_integer(from.kind) || from.kind == TypeKind::kDecimal;
    case TypeKind::kDouble:
    case TypeKind::kDecimal: return is_numeric(from.kind);
    case TypeKind::kDate:
    case TypeKind::kTime: return from.kind == TypeKind::kTimestamp;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return is_timestamp(from.kind);
    default: return false;
  }
}

}  // namespace tidemark::sql
