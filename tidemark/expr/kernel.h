// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/data/column.h"
#include "tidemark/data/value.h"
#include "tidemark/expr/evaluator.h"

// What a scalar function computes. Kernels see dense columns only: where a function must run for
// some rows of a batch (a branch of CASE), the evaluator gathers these rows first.

namespace tidemark {

/// The argument or result of a call: a column of `rows` values, or of one value that stands for
/// all.
struct Vector {
  ColumnPtr column;
  bool constant = false;

  const DataType& type() const { return column->type(); }
  bool is_null(std::size_t row) const { return column->is_null(constant ? 0 : row); }
};

/// Reads the values of a fixed-width argument.
template <typename T>
class Values {
 public:
  explicit Values(const Vector& vector)
      : data_(vector.column->values<T>()), step_(vector.constant ? 0 : 1) {}
  T operator[](std::size_t row) const { return data_[row * step_]; }

 private:
  const T* data_;
  std::size_t step_;
};

/// Reads the values of a STRING or BYTES argument.
template <>
class Values<std::string_view> {
 public:
  explicit Values(const Vector& vector)
      : column_(vector.column.get()), step_(vector.constant ? 0 : 1) {}
  std::string_view operator[](std::size_t row) const { return column_->string(row * step_); }

 private:
  const Column* column_;
  std::size_t step_;
};

/// The validity bitmap of a result while it is made; without one every row is valid.
class Validity {
 public:
  explicit Validity(std::size_t rows) : rows_(rows) {}

  /// Rows that are NULL in `column`, which has as many rows, become NULL.
  void intersect(const Column& column);
  bool is_valid(std::size_t row) const {
    return bits_.size() == 0 || bit_is_set(bits_.as<std::uint8_t>(), row);
  }
  void set_null(std::size_t row);
  void set_all_null();
  bool all_valid() const { return bits_.size() == 0; }
  /// nullptr when every row is valid.
  const std::uint8_t* bits() const { return all_valid() ? nullptr : bits_.as<std::uint8_t>(); }
  Buffer take() { return std::move(bits_); }

 private:
  void materialize();

  std::size_t rows_;
  Buffer bits_;
};

/// One call of a kernel: its arguments, and where it says which rows are NULL or cannot be
/// computed.
class Invocation {
 public:
  Invocation(std::span<const Vector> call_arguments, std::size_t call_rows, const DataType& type,
             const EvaluationContext& evaluation)
      : arguments(call_arguments),
        rows(call_rows),
        result(type),
        context(evaluation),
        validity(call_rows) {}

  std::span<const Vector> arguments;
  std::size_t rows;
  const DataType& result;
  const EvaluationContext& context;
  Validity validity;  // for strict kernels, at first: the rows without a NULL argument
  struct Failed {
    std::size_t row;
    std::string reason;  // "division by zero"; the caller adds the expression
  };
  std::vector<Failed> failures;

  /// Row `row` is NULL, and an error.
  void fail(std::size_t row, std::string_view reason) {
    validity.set_null(row);
    failures.push_back({row, std::string(reason)});
  }
  /// The result, of fixed width.
  ColumnPtr finish(Buffer values) {
    return std::make_shared<const Column>(result, rows, validity.take(), std::move(values),
                                          Buffer());
  }
};

/// Computes one call site over columns. May keep state between batches (compiled patterns,
/// buffers); one thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual ColumnPtr run(Invocation& call) = 0;

  /// Whether the result is NULL wherever an argument is, so that the caller takes care of NULLs.
  virtual bool strict() const { return true; }
  /// Whether it is cheap and cannot fail, so that computing rows nobody asked for does no harm.
  virtual bool eager() const { return false; }
};
using KernelPtr = std::unique_ptr<Kernel>;

/// What is known of a call when its kernel is made.
struct CallSite {
  std::span<const DataType> arguments;
  /// The value of each argument that is a literal, else nullptr.
  std::span<const Value* const> constants;
  const DataType& result;

  /// The text of a literal STRING argument, or nullptr.
  const std::string* text(std::size_t i) const {
    const bool known = i < constants.size() && constants[i] != nullptr && !constants[i]->is_null;
    return known ? &constants[i]->text : nullptr;
  }
};
/// An error when a literal argument is wrong by itself.
using KernelMaker = std::function<Result<KernelPtr>(const CallSite& site)>;

/// Calls `f` with a zero of the C++ type that holds fixed-width values of `kind`.
template <typename F>
decltype(auto) visit_physical(TypeKind kind, F&& f) {
  switch (kind) {
    case TypeKind::kBoolean: return f(std::uint8_t{});
    case TypeKind::kSmallInt: return f(std::int16_t{});
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kIntervalMonth: return f(std::int32_t{});
    case TypeKind::kBigInt:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
    case TypeKind::kIntervalDay: return f(std::int64_t{});
    case TypeKind::kFloat: return f(float{});
    case TypeKind::kDouble: return f(double{});
    case TypeKind::kDecimal: return f(__int128{});
    default: return f(std::int8_t{});
  }
}

/// A column of one value.
ColumnPtr single_value(const Value& value);
/// A column of `rows` NULLs.
ColumnPtr all_null(const DataType& type, std::size_t rows);
/// As many rows as asked for, constant or not.
ColumnPtr expand(const Vector& vector, std::size_t rows);

}  // namespace tidemark
