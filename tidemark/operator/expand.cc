// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/expand.h"

#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/expr/evaluator.h"

namespace tidemark {
namespace {

class Expand final : public Operator {
 public:
  using Projection = std::vector<std::unique_ptr<Evaluator>>;

  Expand(SchemaPtr output, std::vector<Projection> projections)
      : output_(std::move(output)), projections_(std::move(projections)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    batch_ = batch;
    next_ = 0;
    return resume(out);
  }

  Step resume(Output& out) override {
    while (next_ < projections_.size()) {
      std::vector<ColumnPtr> columns;
      for (const auto& column : projections_[next_])
        columns.push_back(column->evaluate(*batch_, context_));
      TIDEMARK_CHECK(context_.errors.empty(), "columns and literals have no errors");
      ++next_;
      out.emit(std::make_shared<const Batch>(output_, batch_->rows(), std::move(columns),
                                             batch_->event_times_ptr(), batch_->row_kinds_ptr()));
      if (next_ < projections_.size() && !out.ready()) return Step::kMore;
    }
    batch_ = nullptr;
    return Step::kDone;
  }

 private:
  SchemaPtr output_;
  std::vector<Projection> projections_;
  EvaluationContext context_;
  BatchPtr batch_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Operator>> make_expand_operator(ExpandDescription description) {
  std::vector<Expand::Projection> projections;
  for (const std::vector<ExpressionPtr>& columns : description.projections) {
    TIDEMARK_CHECK(columns.size() == description.output->size(), "an expression a column");
    Expand::Projection projection;
    for (const ExpressionPtr& column : columns) {
      if (column->kind != Expression::Kind::kColumn && column->kind != Expression::Kind::kLiteral)
        return Error{ErrorCode::kUnsupported, "an expansion takes columns and literals"};
      TIDEMARK_ASSIGN_OR_RETURN(auto evaluator, make_evaluator(column));
      projection.push_back(std::move(evaluator));
    }
    projections.push_back(std::move(projection));
  }
  return std::unique_ptr<Operator>(
      std::make_unique<Expand>(std::move(description.output), std::move(projections)));
}

}  // namespace tidemark
