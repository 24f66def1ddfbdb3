// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tidemark/expr/expression.h"

namespace tidemark::sql {

/// The expression with column i replaced by columns[i], whose type is the same.
ExpressionPtr substitute(const ExpressionPtr& expression,
                         const std::vector<ExpressionPtr>& columns);

std::size_t depth(const Expression& expression);

/// Adds to counts[i] how often column i is read.
void count_columns(const Expression& expression, std::vector<std::size_t>& counts);

/// Whether the tree has more than `limit` nodes, each counted as often as it is reached.
bool is_larger_than(const Expression& expression, std::size_t limit);

/// Columns and literals: reading one twice costs nothing.
inline bool is_trivial(const Expression& expression) {
  return expression.kind == Expression::Kind::kColumn ||
         expression.kind == Expression::Kind::kLiteral;
}

}  // namespace tidemark::sql
