// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/expr/function.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

Error wrong_count(std::string_view signature, std::size_t got) {
  return Error{ErrorCode::kInvalidSql,
               fmt::format("wrong number of arguments: it is {}, and got {}", signature, got)};
}

Result<ExpressionPtr> rewrite_if(std::vector<ExpressionPtr> arguments) {
  if (arguments.size() != 3) return wrong_count("IF(condition, then, else)", arguments.size());
  return case_expression(std::move(arguments));
}

Result<ExpressionPtr> rewrite_ifnull(std::vector<ExpressionPtr> arguments) {
  if (arguments.size() != 2) return wrong_count("IFNULL(a, b)", arguments.size());
  return coalesce_expression(std::move(arguments));
}

Result<ExpressionPtr> rewrite_nullif(std::vector<ExpressionPtr> arguments) {
  if (arguments.size() != 2) return wrong_count("NULLIF(a, b)", arguments.size());
  TIDEMARK_ASSIGN_OR_RETURN(auto equal, call_expression("=", {arguments[0], arguments[1]}));
  const DataType type = arguments[0]->type.with_nullable(true);
  return case_expression({equal, literal_expression(Value::null(type)), arguments[0]});
}

std::optional<Resolution> resolve_extreme(std::span<const ExpressionPtr> arguments) {
  if (arguments.empty()) return std::nullopt;
  std::optional<DataType> common = arguments[0]->type;
  for (const ExpressionPtr& argument : arguments) {
    common = merged_type(*common, argument->type);
    if (!common) return std::nullopt;
  }
  return Resolution{.arguments = std::vector<DataType>(arguments.size(), *common),
                    .result = *common};
}

template <typename T>
bool is_better(const T& candidate, const T& best, bool greatest) {
  return greatest ? best < candidate : candidate < best;
}

template <typename T>
class FixedExtreme final : public Kernel {
 public:
  explicit FixedExtreme(bool greatest) : greatest_(greatest) {}

  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows * sizeof(T));
    T* out = values.as<T>();
    const Values<T> first(call.arguments[0]);
    for (std::size_t i = 0; i < call.rows; ++i) out[i] = first[i];
    for (const Vector& argument : call.arguments.subspan(1)) {
      const Values<T> other(argument);
      for (std::size_t i = 0; i < call.rows; ++i)
        out[i] = is_better(other[i], out[i], greatest_) ? other[i] : out[i];
    }
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }

 private:
  bool greatest_;
};

class TextExtreme final : public Kernel {
 public:
  explicit TextExtreme(bool greatest) : greatest_(greatest) {}

  ColumnPtr run(Invocation& call) override {
    std::vector<Values<std::string_view>> columns(call.arguments.begin(), call.arguments.end());
    ColumnBuilder builder(call.result);
    builder.reserve(call.rows);
    for (std::size_t i = 0; i < call.rows; ++i) {
      std::string_view best = columns[0][i];
      for (const auto& column : columns)
        if (is_better(column[i], best, greatest_)) best = column[i];
      if (call.validity.is_valid(i)) {
        builder.append_string(best);
      } else {
        builder.append_null();
      }
    }
    return builder.finish();
  }

 private:
  bool greatest_;
};

Function extreme(std::string name, bool greatest, std::string summary) {
  const std::string signature = name + "(a, b, ...)";
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = resolve_extreme,
          .make = [greatest](const CallSite& site) -> Result<KernelPtr> {
            if (is_variable_width(site.result.kind))
              return KernelPtr(std::make_unique<TextExtreme>(greatest));
            return visit_physical(site.result.kind, [greatest](auto zero) -> Result<KernelPtr> {
              return KernelPtr(std::make_unique<FixedExtreme<decltype(zero)>>(greatest));
            });
          }};
}

Function rewritten(std::string name, std::string signature, std::string summary, Rewriter rewrite) {
  return {.name = std::move(name),
          .signature = std::move(signature),
          .summary = std::move(summary),
          .resolve = nullptr,
          .make = nullptr,
          .rewrite = std::move(rewrite)};
}

}  // namespace

void add_conditional_functions(FunctionTable& table) {
  table.topic("Conditions");
  table.add(rewritten("COALESCE", "COALESCE(a, b, ...)",
                      "The first argument that is not NULL; the ones after it are not evaluated.",
                      coalesce_expression));
  table.add(
      rewritten("IF", "IF(condition, then, else)",
                "`then` where the condition is TRUE, otherwise `else`. Only the branch taken is "
                "evaluated.",
                rewrite_if));
  table.add(rewritten("IFNULL", "IFNULL(a, b)", "a, or b where a is NULL.", rewrite_ifnull));
  table.add(rewritten("NULLIF", "NULLIF(a, b)", "NULL where a = b, otherwise a.", rewrite_nullif));
  table.add(extreme("GREATEST", true, "The greatest argument; NULL when one is NULL."));
  table.add(extreme("LEAST", false, "The least argument; NULL when one is NULL."));
}

}  // namespace tidemark
