// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "tidemark/data/decimal.h"
#include "tidemark/expr/aggregate_kernel.h"

// COUNT, SUM, AVG and the variances.

namespace tidemark {
namespace {

class Count final : public PlainAggregate<CountAccumulator> {
 public:
  Count() : PlainAggregate(DataType::big_int().with_nullable(false)) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    if (argument == nullptr || !argument->has_nulls()) {
      for (std::byte* entry : entries) ++at(entry + offset).count;
      return;
    }
    for_each_value<CountAccumulator>(*argument, rows, entries, offset,
                                     [](RowIndex, CountAccumulator& acc) { ++acc.count; });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    at(accumulator).count += at(other).count;
    return {};
  }
  const SlidingAggregate* sliding() const override { return sliding_.get(); }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    std::int64_t* values = out.extend<std::int64_t>(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) values[i] = at(entries[i] + offset).count;
  }

 private:
  std::unique_ptr<const SlidingAggregate> sliding_ = make_sliding_count();
};

// An aggregate of sums that are exact, so that a part can be taken out of them again.
template <typename Total>
class ExactSum : public PlainAggregate<SumAccumulator<Total>> {
 public:
  explicit ExactSum(DataType result) : PlainAggregate<SumAccumulator<Total>>(result) {}
  const SlidingAggregate* sliding() const final { return sliding_.get(); }

 private:
  std::unique_ptr<const SlidingAggregate> sliding_ = make_sliding_sum<Total>(*this);
};

Error overflow(const DataType& type) {
  return Error{ErrorCode::kEvaluation,
               fmt::format("{} overflow in SUM", to_string(type.with_nullable(true)))};
}

// Integers, in 64 bits and checked.
template <typename T>
class IntegerSum final : public ExactSum<std::int64_t> {
  using Accumulator = SumAccumulator<std::int64_t>;
  using Base = ExactSum<std::int64_t>;

 public:
  explicit IntegerSum(DataType result) : Base(result) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext& context) const override {
    const T* values = argument->values<T>();
    RowErrors errors(context);
    for_each_value<Accumulator>(
        *argument, rows, entries, offset, [&](RowIndex row, Accumulator& acc) {
          std::int64_t sum = 0;
          if (__builtin_add_overflow(acc.total, values[row], &sum)) [[unlikely]] {
            errors.add(row, overflow(result_).message);
            return;
          }
          acc.total = sum;
          ++acc.count;
        });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    Accumulator& acc = at(accumulator);
    std::int64_t sum = 0;
    if (__builtin_add_overflow(acc.total, at(other).total, &sum)) return overflow(result_);
    acc.total = sum;
    acc.count += at(other).count;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    for (const std::byte* entry : entries) {
      const Accumulator& acc = at(entry + offset);
      if (acc.count == 0) {
        out.append_null();
      } else {
        out.append(acc.total);
      }
    }
  }
};

// FLOAT and DOUBLE, in DOUBLE; the sum, or the average.
template <typename T>
class RealSum final : public PlainAggregate<SumAccumulator<double>> {
  using Accumulator = SumAccumulator<double>;

 public:
  explicit RealSum(bool average) : PlainAggregate(DataType::float64()), average_(average) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    const T* values = argument->values<T>();
    for_each_value<Accumulator>(*argument, rows, entries, offset,
                                [values](RowIndex row, Accumulator& acc) {
                                  acc.total += static_cast<double>(values[row]);
                                  ++acc.count;
                                });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    at(accumulator).total += at(other).total;
    at(accumulator).count += at(other).count;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    for (const std::byte* entry : entries) {
      const Accumulator& acc = at(entry + offset);
      if (acc.count == 0) {
        out.append_null();
      } else {
        out.append(average_ ? acc.total / static_cast<double>(acc.count) : acc.total);
      }
    }
  }

 private:
  bool average_;
};

// AVG of integers, in their own type, truncated; the total cannot overflow 128 bits.
template <typename T>
class IntegerAverage final : public ExactSum<Wide128> {
  using Accumulator = SumAccumulator<Wide128>;
  using Base = ExactSum<Wide128>;

 public:
  explicit IntegerAverage(DataType result) : Base(result) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    const T* values = argument->values<T>();
    for_each_value<Accumulator>(*argument, rows, entries, offset,
                                [values](RowIndex row, Accumulator& acc) {
                                  acc.total.set(acc.total.get() + values[row]);
                                  ++acc.count;
                                });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    Accumulator& acc = at(accumulator);
    acc.total.set(acc.total.get() + at(other).total.get());
    acc.count += at(other).count;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    for (const std::byte* entry : entries) {
      const Accumulator& acc = at(entry + offset);
      if (acc.count == 0) {
        out.append_null();
      } else {
        out.append(static_cast<T>(acc.total.get() / acc.count));
      }
    }
  }
};

// DECIMAL(p, s): SUM is DECIMAL(38, s), AVG is DECIMAL(38, max(6, s)). The total has scale s.
class DecimalSum final : public ExactSum<Wide128> {
  using Accumulator = SumAccumulator<Wide128>;
  using Base = ExactSum<Wide128>;

 public:
  DecimalSum(const DataType& argument, bool average)
      : Base(DataType::decimal(kMaxDecimalPrecision, average
                                                         ? std::max<std::uint8_t>(6, argument.scale)
                                                         : argument.scale)),
        scale_(argument.scale),
        average_(average) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext& context) const override {
    const auto* values = argument->values<Int128>();
    RowErrors errors(context);
    for_each_value<Accumulator>(*argument, rows, entries, offset,
                                [&](RowIndex row, Accumulator& acc) {
                                  const auto sum = decimal_add(acc.total.get(), values[row]);
                                  if (!sum) [[unlikely]] {
                                    errors.add(row, overflow(result_).message);
                                    return;
                                  }
                                  acc.total.set(*sum);
                                  ++acc.count;
                                });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    Accumulator& acc = at(accumulator);
    const auto sum = decimal_add(acc.total.get(), at(other).total.get());
    if (!sum) return overflow(result_);
    acc.total.set(*sum);
    acc.count += at(other).count;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext& context) const override {
    RowErrors errors(context);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Accumulator& acc = at(entries[i] + offset);
      if (acc.count == 0) {
        out.append_null();
        continue;
      }
      if (!average_) {
        out.append(acc.total.get());
        continue;
      }
      const auto average = decimal_divide(acc.total.get(), scale_, acc.count, 0, result_.scale);
      if (average) {
        out.append(*average);
      } else {
        out.append_null();
        errors.add(i, "DECIMAL overflow in AVG");
      }
    }
  }

 private:
  int scale_;
  bool average_;
};

// Welford's running mean and sum of squared deviations: no cancellation. Parts are combined by
// Chan's formula.
struct VarianceAccumulator {
  std::int64_t count;
  double mean;
  double squares;
};

class Variance final : public PlainAggregate<VarianceAccumulator> {
 public:
  Variance(bool sample, bool root)
      : PlainAggregate(DataType::float64()), sample_(sample), root_(root) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    visit_reader(*argument, [&](auto read) {
      for_each_value<VarianceAccumulator>(*argument, rows, entries, offset,
                                          [&](RowIndex row, VarianceAccumulator& acc) {
                                            const double value = read(row);
                                            const double delta = value - acc.mean;
                                            ++acc.count;
                                            acc.mean += delta / static_cast<double>(acc.count);
                                            acc.squares += delta * (value - acc.mean);
                                          });
    });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    VarianceAccumulator& a = at(accumulator);
    const VarianceAccumulator& b = at(other);
    if (b.count == 0) return {};
    const auto n = static_cast<double>(a.count + b.count);
    const double delta = b.mean - a.mean;
    a.squares +=
        b.squares + delta * delta * static_cast<double>(a.count) * static_cast<double>(b.count) / n;
    a.mean += delta * static_cast<double>(b.count) / n;
    a.count += b.count;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    for (const std::byte* entry : entries) {
      const VarianceAccumulator& acc = at(entry + offset);
      const std::int64_t divisor = acc.count - (sample_ ? 1 : 0);
      if (divisor <= 0) {
        out.append_null();
        continue;
      }
      const double variance = acc.squares / static_cast<double>(divisor);
      out.append(root_ ? std::sqrt(variance) : variance);
    }
  }

 private:
  template <typename F>
  static void visit_reader(const Column& column, F f) {
    const auto read_as = [&](auto zero) {
      using T = decltype(zero);
      f([values = column.values<T>()](RowIndex row) { return static_cast<double>(values[row]); });
    };
    switch (column.kind()) {
      case TypeKind::kTinyInt: return read_as(std::int8_t{});
      case TypeKind::kSmallInt: return read_as(std::int16_t{});
      case TypeKind::kInt: return read_as(std::int32_t{});
      case TypeKind::kBigInt: return read_as(std::int64_t{});
      case TypeKind::kFloat: return read_as(float{});
      case TypeKind::kDouble: return read_as(double{});
      default: break;
    }
    f([values = column.values<Int128>(), scale = column.type().scale](RowIndex row) {
      return decimal_to_double(values[row], scale);
    });
  }

  bool sample_;
  bool root_;
};

Error takes_numbers(std::string_view name, const DataType& argument) {
  return Error{ErrorCode::kInvalidSql, fmt::format("{} takes a number, got {}", name,
                                                   to_string(argument.with_nullable(true)))};
}

}  // namespace

Result<AggregateFunctionPtr> make_count(std::span<const DataType> arguments) {
  if (arguments.size() > 1)
    return Error{ErrorCode::kInvalidSql,
                 fmt::format("COUNT takes * or one argument, got {}", arguments.size())};
  return AggregateFunctionPtr(std::make_shared<Count>());
}

Result<AggregateFunctionPtr> make_sum(const DataType& argument) {
  const DataType result = DataType::big_int();
  switch (argument.kind) {
    case TypeKind::kTinyInt:
      return AggregateFunctionPtr(std::make_shared<IntegerSum<std::int8_t>>(result));
    case TypeKind::kSmallInt:
      return AggregateFunctionPtr(std::make_shared<IntegerSum<std::int16_t>>(result));
    case TypeKind::kInt:
      return AggregateFunctionPtr(std::make_shared<IntegerSum<std::int32_t>>(result));
    case TypeKind::kBigInt:
      return AggregateFunctionPtr(std::make_shared<IntegerSum<std::int64_t>>(result));
    case TypeKind::kFloat: return AggregateFunctionPtr(std::make_shared<RealSum<float>>(false));
    case TypeKind::kDouble: return AggregateFunctionPtr(std::make_shared<RealSum<double>>(false));
    case TypeKind::kDecimal:
      return AggregateFunctionPtr(std::make_shared<DecimalSum>(argument, false));
    default: return takes_numbers("SUM", argument);
  }
}

Result<AggregateFunctionPtr> make_average(const DataType& argument) {
  const DataType result = argument.with_nullable(true);
  switch (argument.kind) {
    case TypeKind::kTinyInt:
      return AggregateFunctionPtr(std::make_shared<IntegerAverage<std::int8_t>>(result));
    case TypeKind::kSmallInt:
      return AggregateFunctionPtr(std::make_shared<IntegerAverage<std::int16_t>>(result));
    case TypeKind::kInt:
      return AggregateFunctionPtr(std::make_shared<IntegerAverage<std::int32_t>>(result));
    case TypeKind::kBigInt:
      return AggregateFunctionPtr(std::make_shared<IntegerAverage<std::int64_t>>(result));
    case TypeKind::kFloat: return AggregateFunctionPtr(std::make_shared<RealSum<float>>(true));
    case TypeKind::kDouble: return AggregateFunctionPtr(std::make_shared<RealSum<double>>(true));
    case TypeKind::kDecimal:
      return AggregateFunctionPtr(std::make_shared<DecimalSum>(argument, true));
    default: return takes_numbers("AVG", argument);
  }
}

Result<AggregateFunctionPtr> make_variance(std::string_view name, const DataType& argument) {
  if (!is_numeric(argument.kind)) return takes_numbers(name, argument);
  const bool sample = name.ends_with("SAMP");
  const bool root = name.starts_with("STDDEV");
  return AggregateFunctionPtr(std::make_shared<Variance>(sample, root));
}

}  // namespace tidemark
