// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/decimal_kernel.h"

#include <algorithm>

#include "tidemark/data/decimal.h"
#include "tidemark/expr/row_kernel.h"

namespace tidemark {
namespace {

constexpr const char* kOverflow = "DECIMAL overflow";

struct Scales {
  int a;
  int b;
  int result;
  int precision;
};

Int128 checked(Row& row, std::optional<Int128> value, int precision) {
  if (value && fits_precision(*value, precision)) return *value;
  row.fail(kOverflow);
  return 0;
}

// Exact where the operands fit at the larger scale. Where they do not, the result's scale was
// reduced below it, and each operand is rounded to that.
std::optional<Int128> sum(Int128 a, Int128 b, const Scales& s, bool subtract) {
  const int scale = std::max(s.a, s.b);
  const auto x = rescale(a, s.a, scale);
  const auto y = rescale(b, s.b, scale);
  if (x && y) {
    const auto total = subtract ? decimal_subtract(*x, *y) : decimal_add(*x, *y);
    if (total) return rescale(*total, scale, s.result);
  }
  const auto rough_x = rescale(a, s.a, s.result);
  const auto rough_y = rescale(b, s.b, s.result);
  if (!rough_x || !rough_y) return std::nullopt;
  return subtract ? decimal_subtract(*rough_x, *rough_y) : decimal_add(*rough_x, *rough_y);
}

std::optional<Int128> remainder(Int128 a, Int128 b, const Scales& s) {
  const int scale = std::max(s.a, s.b);
  const auto x = rescale(a, s.a, scale);
  const auto y = rescale(b, s.b, scale);
  if (!x || !y) return std::nullopt;
  return rescale(*x % *y, scale, s.result);
}

}  // namespace

Result<KernelPtr> make_decimal_kernel(char operation, const CallSite& site) {
  const Scales s{.a = site.arguments[0].scale,
                 .b = site.arguments[1].scale,
                 .result = site.result.scale,
                 .precision = site.result.precision};
  using Signature = Int128(Int128, Int128);
  switch (operation) {
    case '+':
    case '-':
      return make_row_kernel<Signature>([s, operation](Row& row, Int128 a, Int128 b) {
        return checked(row, sum(a, b, s, operation == '-'), s.precision);
      });
    case '*':
      return make_row_kernel<Signature>([s](Row& row, Int128 a, Int128 b) {
        return checked(row, decimal_multiply(a, s.a, b, s.b, s.result), s.precision);
      });
    default:
      return make_row_kernel<Signature>([s, operation](Row& row, Int128 a, Int128 b) {
        if (b == 0) {
          row.fail("division by zero");
          return Int128{0};
        }
        return checked(
            row, operation == '/' ? decimal_divide(a, s.a, b, s.b, s.result) : remainder(a, b, s),
            s.precision);
      });
  }
}

}  // namespace tidemark
