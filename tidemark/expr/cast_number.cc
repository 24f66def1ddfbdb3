// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "tidemark/data/decimal.h"
#include "tidemark/expr/cast.h"

// Between numbers and BOOLEAN. What does not fit is an error of the row, where Flink wraps or gives
// NULL.

namespace tidemark {
namespace {

constexpr const char* kTooLarge = "value out of range";

// Wraps in bulk, and looks for the rows only when one of them changed its value.
template <typename From, typename To>
class IntegerCast final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    const From* in = call.arguments[0].column->values<From>();
    Buffer values(call.rows * sizeof(To));
    To* out = values.as<To>();
    bool bad = false;
    for (std::size_t i = 0; i < call.rows; ++i) {
      out[i] = static_cast<To>(in[i]);
      bad |= static_cast<From>(out[i]) != in[i];
    }
    if (bad) [[unlikely]]
      for (std::size_t i = 0; i < call.rows; ++i)
        if (static_cast<From>(out[i]) != in[i] && call.validity.is_valid(i))
          call.fail(i, kTooLarge);
    return call.finish(std::move(values));
  }
  bool eager() const override { return sizeof(To) >= sizeof(From); }
};

template <typename From, typename To>
class ExactCast final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    const From* in = call.arguments[0].column->values<From>();
    Buffer values(call.rows * sizeof(To));
    To* out = values.as<To>();
    for (std::size_t i = 0; i < call.rows; ++i) out[i] = static_cast<To>(in[i]);
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }
};

// Truncates towards zero, as Java. NaN has no integer.
template <typename From, typename To>
KernelPtr real_to_integer() {
  return make_row_kernel<To(From)>([](Row& row, From value) {
    const double whole = std::trunc(static_cast<double>(value));
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    if (!(whole >= low && whole < -low)) {
      row.fail(kTooLarge);
      return To{0};
    }
    return static_cast<To>(whole);
  });
}

template <typename From>
KernelPtr integer_to_decimal(const DataType& to) {
  return make_row_kernel<Int128(From)>(
      [precision = to.precision, scale = to.scale](Row& row, From value) {
        const auto scaled = rescale(value, 0, scale);
        if (!scaled || !fits_precision(*scaled, precision)) row.fail(kTooLarge);
        return scaled.value_or(0);
      });
}

// By way of the shortest text, as Java's BigDecimal.valueOf: 0.1 is 0.1.
template <typename From>
KernelPtr real_to_decimal(const DataType& to) {
  return make_row_kernel<Int128(From)>([precision = to.precision, scale = to.scale](Row& row,
                                                                                    From value) {
    char buffer[40];
    const auto end =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
    const auto decimal =
        parse_decimal({buffer, static_cast<std::size_t>(end - buffer)}, precision, scale);
    if (!decimal) row.fail(kTooLarge);
    return decimal.value_or(0);
  });
}

template <typename To>
KernelPtr decimal_to_integer(const DataType& from) {
  return make_row_kernel<To(Int128)>([divisor = power_of_ten(from.scale)](Row& row, Int128 value) {
    const Int128 whole = value / divisor;
    if (whole < std::numeric_limits<To>::min() || whole > std::numeric_limits<To>::max()) {
      row.fail(kTooLarge);
      return To{0};
    }
    return static_cast<To>(whole);
  });
}

KernelPtr decimal_to_decimal(const DataType& from, const DataType& to) {
  return make_row_kernel<Int128(Int128)>([from_scale = from.scale, scale = to.scale,
                                          precision = to.precision](Row& row, Int128 value) {
    const auto scaled = rescale(value, from_scale, scale);
    if (!scaled || !fits_precision(*scaled, precision)) row.fail(kTooLarge);
    return scaled.value_or(0);
  });
}

template <typename To>
KernelPtr decimal_to_real(const DataType& from) {
  return make_row_kernel<To(Int128)>([scale = from.scale](Row&, Int128 value) {
    return static_cast<To>(decimal_to_double(value, scale));
  });
}

template <typename From>
KernelPtr to_boolean() {
  return make_row_kernel<std::uint8_t(From)>(
      [](Row&, From value) { return static_cast<std::uint8_t>(value != 0 ? 1 : 0); }, true);
}

KernelPtr boolean_to_decimal(const DataType& to) {
  return make_row_kernel<Int128(std::uint8_t)>(
      [precision = to.precision, scale = to.scale](Row& row, std::uint8_t value) {
        const Int128 scaled = value * power_of_ten(scale);
        if (!fits_precision(scaled, precision)) row.fail(kTooLarge);
        return scaled;
      });
}

template <typename From>
KernelPtr from_integer(const DataType& to) {
  switch (to.kind) {
    case TypeKind::kTinyInt: return std::make_unique<IntegerCast<From, std::int8_t>>();
    case TypeKind::kSmallInt: return std::make_unique<IntegerCast<From, std::int16_t>>();
    case TypeKind::kInt:
    case TypeKind::kIntervalMonth: return std::make_unique<IntegerCast<From, std::int32_t>>();
    case TypeKind::kFloat: return std::make_unique<ExactCast<From, float>>();
    case TypeKind::kDouble: return std::make_unique<ExactCast<From, double>>();
    case TypeKind::kBoolean: return to_boolean<From>();
    case TypeKind::kDecimal: return integer_to_decimal<From>(to);
    default: return std::make_unique<IntegerCast<From, std::int64_t>>();
  }
}

template <typename From>
KernelPtr from_real(const DataType& to) {
  switch (to.kind) {
    case TypeKind::kTinyInt: return real_to_integer<From, std::int8_t>();
    case TypeKind::kSmallInt: return real_to_integer<From, std::int16_t>();
    case TypeKind::kInt: return real_to_integer<From, std::int32_t>();
    case TypeKind::kBigInt: return real_to_integer<From, std::int64_t>();
    case TypeKind::kFloat: return std::make_unique<ExactCast<From, float>>();
    case TypeKind::kBoolean: return to_boolean<From>();
    case TypeKind::kDecimal: return real_to_decimal<From>(to);
    default: return std::make_unique<ExactCast<From, double>>();
  }
}

KernelPtr from_decimal(const DataType& from, const DataType& to) {
  switch (to.kind) {
    case TypeKind::kTinyInt: return decimal_to_integer<std::int8_t>(from);
    case TypeKind::kSmallInt: return decimal_to_integer<std::int16_t>(from);
    case TypeKind::kInt: return decimal_to_integer<std::int32_t>(from);
    case TypeKind::kBigInt: return decimal_to_integer<std::int64_t>(from);
    case TypeKind::kFloat: return decimal_to_real<float>(from);
    case TypeKind::kDouble: return decimal_to_real<double>(from);
    case TypeKind::kBoolean: return to_boolean<Int128>();
    default: return decimal_to_decimal(from, to);
  }
}

}  // namespace

KernelPtr make_number_cast(const DataType& from, const DataType& to) {
  switch (from.kind) {
    case TypeKind::kBoolean:
      if (to.kind == TypeKind::kDecimal) return boolean_to_decimal(to);
      return from_integer<std::uint8_t>(to);
    case TypeKind::kTinyInt: return from_integer<std::int8_t>(to);
    case TypeKind::kSmallInt: return from_integer<std::int16_t>(to);
    case TypeKind::kInt:
    case TypeKind::kIntervalMonth: return from_integer<std::int32_t>(to);
    case TypeKind::kFloat: return from_real<float>(to);
    case TypeKind::kDouble: return from_real<double>(to);
    case TypeKind::kDecimal: return from_decimal(from, to);
    default: return from_integer<std::int64_t>(to);
  }
}

}  // namespace tidemark
