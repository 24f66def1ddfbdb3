// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tidemark/expr/checked_integer.h"
#include "tidemark/expr/decimal_kernel.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/temporal_arithmetic.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

std::string overflow_of(const DataType& type) {
  return to_string(type.with_nullable(true)) + " overflow";
}

// A bare NULL takes the type of the other side; two of them are INT.
DataType operand_type(const DataType& type, const DataType& other) {
  if (type.kind != TypeKind::kNull) return type;
  return is_numeric(other.kind) ? other : DataType::integer();
}

std::optional<Resolution> resolve_numbers(char operation, const DataType& left,
                                          const DataType& right) {
  const DataType a = operand_type(left, right);
  const DataType b = operand_type(right, left);
  if (!is_numeric(a.kind) || !is_numeric(b.kind)) return std::nullopt;
  const auto common = merged_type(a, b);
  if (common->kind == TypeKind::kDecimal) {
    const DataType x = decimal_for(a);
    const DataType y = decimal_for(b);
    return Resolution{.arguments = {x, y}, .result = decimal_result(operation, x, y)};
  }
  return Resolution{.arguments = {*common, *common}, .result = *common};
}

Resolver binary_resolver(char operation) {
  return [operation](std::span<const ExpressionPtr> arguments) -> std::optional<Resolution> {
    if (arguments.size() != 2) return std::nullopt;
    if (auto temporal = resolve_temporal(operation, *arguments[0], *arguments[1])) return temporal;
    return resolve_numbers(operation, arguments[0]->type, arguments[1]->type);
  };
}

template <typename T, typename Operation>
class FloatKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows * sizeof(T));
    T* out = values.as<T>();
    with_shapes<T>(call.arguments[0], call.arguments[1], [&](auto a, auto b) {
      for (std::size_t i = 0; i < call.rows; ++i) out[i] = Operation{}(a[i], b[i]);
    });
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }
};

struct Remainder {
  template <typename T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};

template <typename T>
KernelPtr make_float_kernel(char operation) {
  switch (operation) {
    case '+': return std::make_unique<FloatKernel<T, std::plus<T>>>();
    case '-': return std::make_unique<FloatKernel<T, std::minus<T>>>();
    case '*': return std::make_unique<FloatKernel<T, std::multiplies<T>>>();
    case '/': return std::make_unique<FloatKernel<T, std::divides<T>>>();
    default: return std::make_unique<FloatKernel<T, Remainder>>();
  }
}

template <typename T>
KernelPtr make_integer_kernel(char operation, const DataType& type) {
  switch (operation) {
    case '+': return std::make_unique<AddKernel<T>>(overflow_of(type));
    case '-': return std::make_unique<SubtractKernel<T>>(overflow_of(type));
    case '*': return std::make_unique<MultiplyKernel<T>>(overflow_of(type));
    case '/': return std::make_unique<DivideKernel<T>>(overflow_of(type));
    default: return std::make_unique<RemainderKernel<T>>(overflow_of(type));
  }
}

KernelMaker binary_kernel(char operation) {
  return [operation](const CallSite& site) -> Result<KernelPtr> {
    const DataType& type = site.arguments[0];
    if (!is_numeric(type.kind) || !is_numeric(site.arguments[1].kind))
      return make_temporal_kernel(operation, site);
    switch (type.kind) {
      case TypeKind::kTinyInt: return make_integer_kernel<std::int8_t>(operation, type);
      case TypeKind::kSmallInt: return make_integer_kernel<std::int16_t>(operation, type);
      case TypeKind::kInt: return make_integer_kernel<std::int32_t>(operation, type);
      case TypeKind::kBigInt: return make_integer_kernel<std::int64_t>(operation, type);
      case TypeKind::kFloat: return make_float_kernel<float>(operation);
      case TypeKind::kDouble: return make_float_kernel<double>(operation);
      default: return make_decimal_kernel(operation, site);
    }
  };
}

Function binary(char operation, std::string signature, std::string summary) {
  return {.name = std::string(1, operation),
          .signature = std::move(signature),
          .summary = std::move(summary),
          .resolve = binary_resolver(operation),
          .make = binary_kernel(operation)};
}

bool is_signed(TypeKind kind) {
  return is_numeric(kind) || is_interval(kind);
}

std::optional<Resolution> resolve_signed(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 1) return std::nullopt;
  const DataType type = operand_type(arguments[0]->type, DataType::integer());
  if (!is_signed(type.kind)) return std::nullopt;
  return Resolution{.arguments = {type}, .result = type};
}

template <typename T>
KernelPtr make_integer_sign_kernel(bool absolute) {
  return make_row_kernel<T(T)>([absolute](Row& row, T value) {
    if (absolute && value >= 0) return value;
    if (value == std::numeric_limits<T>::min()) {
      row.fail("integer overflow");
      return T{0};
    }
    return static_cast<T>(-value);
  });
}

// -x, or ABS(x).
Result<KernelPtr> make_sign_kernel(const CallSite& site, bool absolute) {
  switch (site.result.kind) {
    case TypeKind::kTinyInt: return make_integer_sign_kernel<std::int8_t>(absolute);
    case TypeKind::kSmallInt: return make_integer_sign_kernel<std::int16_t>(absolute);
    case TypeKind::kInt:
    case TypeKind::kIntervalMonth: return make_integer_sign_kernel<std::int32_t>(absolute);
    case TypeKind::kFloat:
      return make_row_kernel<float(float)>(
          [absolute](Row&, float x) { return absolute ? std::fabs(x) : -x; }, true);
    case TypeKind::kDouble:
      return make_row_kernel<double(double)>(
          [absolute](Row&, double x) { return absolute ? std::fabs(x) : -x; }, true);
    case TypeKind::kDecimal:
      return make_row_kernel<__int128(__int128)>(
          [absolute](Row&, __int128 x) { return absolute && x >= 0 ? x : -x; }, true);
    default: return make_integer_sign_kernel<std::int64_t>(absolute);
  }
}

// `-` is a sign with one argument and a difference with two.
Function minus() {
  Function function =
      binary('-', "a - b, -a",
             "The difference of two numbers, of two dates or times "
             "(an INTERVAL), or a date or time earlier by an INTERVAL; the negative.");
  function.resolve = [](std::span<const ExpressionPtr> arguments) {
    return arguments.size() == 1 ? resolve_signed(arguments) : binary_resolver('-')(arguments);
  };
  function.make = [](const CallSite& site) -> Result<KernelPtr> {
    return site.arguments.size() == 1 ? make_sign_kernel(site, false) : binary_kernel('-')(site);
  };
  return function;
}

}  // namespace

void add_arithmetic_functions(FunctionTable& table) {
  table.topic("Arithmetic");
  table.add(
      binary('+', "a + b",
             "The sum; or a date or time later by an INTERVAL. Integers and DECIMAL are checked: "
             "overflow is an error of the row."));
  table.add(minus());
  table.add(binary('*', "a * b", "The product, checked."));
  table.add(
      binary('/', "a / b",
             "The quotient: of integers truncated, of DECIMAL with at least 6 digits of scale. "
             "Division by zero is an error of the row, but for FLOAT and DOUBLE."));
  table.add(binary('%', "a % b", "The remainder, with the sign of a."));
  table.alias("MOD", "%");
  table.add({.name = "ABS",
             .signature = "ABS(number)",
             .summary = "The absolute value.",
             .resolve = resolve_signed,
             .make = [](const CallSite& site) { return make_sign_kernel(site, true); }});
}

}  // namespace tidemark
