// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tidemark/data/decimal.h"
#include "tidemark/data/number_text.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/time_units.h"
#include "tidemark/expr/type_rules.h"

// CEIL, FLOOR, ROUND, TRUNCATE and SIGN. FLOOR and CEIL of a date or time TO a unit are in
// time_units.

namespace tidemark {
namespace {

enum class Direction { kFloor, kCeil, kRound, kTruncate };

DataType number_type(const DataType& type) {
  return type.kind == TypeKind::kNull ? DataType::float64() : type;
}

// Divides by 10^digits towards `direction`.
Int128 divided(Int128 value, int digits, Direction direction) {
  if (digits > kMaxDecimalPrecision) return 0;
  const Int128 unit = power_of_ten(digits);
  const Int128 quotient = value / unit;
  const Int128 rest = value % unit;
  switch (direction) {
    case Direction::kFloor: return quotient - (rest < 0 ? 1 : 0);
    case Direction::kCeil: return quotient + (rest > 0 ? 1 : 0);
    case Direction::kTruncate: return quotient;
    case Direction::kRound: break;
  }
  const Int128 size = rest < 0 ? -rest : rest;
  if (size < unit - size) return quotient;
  return quotient + (value < 0 ? -1 : 1);
}

// A value of `scale` digits rounded to `places`, in units of `to_scale` (>= places).
std::optional<Int128> rounded(Int128 value, int scale, std::int64_t places, int to_scale,
                              Direction direction) {
  if (places >= scale) return rescale(value, scale, to_scale);
  const std::int64_t dropped = scale - places;
  if (dropped > kMaxDecimalPrecision) return 0;
  const Int128 kept = divided(value, static_cast<int>(dropped), direction);
  return rescale(kept, static_cast<int>(std::max<std::int64_t>(places, -kMaxDecimalPrecision)),
                 to_scale);
}

template <typename T>
T round_integer(Row& row, T value, std::int64_t places, Direction direction) {
  if (places >= 0) return value;
  const auto result = rounded(value, 0, places, 0, direction);
  const T narrow = static_cast<T>(result.value_or(0));
  if (!result || narrow != *result) row.fail("integer overflow");
  return narrow;
}

// By way of the shortest text, as Java's BigDecimal.valueOf: ROUND(1.005, 2) is 1.01.
double round_real(double value, std::int64_t places, Direction direction) {
  if (!std::isfinite(value) || places > 30) return value;
  if (places < -310) return 0;
  if (std::fabs(value) < 1e15 && places >= 0 && places <= 15) {
    std::string text;
    append_real(text, value);
    constexpr int kScale = 20;
    if (const auto exact = parse_decimal(text, kMaxDecimalPrecision, kScale))
      if (const auto result = rounded(*exact, kScale, places, kScale, direction))
        return decimal_to_double(*result, kScale);
  }
  const double unit = std::pow(10.0, static_cast<double>(places));
  const double scaled = value * unit;
  if (!std::isfinite(scaled)) return value;
  return (direction == Direction::kTruncate ? std::trunc(scaled) : std::round(scaled)) / unit;
}

// Flink: ROUND(DECIMAL(p, s), n) is DECIMAL(p - s + n + 1, n) for a literal n within the scale.
DataType rounded_decimal(const DataType& type, const Expression* places) {
  std::int64_t n = 0;
  if (places != nullptr) {
    if (places->kind != Expression::Kind::kLiteral || places->literal.is_null) return type;
    n = static_cast<std::int64_t>(places->literal.integer);
  }
  if (n >= type.scale) return type;
  const int scale = static_cast<int>(std::max<std::int64_t>(n, 0));
  const int precision = std::min(kMaxDecimalPrecision, type.precision - type.scale + scale + 1);
  return adjusted_decimal(precision, scale);
}

std::optional<Resolution> resolve_round(std::span<const ExpressionPtr> arguments) {
  if (arguments.empty() || arguments.size() > 2) return std::nullopt;
  const DataType type = number_type(arguments[0]->type);
  if (!is_numeric(type.kind)) return std::nullopt;
  Resolution resolution{.arguments = {type}, .result = type};
  const Expression* places = arguments.size() == 2 ? arguments[1].get() : nullptr;
  if (places != nullptr) {
    if (!is_integer(places->type.kind) && places->type.kind != TypeKind::kNull) return std::nullopt;
    resolution.arguments.push_back(DataType::big_int());
  }
  if (type.kind == TypeKind::kDecimal) resolution.result = rounded_decimal(type, places);
  return resolution;
}

// A kernel of (value, places), where places may be left out.
template <typename T, typename F>
KernelPtr with_places(const CallSite& site, F f) {
  if (site.arguments.size() == 2) return make_row_kernel<T(T, std::int64_t)>(f);
  return make_row_kernel<T(T)>([f](Row& row, T value) { return f(row, value, std::int64_t{0}); });
}

template <typename T>
KernelPtr integer_rounding(const CallSite& site, Direction direction) {
  return with_places<T>(site, [direction](Row& row, T value, std::int64_t places) {
    return round_integer(row, value, places, direction);
  });
}

Result<KernelPtr> make_rounding(const CallSite& site, Direction direction) {
  switch (site.arguments[0].kind) {
    case TypeKind::kTinyInt: return integer_rounding<std::int8_t>(site, direction);
    case TypeKind::kSmallInt: return integer_rounding<std::int16_t>(site, direction);
    case TypeKind::kInt: return integer_rounding<std::int32_t>(site, direction);
    case TypeKind::kBigInt: return integer_rounding<std::int64_t>(site, direction);
    case TypeKind::kFloat:
      return with_places<float>(site, [direction](Row&, float value, std::int64_t places) {
        return static_cast<float>(round_real(value, places, direction));
      });
    case TypeKind::kDouble:
      return with_places<double>(site, [direction](Row&, double value, std::int64_t places) {
        return round_real(value, places, direction);
      });
    default: break;
  }
  const int scale = site.arguments[0].scale;
  return with_places<Int128>(
      site, [scale, to = site.result, direction](Row& row, Int128 value, std::int64_t places) {
        const auto result =
            rounded(value, scale, std::min<std::int64_t>(places, to.scale), to.scale, direction);
        if (!result || !fits_precision(*result, to.precision)) row.fail("DECIMAL overflow");
        return result.value_or(0);
      });
}

std::optional<Resolution> resolve_whole(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() == 2) return resolve_truncation(arguments);
  if (arguments.size() != 1) return std::nullopt;
  const DataType type = number_type(arguments[0]->type);
  if (!is_numeric(type.kind)) return std::nullopt;
  DataType result = type;
  if (type.kind == TypeKind::kDecimal)
    result = DataType::decimal(
        static_cast<std::uint8_t>(std::min(kMaxDecimalPrecision, type.precision - type.scale + 1)),
        0);
  return Resolution{.arguments = {type}, .result = result};
}

Result<KernelPtr> make_whole(const CallSite& site, bool ceil) {
  if (site.arguments.size() == 2) return make_truncation(site, ceil);
  const Direction direction = ceil ? Direction::kCeil : Direction::kFloor;
  switch (site.arguments[0].kind) {
    case TypeKind::kFloat:
      return make_row_kernel<float(float)>(
          [ceil](Row&, float x) { return ceil ? std::ceil(x) : std::floor(x); }, true);
    case TypeKind::kDouble:
      return make_row_kernel<double(double)>(
          [ceil](Row&, double x) { return ceil ? std::ceil(x) : std::floor(x); }, true);
    case TypeKind::kDecimal:
      return make_row_kernel<Int128(Int128)>(
          [scale = site.arguments[0].scale, direction](Row&, Int128 value) {
            return divided(value, scale, direction);
          });
    default: return make_cast_kernel(site.arguments[0], site.result);
  }
}

std::optional<Resolution> resolve_sign(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 1) return std::nullopt;
  const DataType type = number_type(arguments[0]->type);
  if (!is_numeric(type.kind)) return std::nullopt;
  return Resolution{.arguments = {type}, .result = type};
}

Result<KernelPtr> make_sign(const CallSite& site) {
  const __int128 one = site.result.kind == TypeKind::kDecimal ? power_of_ten(site.result.scale) : 1;
  return visit_physical(site.result.kind, [one](auto zero) -> Result<KernelPtr> {
    using T = decltype(zero);
    return make_row_kernel<T(T)>(
        [unit = static_cast<T>(one)](Row&, T x) {
          return x > 0 ? unit : x < 0 ? static_cast<T>(-unit) : static_cast<T>(x);
        },
        true);
  });
}

}  // namespace

void add_rounding_functions(FunctionTable& table) {
  table.topic("Rounding");
  table.add({.name = "CEIL",
             .signature = "CEIL(number), CEIL(time TO unit)",
             .summary =
                 "The least whole number not below; of a date or time the start of the next unit, "
                 "unless it starts one.",
             .resolve = resolve_whole,
             .make = [](const CallSite& site) { return make_whole(site, true); },
             .purity = Purity::kTimeZone});
  table.alias("CEILING", "CEIL");
  table.add({.name = "FLOOR",
             .signature = "FLOOR(number), FLOOR(time TO unit)",
             .summary =
                 "The greatest whole number not above; of a date or time the start of its unit "
                 "(SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER, YEAR).",
             .resolve = resolve_whole,
             .make = [](const CallSite& site) { return make_whole(site, false); },
             .purity = Purity::kTimeZone});
  table.add({.name = "ROUND",
             .signature = "ROUND(number [, places])",
             .summary = "Rounded half away from zero to so many places (0).",
             .resolve = resolve_round,
             .make = [](const CallSite& site) { return make_rounding(site, Direction::kRound); }});
  table.add(
      {.name = "TRUNCATE",
       .signature = "TRUNCATE(number [, places])",
       .summary = "Cut to so many places (0).",
       .resolve = resolve_round,
       .make = [](const CallSite& site) { return make_rounding(site, Direction::kTruncate); }});
  table.add({.name = "SIGN",
             .signature = "SIGN(number)",
             .summary = "-1, 0 or 1 in the type of the number.",
             .resolve = resolve_sign,
             .make = make_sign});
}

}  // namespace tidemark
