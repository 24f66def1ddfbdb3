// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/expr/expression.h"

namespace tidemark {

/// A row that could not be evaluated, and why; its neighbours are not touched.
struct RowError {
  RowIndex row;
  std::string message;  // "division by zero in 10 / x"
};

/// What an evaluation may know besides its input, and where it puts its row errors.
/// Owned by the operator; one thread.
struct EvaluationContext {
  const Clock* clock = nullptr;    // for CURRENT_TIMESTAMP and its kin
  EventTime watermark = kMinTime;  // for CURRENT_WATERMARK (which returns W - 1, as Flink's)
  std::string time_zone = "UTC";   // table.local-time-zone
  std::uint64_t random_seed = 0;   // for RAND() and UUID(): drawn by the operator from its seed
  std::vector<RowError> errors;    // ascending by row, at most one a row
};

/// Evaluates one expression over batches, a column at a time. Holds compiled state (patterns,
/// constant columns); made once an operator, used by one thread.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The value of every row. A row that cannot be evaluated gets NULL and an entry in
  /// `context.errors`. Never throws for what data can cause.
  virtual ColumnPtr evaluate(const Batch& batch, EvaluationContext& context) = 0;

  /// The rows where the (BOOLEAN) expression is TRUE, ascending, into `selected`.
  virtual void select(const Batch& batch, EvaluationContext& context,
                      std::vector<RowIndex>& selected) = 0;
};

/// An error when a literal argument is wrong by itself: a pattern that does not compile, 3 / 0.
Result<std::unique_ptr<Evaluator>> make_evaluator(ExpressionPtr expression);

/// The value of a constant expression.
Result<Value> evaluate_constant(const ExpressionPtr& expression,
                                const std::string& time_zone = "UTC");

}  // namespace tidemark
