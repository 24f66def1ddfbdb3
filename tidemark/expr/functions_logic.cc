// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"

namespace tidemark {
namespace {

class NotKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    const auto* in = call.arguments[0].column->values<std::uint8_t>();
    const std::size_t rows = call.rows;
    for (std::size_t i = 0; i < rows; ++i) out[i] = in[i] ^ 1u;
    return call.finish(std::move(values));
  }
  bool eager() const override { return true; }
};

// Maps NULL, FALSE and TRUE to FALSE or TRUE.
class TruthKernel final : public Kernel {
 public:
  TruthKernel(bool if_null, bool if_false, bool if_true)
      : if_null_(if_null), if_value_{if_false, if_true} {}

  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    const Column& column = *call.arguments[0].column;
    const auto* in = column.values<std::uint8_t>();
    for (std::size_t i = 0; i < call.rows; ++i)
      out[i] = (column.is_null(i) ? if_null_ : if_value_[in[i] != 0 ? 1 : 0]) ? 1 : 0;
    return call.finish(std::move(values));
  }
  bool strict() const override { return false; }
  bool eager() const override { return true; }

 private:
  bool if_null_;
  bool if_value_[2];
};

class NullKernel final : public Kernel {
 public:
  explicit NullKernel(bool wanted) : wanted_(wanted) {}

  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows);
    auto* out = values.as<std::uint8_t>();
    const std::uint8_t* valid = call.arguments[0].column->validity_bits();
    const std::size_t rows = call.rows;
    const bool wanted = wanted_;
    std::fill_n(out, rows, static_cast<std::uint8_t>(wanted ? 0 : 1));
    if (valid != nullptr)
      for (std::size_t i = 0; i < rows; ++i) out[i] = bit_is_set(valid, i) != wanted ? 1 : 0;
    return call.finish(std::move(values));
  }
  bool strict() const override { return false; }
  bool eager() const override { return true; }

 private:
  bool wanted_;
};

Function truth(std::string name, std::string summary, bool if_null, bool if_false, bool if_true) {
  const std::string signature = "a " + name;
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({Take::kBoolean}, DataType::boolean(), ResultNulls::kNever),
          .make = [=](const CallSite&) -> Result<KernelPtr> {
            return KernelPtr(std::make_unique<TruthKernel>(if_null, if_false, if_true));
          }};
}

Function null_test(std::string name, bool wanted) {
  const std::string signature = "a " + name;
  return {.name = std::move(name),
          .signature = signature,
          .summary = wanted ? "Whether a is NULL." : "Whether a is not NULL.",
          .resolve = takes({Take::kAnything}, DataType::boolean(), ResultNulls::kNever),
          .make = [=](const CallSite&) -> Result<KernelPtr> {
            return KernelPtr(std::make_unique<NullKernel>(wanted));
          }};
}

}  // namespace

void add_logic_functions(FunctionTable& table) {
  table.topic("Logic");
  table.add({.name = "NOT",
             .signature = "NOT a",
             .summary = "The opposite; NULL for NULL.",
             .resolve = takes({Take::kBoolean}, DataType::boolean()),
             .make = [](const CallSite&) -> Result<KernelPtr> {
               return KernelPtr(std::make_unique<NotKernel>());
             }});
  table.add(null_test("IS NULL", true));
  table.alias("IS UNKNOWN", "IS NULL");
  table.add(null_test("IS NOT NULL", false));
  table.alias("IS NOT UNKNOWN", "IS NOT NULL");
  table.add(truth("IS TRUE", "Whether a is TRUE; FALSE for NULL.", false, false, true));
  table.add(truth("IS NOT TRUE", "Whether a is FALSE or NULL.", true, true, false));
  table.add(truth("IS FALSE", "Whether a is FALSE; FALSE for NULL.", false, true, false));
  table.add(truth("IS NOT FALSE", "Whether a is TRUE or NULL.", true, false, true));
}

}  // namespace tidemark
