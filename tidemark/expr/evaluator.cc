// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/evaluator.h"

#include "tidemark/expr/frame.h"
#include "tidemark/expr/row_errors.h"

namespace tidemark {
namespace {

// A row that failed anywhere in the tree is NULL, whatever was made of its parts (COALESCE(1 / x,
// 0)).
ColumnPtr without_failed(const ColumnPtr& column, const std::vector<RowError>& errors) {
  ColumnBuilder builder(column->type().with_nullable(true));
  builder.reserve(column->size());
  auto error = errors.begin();
  for (std::size_t row = 0; row < column->size(); ++row) {
    if (error != errors.end() && error->row == row) {
      builder.append_null();
      ++error;
    } else {
      builder.append_from(*column, row);
    }
  }
  return builder.finish();
}

class TreeEvaluator final : public Evaluator {
 public:
  TreeEvaluator(ExpressionPtr expression, NodePtr root)
      : expression_(std::move(expression)), root_(std::move(root)) {}

  ColumnPtr evaluate(const Batch& batch, EvaluationContext& context) override {
    Run run{.context = context, .errors = {}};
    ColumnPtr column = expand(root_->evaluate(Frame(batch), run), batch.rows());
    if (run.errors.empty()) [[likely]]
      return column;
    sort_row_errors(run.errors);
    column = without_failed(column, run.errors);
    merge_row_errors(context.errors, std::move(run.errors));
    return column;
  }

  void select(const Batch& batch, EvaluationContext& context,
              std::vector<RowIndex>& selected) override {
    const ColumnPtr column = evaluate(batch, context);
    selected.resize(batch.rows());
    const auto* values = column->values<std::uint8_t>();
    const std::uint8_t* valid = column->validity_bits();
    std::size_t count = 0;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      selected[count] = static_cast<RowIndex>(row);
      const bool known = valid == nullptr || bit_is_set(valid, row);
      count += known && values[row] != 0 ? 1 : 0;
    }
    selected.resize(count);
  }

 private:
  ExpressionPtr expression_;
  NodePtr root_;
};

}  // namespace

Result<std::unique_ptr<Evaluator>> make_evaluator(ExpressionPtr expression) {
  TIDEMARK_ASSIGN_OR_RETURN(NodePtr root, compile(*expression));
  return std::unique_ptr<Evaluator>(
      std::make_unique<TreeEvaluator>(std::move(expression), std::move(root)));
}

Result<Value> evaluate_constant(const ExpressionPtr& expression, const std::string& time_zone) {
  if (!is_constant(*expression))
    return Error{ErrorCode::kInvalidSql, "expected a constant, but it reads a column"};
  TIDEMARK_ASSIGN_OR_RETURN(auto evaluator, make_evaluator(expression));
  const Batch one_row(make_schema({}), 1, {});
  EvaluationContext context;
  context.time_zone = time_zone;
  const ColumnPtr column = evaluator->evaluate(one_row, context);
  if (!context.errors.empty()) return Error{ErrorCode::kEvaluation, context.errors.front().message};
  return value_at(*column, 0);
}

}  // namespace tidemark
