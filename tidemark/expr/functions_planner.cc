// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/base/time.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"

// Functions that only the SQL planner calls. Their names begin with two underscores; they are
// neither suggested nor documented.

namespace tidemark {
namespace {

// __TUMBLE_START(time, size, offset): the start of the window that the time falls into.
std::optional<Resolution> resolve_tumble_start(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 3) return std::nullopt;
  const DataType time = DataType::timestamp(3);
  const DataType length = DataType::interval_day();
  if (arguments[0]->type.kind != time.kind || arguments[1]->type.kind != length.kind ||
      arguments[2]->type.kind != length.kind)
    return std::nullopt;
  return Resolution{.arguments = {time, length, length}, .result = time};
}

// __NOT_NULL(x, place): x; a NULL is an error of the row, which names the place.
std::optional<Resolution> resolve_not_null(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 2) return std::nullopt;
  return Resolution{.arguments = {arguments[0]->type, arguments[1]->type},
                    .result = arguments[0]->type,
                    .nulls = ResultNulls::kNever};
}

class NotNullKernel final : public Kernel {
 public:
  explicit NotNullKernel(const std::string& place)
      : reason_(fmt::format("NULL in {}, which is NOT NULL", place)) {}

  ColumnPtr run(Invocation& call) override {
    const ColumnPtr column = expand(call.arguments[0], call.rows);
    for (std::size_t i = 0; i < call.rows; ++i)
      if (column->is_null(i)) call.fail(i, reason_);
    return column;
  }
  bool strict() const override { return false; }

 private:
  std::string reason_;
};

}  // namespace

void add_planner_functions(FunctionTable& table) {
  table.add({.name = "__TUMBLE_START",
             .signature = "__TUMBLE_START(time, size, offset)",
             .summary = "The start of the tumbling window around a time.",
             .resolve = resolve_tumble_start,
             .make = row_kernel<std::int64_t(std::int64_t, std::int64_t, std::int64_t)>(
                 [](Row&, std::int64_t time, std::int64_t size, std::int64_t offset) {
                   return saturating_sub(time, floor_mod(saturating_sub(time, offset), size));
                 })});
  table.add({.name = "__NOT_NULL",
             .signature = "__NOT_NULL(x, place)",
             .summary = "x; a NULL is an error of the row.",
             .resolve = resolve_not_null,
             .make = [](const CallSite& site) -> Result<KernelPtr> {
               const std::string* place = site.text(1);
               return KernelPtr(std::make_unique<NotNullKernel>(place ? *place : "a column"));
             }});
}

}  // namespace tidemark
