// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/expr/expression.h"
#include "tidemark/operator/operator.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// Side output of the rows that the policy kDeadLetter keeps.
inline constexpr OutputIndex kRejectedOutput = 1;

/// WHERE and SELECT in one pass over each batch.
struct CalcDescription {
  SchemaPtr input;
  SchemaPtr output;
  ExpressionPtr filter;                   // null: every row passes
  std::vector<ExpressionPtr> projection;  // one an output column; shared columns cost nothing
  /// What happens to a row for which an expression cannot be evaluated. kFail throws a Failure that
  /// names the expression and the row's values. kSkip: a value of the projection is NULL (`nulled`
  /// counts the row), and a row whose filter fails does not pass (`rejected_skipped`). kDeadLetter:
  /// the row of the input goes to the output kRejectedOutput (`rejected_dead_letter`).
  RecordErrorPolicy errors = RecordErrorPolicy::kFail;
};

/// Event times and row kinds pass through.
Result<std::unique_ptr<Operator>> make_calc_operator(CalcDescription description);

}  // namespace tidemark
