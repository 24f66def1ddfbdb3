// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/expr/expression.h"
#include "tidemark/expr/kernel.h"

// The table of scalar functions: everything the binder, the evaluator and the reference page know
// of a function stands in one entry. The entries are spread over files by topic (functions_*.cc).

namespace tidemark {

/// Whether a result can be NULL.
enum class ResultNulls : std::uint8_t { kIfAnyArgument, kNever, kAlways };

/// What a call resolves to: the types its arguments are cast to, and its result.
struct Resolution {
  std::vector<DataType> arguments;
  DataType result;  // its `nullable` is set from `nulls`
  ResultNulls nulls = ResultNulls::kIfAnyArgument;
};

/// nullopt when the function does not take these arguments.
using Resolver = std::function<std::optional<Resolution>(std::span<const ExpressionPtr> arguments)>;
/// For functions that are another expression: IF is CASE. nullptr: not with these arguments, go on
/// with the resolver.
using Rewriter = std::function<Result<ExpressionPtr>(std::vector<ExpressionPtr> arguments)>;

/// Whether the value of a call follows from its arguments.
enum class Purity : std::uint8_t {
  kPure,      // from the arguments alone: folded when they are literals
  kTimeZone,  // and from the session time zone
  kBatch,     // differs from batch to batch, not within one: CURRENT_TIMESTAMP
  kRow,       // differs from row to row: RAND
};

struct Function {
  std::string name;
  std::string topic = {};  // heading of the reference page
  std::string signature;   // "SUBSTRING(STRING, INT [, INT])"
  std::string summary;
  Resolver resolve = nullptr;
  KernelMaker make = nullptr;
  Rewriter rewrite = nullptr;  // tried before resolve
  Purity purity = Purity::kPure;
  std::vector<std::string> aliases = {};
};

class FunctionTable {
 public:
  /// Starts a topic: functions added after it belong to it.
  void topic(std::string name) { topic_ = std::move(name); }
  void add(Function function);
  /// Another name of `name`, which was added before.
  void alias(std::string alias, std::string_view name);

  /// In any case; nullptr when there is none.
  const Function* find(std::string_view name) const;
  /// In the order in which they were added.
  const std::vector<Function>& functions() const { return functions_; }
  /// Names and aliases, sorted, without the planner's own.
  std::vector<std::string> names() const;

 private:
  std::string topic_;
  std::vector<Function> functions_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// All scalar functions. Built on first use; immutable; any thread.
const FunctionTable& function_table();

/// Functions that the planner puts into plans and that SQL has no name for.
inline bool is_internal_function(std::string_view name) {
  return name.starts_with("__");
}

/// docs/functions.md, from the tables of scalar and aggregate functions.
std::string function_reference();

void add_arithmetic_functions(FunctionTable& table);
void add_comparison_functions(FunctionTable& table);
void add_logic_functions(FunctionTable& table);
void add_conditional_functions(FunctionTable& table);
void add_math_functions(FunctionTable& table);
void add_rounding_functions(FunctionTable& table);
void add_string_functions(FunctionTable& table);
void add_string_search_functions(FunctionTable& table);
void add_pattern_functions(FunctionTable& table);
void add_encoding_functions(FunctionTable& table);
void add_clock_functions(FunctionTable& table);
void add_calendar_functions(FunctionTable& table);
void add_time_text_functions(FunctionTable& table);
void add_system_functions(FunctionTable& table);
/// Not for users: names that begin with "__", which messages and the reference leave out.
void add_planner_functions(FunctionTable& table);

/// A kernel that casts between two types; TRY_CAST is the same kernel with its failures forgotten.
Result<KernelPtr> make_cast_kernel(const DataType& from, const DataType& to);

}  // namespace tidemark
