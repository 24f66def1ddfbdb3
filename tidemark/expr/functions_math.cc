// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "tidemark/base/random.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"

namespace tidemark {
namespace {

template <typename F>
Function real(std::string name, std::string summary, F f) {
  const std::string signature = name + "(x)";
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({Take::kDouble}, DataType::float64()),
          .make = row_kernel<double(double)>([f](Row&, double x) { return f(x); }, true)};
}

template <typename F>
Function real2(std::string name, std::string signature, std::string summary, F f) {
  return {.name = std::move(name),
          .signature = std::move(signature),
          .summary = std::move(summary),
          .resolve = takes({Take::kDouble, Take::kDouble}, DataType::float64()),
          .make = row_kernel<double(double, double)>(
              [f](Row&, double x, double y) { return f(x, y); }, true)};
}

Function constant(std::string name, double value, std::string summary) {
  const std::string signature = name + "()";
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({}, DataType::float64()),
          .make = row_kernel<double()>([value](Row&) { return value; }, true)};
}

Function logarithm() {
  return {.name = "LOG",
          .signature = "LOG(x), LOG(base, x)",
          .summary = "The natural logarithm, or that to a base.",
          .resolve = takes({Take::kDouble, Take::kDouble}, DataType::float64(), 1),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 1)
              return make_row_kernel<double(double)>([](Row&, double x) { return std::log(x); },
                                                     true);
            return make_row_kernel<double(double, double)>(
                [](Row&, double base, double x) { return std::log(x) / std::log(base); }, true);
          }};
}

// RAND and RAND_INTEGER draw from the operator's seed, so that a run can be repeated; with a seed
// of their own from that, as Flink's.
class Draw {
 public:
  Random& from(const Row& row, std::int64_t own_seed) {
    if (!random_) {
      const std::uint64_t seed =
          own_seed == 0 ? row.context->random_seed : static_cast<std::uint64_t>(own_seed);
      random_.emplace(seed);
    }
    return *random_;
  }

 private:
  std::optional<Random> random_;
};

Function rand() {
  return {.name = "RAND",
          .signature = "RAND([seed])",
          .summary = "A DOUBLE in [0, 1), another for each row.",
          .resolve = takes({Take::kInteger}, DataType::float64(), 0),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.empty())
              return make_row_kernel<double()>(
                  [draw = Draw()](Row& row) mutable { return draw.from(row, 0).unit(); });
            return make_row_kernel<double(std::int64_t)>(
                [draw = Draw()](Row& row, std::int64_t seed) mutable {
                  return draw.from(row, seed).unit();
                });
          },
          .purity = Purity::kRow};
}

std::int32_t draw_below(Row& row, Random& random, std::int64_t bound) {
  if (bound <= 0 || bound > std::int64_t{1} << 31) {
    row.fail("the bound of RAND_INTEGER must be from 1 to 2147483648");
    return 0;
  }
  return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bound)));
}

Function rand_integer() {
  return {.name = "RAND_INTEGER",
          .signature = "RAND_INTEGER([seed,] bound)",
          .summary = "An INT in [0, bound), another for each row.",
          .resolve = takes({Take::kInteger, Take::kInteger}, DataType::integer(), 1),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 1)
              return make_row_kernel<std::int32_t(std::int64_t)>(
                  [draw = Draw()](Row& row, std::int64_t bound) mutable {
                    return draw_below(row, draw.from(row, 0), bound);
                  });
            return make_row_kernel<std::int32_t(std::int64_t, std::int64_t)>(
                [draw = Draw()](Row& row, std::int64_t seed, std::int64_t bound) mutable {
                  return draw_below(row, draw.from(row, seed), bound);
                });
          },
          .purity = Purity::kRow};
}

}  // namespace

void add_math_functions(FunctionTable& table) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  table.topic("Mathematics");
  table.add(real2("POWER", "POWER(x, y)", "x to the power of y.",
                  [](double x, double y) { return std::pow(x, y); }));
  table.add(real("SQRT", "The square root.", [](double x) { return std::sqrt(x); }));
  table.add(real("EXP", "e to the power of x.", [](double x) { return std::exp(x); }));
  table.add(real("LN", "The natural logarithm.", [](double x) { return std::log(x); }));
  table.add(logarithm());
  table.add(real("LOG10", "The logarithm to base 10.", [](double x) { return std::log10(x); }));
  table.add(real("LOG2", "The logarithm to base 2.", [](double x) { return std::log2(x); }));
  table.add(real("SIN", "The sine of x in radians.", [](double x) { return std::sin(x); }));
  table.add(real("COS", "The cosine.", [](double x) { return std::cos(x); }));
  table.add(real("TAN", "The tangent.", [](double x) { return std::tan(x); }));
  table.add(real("COT", "The cotangent.", [](double x) { return 1 / std::tan(x); }));
  table.add(real("ASIN", "The arc sine in radians.", [](double x) { return std::asin(x); }));
  table.add(real("ACOS", "The arc cosine.", [](double x) { return std::acos(x); }));
  table.add(real("ATAN", "The arc tangent.", [](double x) { return std::atan(x); }));
  table.add(real2("ATAN2", "ATAN2(y, x)", "The angle of the point (x, y) in radians.",
                  [](double y, double x) { return std::atan2(y, x); }));
  table.add(real("SINH", "The hyperbolic sine.", [](double x) { return std::sinh(x); }));
  table.add(real("COSH", "The hyperbolic cosine.", [](double x) { return std::cosh(x); }));
  table.add(real("TANH", "The hyperbolic tangent.", [](double x) { return std::tanh(x); }));
  table.add(real("DEGREES", "Radians in degrees.", [](double x) { return x * kDegrees; }));
  table.add(real("RADIANS", "Degrees in radians.", [](double x) { return x / kDegrees; }));
  table.add(constant("PI", std::numbers::pi, "The number pi."));
  table.add(constant("E", std::numbers::e, "The number e."));
  table.add(rand());
  table.add(rand_integer());
}

}  // namespace tidemark
