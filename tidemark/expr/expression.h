// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/data/value.h"

namespace tidemark {

struct Expression;
/// Bound expressions are immutable trees, shared freely between threads.
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A bound, typed scalar expression: every column is an index, every implicit cast is explicit and
/// every function is resolved. The binder and the typed API build it with the functions below; the
/// evaluator (evaluator.h) runs it; expr.proto carries it between processes.
struct Expression {
  enum class Kind : std::uint8_t {
    kColumn,   // input column `column`
    kLiteral,  // `literal`
    kCall,     // function `function` over `arguments`, all of which are evaluated
    kCast,     // CAST(arguments[0] AS type); an error when it cannot
    kTryCast,  // NULL when it cannot
    kCase,     // arguments: when1, then1, when2, then2, ..., else; the first TRUE wins, the
               // branches not taken are not evaluated
    kAnd,      // three-valued; operands to the right are evaluated only for rows still undecided
    kOr,
    kCoalesce,  // the first argument that is not NULL; later ones only for rows still NULL
  };

  Kind kind;
  DataType type;
  std::size_t column = 0;
  Value literal;
  std::string function;  // canonical name in the function registry, upper case
  std::vector<ExpressionPtr> arguments;
};

ExpressionPtr column_expression(std::size_t column, DataType type);
ExpressionPtr literal_expression(Value literal);
/// Resolves `name` for the argument types, adds implicit casts, and checks the arguments' number.
/// Operators are functions with their SQL spelling: "+", "=", "<>", "LIKE", "IS NULL", "NOT", ...
/// The error names the nearest function, or what the function takes and got.
Result<ExpressionPtr> call_expression(std::string_view name, std::vector<ExpressionPtr> arguments);
/// An error when SQL has no cast between the two types. A cast to the same type returns `argument`.
Result<ExpressionPtr> cast_expression(ExpressionPtr argument, DataType to, bool try_cast = false);
/// `arguments` as for kCase; brings all results to their common type.
Result<ExpressionPtr> case_expression(std::vector<ExpressionPtr> arguments);
Result<ExpressionPtr> and_expression(std::vector<ExpressionPtr> arguments);
Result<ExpressionPtr> or_expression(std::vector<ExpressionPtr> arguments);
Result<ExpressionPtr> coalesce_expression(std::vector<ExpressionPtr> arguments);

/// The type both can be cast to without loss of meaning (Flink's LogicalTypeMerging), for CASE,
/// COALESCE, UNION ALL, IN and comparisons.
Result<DataType> common_type(const DataType& a, const DataType& b);

/// Whether two trees are the same expression (GROUP BY matching).
bool same_expression(const Expression& a, const Expression& b);
/// Whether equal input gives equal output now and later (no RAND, no CURRENT_TIMESTAMP).
bool is_deterministic(const Expression& expression);
/// Whether no column is read.
bool is_constant(const Expression& expression);
/// As EXPLAIN prints it; `columns` names the input.
std::string to_string(const Expression& expression, const Schema& columns);

/// The names of all scalar functions, for messages, completion and docs.
std::vector<std::string> scalar_function_names();

}  // namespace tidemark
