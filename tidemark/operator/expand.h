// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/expr/expression.h"
#include "tidemark/operator/operator.h"

namespace tidemark {

/// Each row becomes one row a projection, as GROUPING SETS want it.
struct ExpandDescription {
  SchemaPtr input;
  SchemaPtr output;
  /// One expression an output column each; columns of the input and literals.
  std::vector<std::vector<ExpressionPtr>> projections;
};

/// Event times and row kinds pass through. An error when an expression is more than a column or a
/// literal: what is computed is computed once, before.
Result<std::unique_ptr<Operator>> make_expand_operator(ExpandDescription description);

}  // namespace tidemark
