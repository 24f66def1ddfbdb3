// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/expression.h"

#include <algorithm>

#include "tidemark/expr/function.h"

namespace tidemark {

ExpressionPtr column_expression(std::size_t column, DataType type) {
  return std::make_shared<const Expression>(
      Expression{.kind = Expression::Kind::kColumn, .type = type, .column = column});
}

ExpressionPtr literal_expression(Value literal) {
  DataType type = literal.type.with_nullable(literal.is_null);
  literal.type = type;
  return std::make_shared<const Expression>(
      Expression{.kind = Expression::Kind::kLiteral, .type = type, .literal = std::move(literal)});
}

bool same_expression(const Expression& a, const Expression& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.type != b.type || a.column != b.column) return false;
  if (a.kind == Expression::Kind::kLiteral && !(a.literal == b.literal)) return false;
  if (a.function != b.function) return false;
  return std::equal(
      a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
      [](const ExpressionPtr& x, const ExpressionPtr& y) { return same_expression(*x, *y); });
}

bool is_deterministic(const Expression& expression) {
  if (expression.kind == Expression::Kind::kCall) {
    const Function* function = function_table().find(expression.function);
    if (function != nullptr && function->purity >= Purity::kBatch) return false;
  }
  return std::all_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExpressionPtr& argument) { return is_deterministic(*argument); });
}

bool is_constant(const Expression& expression) {
  if (expression.kind == Expression::Kind::kColumn) return false;
  return std::all_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExpressionPtr& argument) { return is_constant(*argument); });
}

}  // namespace tidemark
