// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/data/type.h"

namespace tidemark::sql {

/// Whether INSERT casts a value of type `from` to a column of type `to` by itself (Flink's
/// LogicalTypeCasts, implicit). Nullability and lengths do not matter.
bool can_store(const DataType& from, const DataType& to);

}  // namespace tidemark::sql
