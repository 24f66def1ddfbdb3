// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tidemark/data/decimal.h"
#include "tidemark/expr/binary_loop.h"
#include "tidemark/expr/expression_builder.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/in_list.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

// `delay > 15` with a SMALLINT column compares as SMALLINT: a literal that fits the column's type
// is narrowed rather than the column widened.
bool fits_narrower(const Expression& literal, const DataType& column) {
  if (literal.kind != Expression::Kind::kLiteral || literal.literal.is_null) return false;
  if (!is_integer(literal.type.kind) || !is_integer(column.kind)) return false;
  const std::size_t bits = value_width(column.kind) * 8;
  const __int128 limit = __int128{1} << (bits - 1);
  return literal.literal.integer >= -limit && literal.literal.integer < limit;
}

// DECIMALs of one scale compare by their unscaled values, whatever their precision.
DataType compared_as(const DataType& own, const DataType& common) {
  const bool same = own.kind == TypeKind::kDecimal && common.kind == TypeKind::kDecimal &&
                    own.scale == common.scale;
  return same ? own : common;
}

std::optional<Resolution> resolve_comparison(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 2) return std::nullopt;
  const Expression& a = *arguments[0];
  const Expression& b = *arguments[1];
  std::optional<DataType> common = comparison_type(a, b);
  if (!common) return std::nullopt;
  if (fits_narrower(b, a.type)) common = a.type;
  if (fits_narrower(a, b.type)) common = b.type;
  if (common->kind == TypeKind::kNull) common = DataType::integer();
  return Resolution{.arguments = {compared_as(a.type, *common), compared_as(b.type, *common)},
                    .result = DataType::boolean()};
}

template <typename T, typename Compare>
class FixedComparison final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    // By value: a byte written through `out` might be part of anything that is referred to.
    with_shapes<T>(call.arguments[0], call.arguments[1], [rows = call.rows, out](auto a, auto b) {
      for (std::size_t i = 0; i < rows; ++i) out[i] = Compare{}(a[i], b[i]) ? 1 : 0;
    });
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }
};

template <typename Compare>
class TextComparison final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    const Values<std::string_view> a(call.arguments[0]);
    const Values<std::string_view> b(call.arguments[1]);
    for (std::size_t i = 0; i < call.rows; ++i) out[i] = Compare{}(a[i], b[i]) ? 1 : 0;
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }
};

// NULL is a value like others: IS [NOT] DISTINCT FROM.
class DistinctKernel final : public Kernel {
 public:
  DistinctKernel(KernelPtr differs, bool negated)
      : differs_(std::move(differs)), negated_(negated) {}

  ColumnPtr run(Invocation& call) override {
    const ColumnPtr unequal = differs_->run(call);
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    for (std::size_t i = 0; i < call.rows; ++i) {
      const bool a = call.arguments[0].is_null(i);
      const bool b = call.arguments[1].is_null(i);
      const bool distinct = a || b ? a != b : unequal->value<std::uint8_t>(i) != 0;
      out[i] = distinct != negated_ ? 1 : 0;
    }
    return call.finish(std::move(values));
  }
  bool strict() const override { return false; }
  bool eager() const override { return true; }

 private:
  KernelPtr differs_;
  bool negated_;
};

template <typename Compare>
KernelPtr make_comparison(const DataType& type) {
  if (is_variable_width(type.kind)) return std::make_unique<TextComparison<Compare>>();
  return visit_physical(type.kind, [](auto zero) -> KernelPtr {
    return std::make_unique<FixedComparison<decltype(zero), Compare>>();
  });
}

template <typename Compare>
Function comparison(std::string name, std::string summary) {
  const std::string signature = "a " + name + " b";
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = resolve_comparison,
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            return make_comparison<Compare>(site.arguments[0]);
          }};
}

Function distinct(std::string name, bool negated, std::string summary) {
  const std::string signature = "a " + name + " b";
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve =
              [](std::span<const ExpressionPtr> arguments) {
                auto resolution = resolve_comparison(arguments);
                if (resolution) resolution->nulls = ResultNulls::kNever;
                return resolution;
              },
          .make = [negated](const CallSite& site) -> Result<KernelPtr> {
            return KernelPtr(std::make_unique<DistinctKernel>(
                make_comparison<std::not_equal_to<>>(site.arguments[0]), negated));
          }};
}

bool is_fixed(const Expression& member) {
  if (member.kind == Expression::Kind::kLiteral) return true;
  return member.kind == Expression::Kind::kCast && is_fixed(*member.arguments[0]);
}

// Over members that are not literals IN is a chain of comparisons.
Result<ExpressionPtr> rewrite_in(std::vector<ExpressionPtr> arguments) {
  bool fixed = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) fixed = fixed && is_fixed(*arguments[i]);
  if (fixed || arguments.size() < 2) return ExpressionPtr();
  std::vector<ExpressionPtr> equals;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    TIDEMARK_ASSIGN_OR_RETURN(auto equal, call_expression("=", {arguments[0], arguments[i]}));
    equals.push_back(std::move(equal));
  }
  return or_expression(std::move(equals));
}

std::optional<Resolution> resolve_in(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() < 2) return std::nullopt;
  std::optional<DataType> common;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    std::optional<DataType> type = comparison_type(*arguments[0], *arguments[i]);
    if (!type) return std::nullopt;
    if (fits_narrower(*arguments[i], arguments[0]->type)) type = arguments[0]->type;
    common = common ? merged_type(*common, *type) : type;
    if (!common) return std::nullopt;
  }
  if (common->kind == TypeKind::kNull) common = DataType::integer();
  return Resolution{.arguments = std::vector<DataType>(arguments.size(), *common),
                    .result = DataType::boolean()};
}

}  // namespace

void add_comparison_functions(FunctionTable& table) {
  table.topic("Comparison");
  table.add(comparison<std::equal_to<>>(
      "=", "Whether the values are equal. A STRING beside another type is read as that type."));
  table.add(comparison<std::not_equal_to<>>("<>", "Whether the values differ."));
  table.alias("!=", "<>");
  table.add(comparison<std::less<>>("<", "Whether a is less. STRING compares by its UTF-8 bytes."));
  table.add(comparison<std::less_equal<>>("<=", "Whether a is less or equal."));
  table.add(comparison<std::greater<>>(">", "Whether a is greater."));
  table.add(comparison<std::greater_equal<>>(">=", "Whether a is greater or equal."));
  table.add(distinct("IS DISTINCT FROM", false,
                     "Whether the values differ, where NULL equals NULL and nothing else."));
  table.add(distinct("IS NOT DISTINCT FROM", true, "The opposite."));
  table.add(
      {.name = "IN",
       .signature = "x IN (value, ...)",
       .summary = "Whether x is among the values; NULL when it is not and one of them is NULL.",
       .resolve = resolve_in,
       .make = make_in_kernel,
       .rewrite = rewrite_in});
}

}  // namespace tidemark
