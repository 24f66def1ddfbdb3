// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tidemark/expr/kernel.h"

// Loops over two fixed-width arguments, of which one may be a scalar. The compiler vectorises each
// of the three shapes by itself, which it would not do with a stride known only at run time.

namespace tidemark {

template <typename T>
struct EachValue {
  const T* values;
  T operator[](std::size_t i) const { return values[i]; }
};

template <typename T>
struct SameValue {
  T value;
  T operator[](std::size_t) const { return value; }
};

/// Calls `loop(a, b)` with readers of the shapes of the arguments. Not both are constant: a call of
/// constants is run for one row.
template <typename T, typename Loop>
decltype(auto) with_shapes(const Vector& a, const Vector& b, Loop&& loop) {
  if (b.constant)
    return loop(EachValue<T>{a.column->values<T>()}, SameValue<T>{b.column->value<T>(0)});
  if (a.constant)
    return loop(SameValue<T>{a.column->value<T>(0)}, EachValue<T>{b.column->values<T>()});
  return loop(EachValue<T>{a.column->values<T>()}, EachValue<T>{b.column->values<T>()});
}

}  // namespace tidemark
