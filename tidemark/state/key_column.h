// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/data/decimal.h"
#include "tidemark/data/type.h"

// How one fixed-width key column is read and written; shared by the two halves of KeyCodec.

namespace tidemark {

/// Equal numbers must have equal bytes: -0.0 = 0.0, and SQL's GROUP BY puts all NaN in one group.
template <typename T>
T canonical_key_value(T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
    return value == T{0} ? T{0} : value;
  } else {
    return value;
  }
}

/// Calls `use` with a null pointer of the C++ type that holds the kind's values in a column.
template <typename Use>
void with_key_type(TypeKind kind, Use&& use) {
  if (kind == TypeKind::kFloat) return use(static_cast<float*>(nullptr));
  if (kind == TypeKind::kDouble) return use(static_cast<double*>(nullptr));
  switch (value_width(kind)) {
    case 1: return use(static_cast<std::uint8_t*>(nullptr));
    case 2: return use(static_cast<std::uint16_t*>(nullptr));
    case 4: return use(static_cast<std::uint32_t*>(nullptr));
    case 8: return use(static_cast<std::uint64_t*>(nullptr));
    case 16: return use(static_cast<Int128*>(nullptr));
    default: TIDEMARK_CHECK(false, "a fixed-width type");
  }
}

}  // namespace tidemark
