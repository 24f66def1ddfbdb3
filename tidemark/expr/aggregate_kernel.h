// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>

#include "tidemark/expr/aggregate.h"
#include "tidemark/expr/row_errors.h"

// What the aggregate functions share. An accumulator is a struct of plain numbers, encoded in
// snapshots as its bytes in memory (little-endian), unless it owns memory.

namespace tidemark {

/// Calls `add(row, accumulator)` for each row whose argument is not NULL.
template <typename Accumulator, typename Add>
void for_each_value(const Column& argument, Selection rows, std::span<std::byte* const> entries,
                    std::size_t offset, Add&& add) {
  const std::uint8_t* valid = argument.validity_bits();
  if (valid == nullptr) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      add(rows[i], *reinterpret_cast<Accumulator*>(entries[i] + offset));
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (bit_is_set(valid, rows[i]))
      add(rows[i], *reinterpret_cast<Accumulator*>(entries[i] + offset));
}

/// Collects the rows that could not be added and hands them to the context once.
class RowErrors {
 public:
  explicit RowErrors(EvaluationContext& context) : context_(context) {}
  ~RowErrors() {
    if (errors_.empty()) return;
    sort_row_errors(errors_);
    merge_row_errors(context_.errors, std::move(errors_));
  }
  RowErrors(const RowErrors&) = delete;
  RowErrors& operator=(const RowErrors&) = delete;

  void add(std::size_t row, std::string message) {
    errors_.push_back({static_cast<RowIndex>(row), std::move(message)});
  }

 private:
  EvaluationContext& context_;
  std::vector<RowError> errors_;
};

/// An aggregate whose accumulator is plain bytes.
template <typename Accumulator>
class PlainAggregate : public AggregateFunction {
  static_assert(std::is_trivially_copyable_v<Accumulator> && alignof(Accumulator) <= 8 &&
                sizeof(Accumulator) % 8 == 0);

 public:
  explicit PlainAggregate(DataType result) : result_(result) {}

  DataType result_type() const final { return result_; }
  std::size_t width() const final { return sizeof(Accumulator); }
  bool is_plain() const final { return true; }
  void destroy(std::byte*) const noexcept final {}
  void encode(const std::byte* accumulator, ByteWriter& out) const final {
    out.put_raw({reinterpret_cast<const char*>(accumulator), sizeof(Accumulator)});
  }
  void decode(ByteReader& in, std::byte* accumulator) const final {
    std::memcpy(accumulator, in.get_raw(sizeof(Accumulator)).data(), sizeof(Accumulator));
  }

 protected:
  static const Accumulator& at(const std::byte* accumulator) {
    return *reinterpret_cast<const Accumulator*>(accumulator);
  }
  static Accumulator& at(std::byte* accumulator) {
    return *reinterpret_cast<Accumulator*>(accumulator);
  }
  const DataType result_;
};

/// 128 bits where only 8-byte alignment is promised.
struct Wide128 {
  std::uint64_t low;
  std::int64_t high;

  __int128 get() const {
    return static_cast<__int128>((static_cast<unsigned __int128>(high) << 64) | low);
  }
  void set(__int128 value) {
    low = static_cast<std::uint64_t>(value);
    high = static_cast<std::int64_t>(value >> 64);
  }
};

struct CountAccumulator {
  std::int64_t count;
};

/// `count` values were added; none gives NULL.
template <typename Total>
struct SumAccumulator {
  Total total;
  std::int64_t count;
};

/// Totals (aggregate_sliding.cc) of COUNT, and of a function whose accumulator is a
/// SumAccumulator<Part>, Part one of std::int64_t and Wide128. The function outlives it.
std::unique_ptr<const SlidingAggregate> make_sliding_count();
template <typename Part>
std::unique_ptr<const SlidingAggregate> make_sliding_sum(const AggregateFunction& function);

/// The rows of the aggregate functions in docs/functions.md.
std::string aggregate_reference();

Result<AggregateFunctionPtr> make_count(std::span<const DataType> arguments);
Result<AggregateFunctionPtr> make_sum(const DataType& argument);
Result<AggregateFunctionPtr> make_average(const DataType& argument);
Result<AggregateFunctionPtr> make_variance(std::string_view name, const DataType& argument);

/// Which value of a group an aggregate keeps.
enum class Keep : std::uint8_t { kMin, kMax, kFirst, kLast };
Result<AggregateFunctionPtr> make_keeper(Keep keep, const DataType& argument);
Result<AggregateFunctionPtr> make_list(const DataType& argument);

/// `inner` over the different values of its argument.
Result<AggregateFunctionPtr> make_distinct(AggregateFunctionPtr inner, const DataType& argument);

}  // namespace tidemark
