// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/expression_tree.h"

#include <algorithm>

namespace tidemark::sql {

ExpressionPtr substitute(const ExpressionPtr& expression,
                         const std::vector<ExpressionPtr>& columns) {
  if (expression->kind == Expression::Kind::kColumn) return columns[expression->column];
  bool changed = false;
  std::vector<ExpressionPtr> arguments;
  arguments.reserve(expression->arguments.size());
  for (const ExpressionPtr& argument : expression->arguments) {
    arguments.push_back(substitute(argument, columns));
    changed = changed || arguments.back() != argument;
  }
  if (!changed) return expression;
  Expression copy = *expression;
  copy.arguments = std::move(arguments);
  return std::make_shared<const Expression>(std::move(copy));
}

std::size_t depth(const Expression& expression) {
  std::size_t below = 0;
  for (const ExpressionPtr& argument : expression.arguments)
    below = std::max(below, depth(*argument));
  return below + 1;
}

namespace {

/// `left` less the nodes of the tree, or 0 when they are more.
std::size_t subtract_nodes(const Expression& expression, std::size_t left) {
  if (left == 0) return 0;
  --left;
  for (const ExpressionPtr& argument : expression.arguments) left = subtract_nodes(*argument, left);
  return left;
}

}  // namespace

bool is_larger_than(const Expression& expression, std::size_t limit) {
  return subtract_nodes(expression, limit + 1) == 0;
}

void count_columns(const Expression& expression, std::vector<std::size_t>& counts) {
  if (expression.kind == Expression::Kind::kColumn) ++counts[expression.column];
  for (const ExpressionPtr& argument : expression.arguments) count_columns(*argument, counts);
}

}  // namespace tidemark::sql
