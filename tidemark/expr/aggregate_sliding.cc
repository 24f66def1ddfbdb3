// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/decimal.h"
#include "tidemark/expr/aggregate_kernel.h"

// Totals of COUNT, SUM and AVG over several groups.

namespace tidemark {
namespace {

template <typename T>
T& at(std::byte* address) {
  return *reinterpret_cast<T*>(address);
}
template <typename T>
const T& at(const std::byte* address) {
  return *reinterpret_cast<const T*>(address);
}

class SlidingCount final : public SlidingAggregate {
 public:
  std::size_t width() const override { return sizeof(CountAccumulator); }
  void add(std::span<std::byte* const> totals, std::size_t offset,
           std::span<const std::byte* const> groups, std::size_t group_offset) const override {
    for (std::size_t i = 0; i < totals.size(); ++i)
      at<CountAccumulator>(totals[i] + offset).count +=
          at<CountAccumulator>(groups[i] + group_offset).count;
  }
  void subtract(std::span<std::byte* const> totals, std::size_t offset,
                std::span<const std::byte* const> groups, std::size_t group_offset) const override {
    for (std::size_t i = 0; i < totals.size(); ++i)
      at<CountAccumulator>(totals[i] + offset).count -=
          at<CountAccumulator>(groups[i] + group_offset).count;
  }
  void finish(std::span<const std::byte* const> totals, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    std::int64_t* values = out.extend<std::int64_t>(totals.size());
    for (std::size_t i = 0; i < totals.size(); ++i)
      values[i] = at<CountAccumulator>(totals[i] + offset).count;
  }
};

// 128 bits hold a sum of so many 64-bit numbers as there can be.
struct Total128 {
  Wide128 sum;
  std::int64_t count;

  void add(std::int64_t value) { sum.set(sum.get() + value); }
  void subtract(std::int64_t value) { sum.set(sum.get() - value); }
  bool fits(std::int64_t& value) const {
    value = static_cast<std::int64_t>(sum.get());
    return value == sum.get();
  }
};

// And 192 bits one of 128-bit numbers.
struct Total192 {
  Wide128 low;
  std::int64_t high;
  std::int64_t count;

  void add(const Wide128& value) {
    const auto before = static_cast<unsigned __int128>(low.get());
    const unsigned __int128 after = before + static_cast<unsigned __int128>(value.get());
    low.set(static_cast<__int128>(after));
    high += (after < before ? 1 : 0) + (value.high < 0 ? -1 : 0);
  }
  void subtract(const Wide128& value) {
    const auto before = static_cast<unsigned __int128>(low.get());
    const unsigned __int128 after = before - static_cast<unsigned __int128>(value.get());
    low.set(static_cast<__int128>(after));
    high -= (after > before ? 1 : 0) + (value.high < 0 ? -1 : 0);
  }
  bool fits(Wide128& value) const {
    value = low;
    return high == (low.high < 0 ? -1 : 0) && decimal_add(low.get(), 0);  // 38 digits
  }
};

template <typename Part>
struct TotalOf {
  using Type = Total128;
};
template <>
struct TotalOf<Wide128> {
  using Type = Total192;
};

template <typename Part>
class SlidingSum final : public SlidingAggregate {
  using Total = typename TotalOf<Part>::Type;
  using Accumulator = SumAccumulator<Part>;

 public:
  explicit SlidingSum(const AggregateFunction& function) : function_(function) {}

  std::size_t width() const override { return sizeof(Total); }
  void add(std::span<std::byte* const> totals, std::size_t offset,
           std::span<const std::byte* const> groups, std::size_t group_offset) const override {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      auto& total = at<Total>(totals[i] + offset);
      const auto& group = at<Accumulator>(groups[i] + group_offset);
      total.add(group.total);
      total.count += group.count;
    }
  }
  void subtract(std::span<std::byte* const> totals, std::size_t offset,
                std::span<const std::byte* const> groups, std::size_t group_offset) const override {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      auto& total = at<Total>(totals[i] + offset);
      const auto& group = at<Accumulator>(groups[i] + group_offset);
      total.subtract(group.total);
      total.count -= group.count;
    }
  }

  // As the function itself says it, of accumulators that hold the totals.
  void finish(std::span<const std::byte* const> totals, std::size_t offset, ColumnBuilder& out,
              EvaluationContext& context) const override {
    std::vector<Accumulator> narrow(totals.size());
    std::vector<const std::byte*> pointers(totals.size());
    std::vector<std::size_t> too_large;
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const auto& total = at<Total>(totals[i] + offset);
      if (!total.fits(narrow[i].total)) too_large.push_back(i);
      narrow[i].count = total.count;
      pointers[i] = reinterpret_cast<const std::byte*>(&narrow[i]);
    }
    if (too_large.empty()) return function_.finish(pointers, 0, out, context);
    finish_without(too_large, pointers, out, context);
  }

 private:
  void finish_without(const std::vector<std::size_t>& too_large,
                      std::span<const std::byte* const> pointers, ColumnBuilder& out,
                      EvaluationContext& context) const {
    RowErrors errors(context);
    std::size_t done = 0;
    const auto finish_until = [&](std::size_t end) {
      EvaluationContext part;
      function_.finish(pointers.subspan(done, end - done), 0, out, part);
      for (const RowError& error : part.errors) errors.add(done + error.row, error.message);
      done = end;
    };
    for (const std::size_t i : too_large) {
      finish_until(i);
      out.append_null();
      errors.add(i, to_string(function_.result_type().with_nullable(true)) + " overflow in SUM");
      ++done;
    }
    finish_until(pointers.size());
  }

  const AggregateFunction& function_;
};

}  // namespace

std::unique_ptr<const SlidingAggregate> make_sliding_count() {
  return std::make_unique<const SlidingCount>();
}

template <typename Part>
std::unique_ptr<const SlidingAggregate> make_sliding_sum(const AggregateFunction& function) {
  return std::make_unique<const SlidingSum<Part>>(function);
}

template std::unique_ptr<const SlidingAggregate> make_sliding_sum<std::int64_t>(
    const AggregateFunction&);
template std::unique_ptr<const SlidingAggregate> make_sliding_sum<Wide128>(
    const AggregateFunction&);

}  // namespace tidemark
