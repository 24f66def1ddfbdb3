// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "tidemark/api/aggregate.h"

namespace tidemark::api_detail {

/// What every stream of windows aggregates to. Stream has add_window(spec), which adds the
/// operator.
template <typename Stream>
class WindowMethods {
 public:
  /// One result a key and window. `aggregate` is a ready one (api/aggregate.h) or a program's own.
  template <typename Aggregate>
  auto aggregate(const Aggregate& aggregate) const {
    return self().add_window(aggregate);
  }
  /// Folds rows with f(const T&, const T&) -> T, from the first of each window on.
  template <typename F>
  auto reduce(F f) const {
    return self().add_window(ReduceSpec<F>{std::move(f)});
  }
  auto count() const { return self().add_window(tidemark::count()); }
  template <typename Projection>
  auto sum(Projection projection) const {
    return self().add_window(tidemark::sum(std::move(projection)));
  }
  template <typename Projection>
  auto min(Projection projection) const {
    return self().add_window(tidemark::min(std::move(projection)));
  }
  template <typename Projection>
  auto max(Projection projection) const {
    return self().add_window(tidemark::max(std::move(projection)));
  }
  template <typename Projection>
  auto avg(Projection projection) const {
    return self().add_window(tidemark::avg(std::move(projection)));
  }

 private:
  const Stream& self() const { return static_cast<const Stream&>(*this); }
};

}  // namespace tidemark::api_detail
