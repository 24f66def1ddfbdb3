// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/base/result.h"
#include "tidemark/data/batch.h"
#include "tidemark/expr/evaluator.h"

namespace tidemark {

/// The total of an aggregate over several groups, from which a group can be taken out again as if
/// it had never been added: what a sliding window keeps from one firing to the next. Only of
/// aggregates over whole numbers and decimals, where that is exact; a float that was subtracted is
/// not gone. A total is `width()` plain bytes, 8-byte aligned, all zero for no groups. It cannot
/// overflow: what does not fit the result shows in finish(). Calls are by the batch; `totals` do
/// not repeat.
class SlidingAggregate {
 public:
  virtual ~SlidingAggregate() = default;

  virtual std::size_t width() const = 0;
  /// Adds the accumulator at groups[i] + group_offset to the total at totals[i] + offset.
  virtual void add(std::span<std::byte* const> totals, std::size_t offset,
                   std::span<const std::byte* const> groups, std::size_t group_offset) const = 0;
  virtual void subtract(std::span<std::byte* const> totals, std::size_t offset,
                        std::span<const std::byte* const> groups,
                        std::size_t group_offset) const = 0;
  /// As AggregateFunction::finish of all groups merged.
  virtual void finish(std::span<const std::byte* const> totals, std::size_t offset,
                      ColumnBuilder& out, EvaluationContext& context) const = 0;
};

/// An aggregate function over typed columns: COUNT, SUM, MIN, MAX, AVG, and those with DISTINCT.
/// Its accumulator is `width()` bytes inside a state entry, all zero for the empty group, 8-byte
/// aligned. Calls are by the batch. Immutable, shared by all tasks of a process.
class AggregateFunction {
 public:
  virtual ~AggregateFunction() = default;

  virtual DataType result_type() const = 0;
  virtual std::size_t width() const = 0;

  /// Whether an accumulator is plain bytes: copied by memcpy, and needs neither destroy nor
  /// encode. When false (MIN of a STRING, DISTINCT) it owns memory.
  virtual bool is_plain() const = 0;
  virtual void destroy(std::byte* accumulator) const noexcept = 0;
  virtual void encode(const std::byte* accumulator, ByteWriter& out) const = 0;
  /// `accumulator` is zero before.
  virtual void decode(ByteReader& in, std::byte* accumulator) const = 0;

  /// Adds row rows[i] of `argument` (nullptr for COUNT(*)) to the accumulator at
  /// entries[i] + offset. Equal entries may repeat. Rows whose addition overflows are reported in
  /// `context.errors` by their row number and leave the accumulator as it was.
  virtual void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
                      std::size_t offset, EvaluationContext& context) const = 0;

  /// Adds a group's other part: slices into a window, local into global.
  virtual Status merge(std::byte* accumulator, const std::byte* other) const = 0;

  /// merge() by the batch: others[i] + offset into into[i] + offset. `into` does not repeat.
  virtual Status merge_all(std::span<std::byte* const> into,
                           std::span<const std::byte* const> others, std::size_t offset) const {
    for (std::size_t i = 0; i < into.size(); ++i)
      TIDEMARK_TRY(merge(into[i] + offset, others[i] + offset));
    return {};
  }
  /// nullptr when a group cannot be taken out of a total.
  virtual const SlidingAggregate* sliding() const { return nullptr; }

  /// Appends each accumulator's result to `out`, whose type is result_type(). An entry whose result
  /// does not fit gets NULL and an entry in `context.errors` by its index.
  virtual void finish(std::span<const std::byte* const> entries, std::size_t offset,
                      ColumnBuilder& out, EvaluationContext& context) const = 0;
};

using AggregateFunctionPtr = std::shared_ptr<const AggregateFunction>;

/// Resolves COUNT (no argument is COUNT(*)), SUM, MIN, MAX, AVG and their kin. Result types are
/// Flink's, except that SUM of integers is BIGINT and checked (docs/flink_differences.md).
Result<AggregateFunctionPtr> resolve_aggregate(std::string_view name, bool distinct,
                                               std::span<const DataType> arguments);

bool is_aggregate_function(std::string_view name);
std::vector<std::string> aggregate_function_names();

/// One aggregate of a GROUP BY: SUM(price) FILTER (WHERE side = 'buy'). Columns index the input.
struct AggregateCall {
  std::string function;
  bool distinct = false;
  std::vector<std::size_t> arguments;  // empty for COUNT(*)
  std::optional<std::size_t> filter;   // BOOLEAN column: only rows where it is TRUE count
  std::string name;                    // of the output column
};

}  // namespace tidemark
