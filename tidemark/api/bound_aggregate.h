// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tidemark/api/state_value.h"
#include "tidemark/data/record.h"

// What aggregates (api/aggregate.h) become for one record type: "bound". A bound aggregate is
// attached to a batch and adds rows of it by number, so that it reads only the columns it needs.
//   Accumulator, Result, kZeroIsEmpty, kMergeable, attach, add, merge, create, result, describe

namespace tidemark::api_detail {

template <typename A>
concept Mergeable = requires(const A& aggregate, typename A::Accumulator& acc,
                             const typename A::Accumulator& other) {
  aggregate.merge(acc, other);
};

// An aggregate that a slice can be taken out of again, exactly, has totals over slices as well:
//   Total (trivially copyable, all zero for none), add_total, subtract_total, total_result
template <typename Bound>
concept HasTotals = requires {
  typename Bound::Total;
};

[[noreturn]] void throw_sum_overflow();

// 128 bits where only 8-byte alignment is promised: room for every sum of 64-bit numbers.
struct WideTotal {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  void add(__int128 value) {
    const __int128 sum =
        static_cast<__int128>((static_cast<unsigned __int128>(high) << 64) | low) + value;
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::int64_t>(sum >> 64);
  }
  std::int64_t narrow() const {
    const auto value = static_cast<std::int64_t>(low);
    if (high != (value < 0 ? -1 : 0)) throw_sum_overflow();
    return value;
  }
};

template <typename V>
struct SumFold {
  static_assert(std::is_arithmetic_v<V> && !std::is_same_v<V, bool>, "sum of numbers");
  static_assert(!std::is_unsigned_v<V> || sizeof(V) < 8,
                "a sum of integers is a std::int64_t, which does not hold every std::uint64_t");
  using Accumulator = std::conditional_t<std::is_floating_point_v<V>, double, std::int64_t>;
  using Result = Accumulator;
  static std::string describe() { return std::is_integral_v<V> ? "SUM(BIGINT)" : "SUM(DOUBLE)"; }

  static void add(Accumulator& sum, Accumulator value) {
    if constexpr (std::is_floating_point_v<V>) {
      sum += value;
    } else {
      Accumulator total = 0;
      if (__builtin_add_overflow(sum, value, &total)) [[unlikely]]
        throw_sum_overflow();
      sum = total;
    }
  }
  static void merge(Accumulator& sum, const Accumulator& other) { add(sum, other); }
  static Result result(const Accumulator& sum) { return sum; }
};

template <typename V>
struct AvgFold {
  static_assert(std::is_arithmetic_v<V> && !std::is_same_v<V, bool>, "average of numbers");
  struct Accumulator {
    double sum;
    std::int64_t count;
  };
  using Result = double;
  static std::string describe() { return "AVG(DOUBLE)"; }

  static void add(Accumulator& acc, V value) {
    acc.sum += static_cast<double>(value);
    ++acc.count;
  }
  static void merge(Accumulator& acc, const Accumulator& other) {
    acc.sum += other.sum;
    acc.count += other.count;
  }
  static Result result(const Accumulator& acc) { return acc.sum / static_cast<double>(acc.count); }
};

// A total order in which NaN is the largest, so that the result does not depend on the rows' order.
template <typename V>
bool less_than(const V& a, const V& b) {
  if constexpr (std::is_floating_point_v<V>) {
    return a < b || (std::isnan(b) && !std::isnan(a));
  } else {
    return a < b;
  }
}

template <typename V>
using OwnedValue = std::conditional_t<std::is_same_v<V, std::string_view>, std::string, V>;

template <typename V>
struct BestSoFar {
  V value{};
  bool seen = false;
  BOOST_DESCRIBE_CLASS(BestSoFar, (), (value, seen), (), ())
};

template <typename V, bool kLargest>
struct ExtremeFold {
  using Owned = OwnedValue<V>;
  using Accumulator = BestSoFar<Owned>;
  using Result = Owned;
  static std::string describe() {
    return std::string(kLargest ? "MAX(" : "MIN(") + to_string(field_type<V>()) + ")";
  }

  template <typename Other>
  static void add(Accumulator& best, const Other& value) {
    if (best.seen &&
        !(kLargest ? less_than<Other>(best.value, value) : less_than<Other>(value, best.value)))
      return;
    best.value = Owned(value);
    best.seen = true;
  }
  static void merge(Accumulator& best, const Accumulator& other) {
    if (other.seen) add(best, other.value);
  }
  static Result result(const Accumulator& best) { return best.value; }
};

template <typename V>
using MinFold = ExtremeFold<V, false>;
template <typename V>
using MaxFold = ExtremeFold<V, true>;

template <typename Inner>
struct PresentOnly {
  Inner inner{};
  bool any = false;
  BOOST_DESCRIBE_CLASS(PresentOnly, (), (inner, any), (), ())
};

// A fold over optional values: NULLs do not count.
template <typename Fold>
struct OptionalFold {
  using Accumulator = PresentOnly<typename Fold::Accumulator>;
  using Result = std::optional<typename Fold::Result>;
  static std::string describe() { return Fold::describe(); }

  template <typename V>
  static void add(Accumulator& acc, const std::optional<V>& value) {
    if (!value) return;
    Fold::add(acc.inner, *value);
    acc.any = true;
  }
  static void merge(Accumulator& acc, const Accumulator& other) {
    if (!other.any) return;
    Fold::merge(acc.inner, other.inner);
    acc.any = true;
  }
  static Result result(const Accumulator& acc) {
    if (!acc.any) return std::nullopt;
    return Fold::result(acc.inner);
  }
};

template <typename V, template <typename> typename Fold>
struct FoldFor {
  using Type = Fold<V>;
};
template <typename V, template <typename> typename Fold>
struct FoldFor<std::optional<V>, Fold> {
  using Type = OptionalFold<Fold<V>>;
};

// Sums of integers have totals.
template <typename Fold>
struct TotalsOf {};
template <typename V>
requires std::is_integral_v<V>
struct TotalsOf<SumFold<V>> {
  using Total = WideTotal;
  static void add_total(Total& total, std::int64_t sum) { total.add(sum); }
  static void subtract_total(Total& total, std::int64_t sum) {
    total.add(-static_cast<__int128>(sum));
  }
  static std::int64_t total_result(const Total& total) { return total.narrow(); }
};

template <typename Input, typename Fold>
class FoldBound : public TotalsOf<Fold> {
 public:
  using Accumulator = typename Fold::Accumulator;
  using Result = typename Fold::Result;
  static constexpr bool kZeroIsEmpty = true;
  static constexpr bool kMergeable = true;

  explicit FoldBound(Input input) : input_(std::move(input)) {}
  void attach(const Batch& batch) { input_.attach(batch); }
  void add(Accumulator& acc, std::size_t row) const { Fold::add(acc, input_.get(row)); }
  void merge(Accumulator& acc, const Accumulator& other) const { Fold::merge(acc, other); }
  Accumulator create() const { return {}; }
  Result result(const Accumulator& acc) const { return Fold::result(acc); }
  std::string describe() const { return Fold::describe(); }

 private:
  Input input_;
};

class CountBound {
 public:
  using Accumulator = std::int64_t;
  using Result = std::int64_t;
  static constexpr bool kZeroIsEmpty = true;
  static constexpr bool kMergeable = true;

  void attach(const Batch&) {}
  void add(Accumulator& count, std::size_t) const { ++count; }
  void merge(Accumulator& count, const Accumulator& other) const { count += other; }
  Accumulator create() const { return 0; }
  Result result(const Accumulator& count) const { return count; }
  std::string describe() const { return "COUNT"; }

  using Total = std::int64_t;
  void add_total(Total& total, const Accumulator& count) const { total += count; }
  void subtract_total(Total& total, const Accumulator& count) const { total -= count; }
  Result total_result(const Total& total) const { return total; }
};

// A program's own aggregate: gets whole rows.
template <typename T, typename A>
class RowBound {
 public:
  using Accumulator = typename A::Accumulator;
  using Result = std::remove_cvref_t<decltype(std::declval<const A&>().result(
      std::declval<const Accumulator&>()))>;
  static constexpr bool kZeroIsEmpty = false;
  static constexpr bool kMergeable = Mergeable<A>;

  explicit RowBound(A aggregate) : aggregate_(std::move(aggregate)) {}
  void attach(const Batch& batch) { reader_.attach(batch); }
  void add(Accumulator& acc, std::size_t row) const { aggregate_.add(acc, reader_.row(row)); }
  void merge(Accumulator& acc, const Accumulator& other) const {
    if constexpr (kMergeable) aggregate_.merge(acc, other);
  }
  Accumulator create() const { return aggregate_.create(); }
  Result result(const Accumulator& acc) const { return aggregate_.result(acc); }
  std::string describe() const {
    if constexpr (Record<Accumulator>) {
      return "accumulator " + to_string(*schema_of<Accumulator>());
    } else {
      return "accumulator of " + std::to_string(sizeof(Accumulator)) + " bytes";
    }
  }

 private:
  A aggregate_;
  RecordReader<T> reader_;
};

template <typename T, typename F>
class ReduceBound {
 public:
  using Accumulator = BestSoFar<T>;
  using Result = T;
  static constexpr bool kZeroIsEmpty = true;
  static constexpr bool kMergeable = true;

  explicit ReduceBound(F reduce) : reduce_(std::move(reduce)) {}
  void attach(const Batch& batch) { reader_.attach(batch); }
  void add(Accumulator& acc, std::size_t row) const { add_value(acc, reader_.row(row)); }
  void merge(Accumulator& acc, const Accumulator& other) const {
    if (other.seen) add_value(acc, other.value);
  }
  Accumulator create() const { return {}; }
  Result result(const Accumulator& acc) const { return acc.value; }
  std::string describe() const { return "REDUCE" + to_string(*schema_of<T>()); }

 private:
  void add_value(Accumulator& acc, const T& value) const {
    acc.value = acc.seen ? T(std::invoke(reduce_, std::as_const(acc.value), value)) : value;
    acc.seen = true;
  }

  F reduce_;
  RecordReader<T> reader_;
};

// ---- Several at once ----

template <typename... Parts>
struct Pack;
template <>
struct Pack<> {
  BOOST_DESCRIBE_CLASS(Pack, (), (), (), ())
};
template <typename First, typename... Rest>
struct Pack<First, Rest...> {
  First first{};
  Pack<Rest...> rest{};
  BOOST_DESCRIBE_CLASS(Pack, (), (first, rest), (), ())
};

template <std::size_t kIndex, typename P>
auto& part(P& pack) {
  if constexpr (kIndex == 0) {
    return pack.first;
  } else {
    return part<kIndex - 1>(pack.rest);
  }
}

// Aggregates that all have totals have them together.
template <typename... Bounds>
struct CombinedTotals {};
template <typename... Bounds>
requires(HasTotals<Bounds>&&...) struct CombinedTotals<Bounds...> {
  using Total = Pack<typename Bounds::Total...>;
};

template <typename S, typename... Bounds>
class CombinedBound : public CombinedTotals<Bounds...> {
 public:
  using Accumulator = Pack<typename Bounds::Accumulator...>;
  using Result = std::conditional_t<std::is_void_v<S>, std::tuple<typename Bounds::Result...>, S>;
  static constexpr bool kZeroIsEmpty = (Bounds::kZeroIsEmpty && ...);
  static constexpr bool kMergeable = (Bounds::kMergeable && ...);

  explicit CombinedBound(Bounds... bounds) : bounds_(std::move(bounds)...) {}
  void attach(const Batch& batch) {
    std::apply([&](auto&... bound) { (bound.attach(batch), ...); }, bounds_);
  }
  void add(Accumulator& acc, std::size_t row) const {
    each([&]<std::size_t kIndex>() { std::get<kIndex>(bounds_).add(part<kIndex>(acc), row); });
  }
  void merge(Accumulator& acc, const Accumulator& other) const {
    each([&]<std::size_t kIndex>() {
      std::get<kIndex>(bounds_).merge(part<kIndex>(acc), part<kIndex>(other));
    });
  }
  Accumulator create() const {
    Accumulator acc{};
    each([&]<std::size_t kIndex>() { part<kIndex>(acc) = std::get<kIndex>(bounds_).create(); });
    return acc;
  }
  Result result(const Accumulator& acc) const {
    return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      return Result{std::get<kIndex>(bounds_).result(part<kIndex>(acc))...};
    }
    (std::index_sequence_for<Bounds...>{});
  }
  void add_total(auto& total, const Accumulator& acc) const {
    each([&]<std::size_t kIndex>() {
      std::get<kIndex>(bounds_).add_total(part<kIndex>(total), part<kIndex>(acc));
    });
  }
  void subtract_total(auto& total, const Accumulator& acc) const {
    each([&]<std::size_t kIndex>() {
      std::get<kIndex>(bounds_).subtract_total(part<kIndex>(total), part<kIndex>(acc));
    });
  }
  Result total_result(const auto& total) const {
    return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      return Result{std::get<kIndex>(bounds_).total_result(part<kIndex>(total))...};
    }
    (std::index_sequence_for<Bounds...>{});
  }
  std::string describe() const {
    std::string text;
    std::apply(
        [&](const auto&... bound) {
          ((text += (text.empty() ? "" : ", ") + bound.describe()), ...);
        },
        bounds_);
    return text;
  }

 private:
  template <typename Visitor>
  static void each(Visitor&& visitor) {
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      (visitor.template operator()<kIndex>(), ...);
    }
    (std::index_sequence_for<Bounds...>{});
  }

  std::tuple<Bounds...> bounds_;
};

}  // namespace tidemark::api_detail
