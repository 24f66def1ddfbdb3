// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tidemark/api/bound_aggregate.h"
#include "tidemark/api/projection.h"
#include "tidemark/api/state_value.h"
#include "tidemark/data/record.h"

// Aggregates of windows. Ready ones:
//   count()                       std::int64_t
//   sum(&R::value), sum(f)        std::int64_t for integers (checked), double for float and double
//   min(...), max(...)            the value's type (std::string for strings); NaN is the largest
//   avg(...)                      double
//   combine(a, b, ...)            std::tuple of the results
//   combine<S>(a, b, ...)         S{result of a, result of b, ...}
// Over std::optional values NULLs do not count, and the result is std::nullopt when there was no
// other. A program's own aggregate is a class like this:
//   struct Span {
//     struct Accumulator { double low, high; };
//     Accumulator create() const { return {INFINITY, -INFINITY}; }
//     void add(Accumulator& acc, const Reading& row) const { ... }
//     double result(const Accumulator& acc) const { return acc.high - acc.low; }
//     void merge(Accumulator& acc, const Accumulator& other) const { ... }  // only for slices
//   };

namespace tidemark {

/// A program's own aggregate over rows of T. The accumulator is kept in state and in snapshots, so
/// it must be trivially copyable, or a described struct of what can be encoded (numbers, strings,
/// vectors, optionals), or have `void encode(ByteWriter&) const` and `static A
/// decode(ByteReader&)`. It must own what it refers to: no std::string_view, no pointer. Called by
/// the task's thread, on a copy of the aggregate for each subtask.
template <typename A, typename T>
concept AggregateOf = requires(const A& aggregate, typename A::Accumulator& acc,
                               const typename A::Accumulator& other, const T& row) {
  { aggregate.create() } -> std::convertible_to<typename A::Accumulator>;
  aggregate.add(acc, row);
  aggregate.result(other);
};

namespace api_detail {

// What a program writes, before the record type is known.

struct CountSpec {
  template <Record T>
  auto bind() const {
    return CountBound();
  }
};

template <typename Projection, template <typename> typename Fold>
struct FoldSpec {
  Projection projection;
  template <Record T>
  auto bind() const {
    auto input = make_input<T>(projection);
    using Input = decltype(input);
    return FoldBound<Input, typename FoldFor<typename Input::Value, Fold>::Type>(std::move(input));
  }
};

template <typename S, typename... Specs>
struct CombinedSpec;

template <Record T, typename Spec>
auto bind_aggregate(const Spec& spec) {
  if constexpr (requires { spec.template bind<T>(); }) {
    return spec.template bind<T>();
  } else {
    static_assert(
        AggregateOf<Spec, T>,
        "an aggregate needs `Accumulator`, `create() const`, `add(Accumulator&, const T&) "
        "const` and `result(const Accumulator&) const`");
    return RowBound<T, Spec>(spec);
  }
}

template <typename S, typename... Specs>
struct CombinedSpec {
  std::tuple<Specs...> specs;
  template <Record T>
  auto bind() const {
    return std::apply(
        [](const auto&... spec) {
          return CombinedBound<S, decltype(bind_aggregate<T>(spec))...>(bind_aggregate<T>(spec)...);
        },
        specs);
  }
};

template <typename F>
struct ReduceSpec {
  F reduce;
  template <Record T>
  auto bind() const {
    static_assert(!holds_view<T>(),
                  "a reduced row is kept in state, so it must own its strings: use std::string");
    static_assert(std::is_invocable_r_v<T, const F&, const T&, const T&>,
                  "reduce takes a function (const T&, const T&) -> T");
    return ReduceBound<T, F>(reduce);
  }
};

}  // namespace api_detail

/// Number of rows.
inline api_detail::CountSpec count() {
  return {};
}
/// Sum of a member, or of what a function of the row returns. A sum of integers is checked: beyond
/// 64 bits the job fails.
template <typename Projection>
auto sum(Projection projection) {
  return api_detail::FoldSpec<Projection, api_detail::SumFold>{std::move(projection)};
}
template <typename Projection>
auto min(Projection projection) {
  return api_detail::FoldSpec<Projection, api_detail::MinFold>{std::move(projection)};
}
template <typename Projection>
auto max(Projection projection) {
  return api_detail::FoldSpec<Projection, api_detail::MaxFold>{std::move(projection)};
}
template <typename Projection>
auto avg(Projection projection) {
  return api_detail::FoldSpec<Projection, api_detail::AvgFold>{std::move(projection)};
}
/// Several aggregates over the same windows; the result is a std::tuple, or S made from the results
/// in order.
template <typename S = void, typename... Aggregates>
auto combine(Aggregates... aggregates) {
  static_assert(sizeof...(Aggregates) > 0, "combine at least one aggregate");
  return api_detail::CombinedSpec<S, Aggregates...>{{std::move(aggregates)...}};
}

}  // namespace tidemark
