// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/calc.h"

#include <fmt/format.h>

#include <cstring>

#include "tidemark/data/value.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/operator/metrics.h"

namespace tidemark {
namespace {

struct CompiledExpression {
  ExpressionPtr expression;
  std::unique_ptr<Evaluator> evaluator;
};

void mark_columns(const Expression& expression, std::vector<bool>& used) {
  if (expression.kind == Expression::Kind::kColumn) used[expression.column] = true;
  for (const ExpressionPtr& argument : expression.arguments) mark_columns(*argument, used);
}

// Stands in for a column that nothing reads, so that the others keep their numbers.
ColumnPtr unread_column(std::size_t rows) {
  Buffer values(rows);
  if (rows > 0) std::memset(values.data(), 0, rows);
  return std::make_shared<const Column>(DataType::null(), rows, Buffer(), std::move(values),
                                        Buffer());
}

std::string row_text(const Batch& batch, std::size_t row) {
  std::string text;
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    if (!text.empty()) text += ", ";
    text += batch.schema().fields[i].name + " = " + to_string(value_at(batch.column(i), row));
  }
  return text;
}

class CalcOperator final : public Operator {
 public:
  CalcOperator(CalcDescription description, std::optional<CompiledExpression> filter,
               std::vector<CompiledExpression> projection)
      : description_(std::move(description)),
        filter_(std::move(filter)),
        projection_(std::move(projection)),
        read_after_filter_(description_.input->size(), false) {
    for (const CompiledExpression& column : projection_)
      mark_columns(*column.expression, read_after_filter_);
  }

  void open(OperatorContext& context) override {
    metrics_ = context.metrics;
    evaluation_.clock = context.clock;
    evaluation_.time_zone = context.time_zone;
    evaluation_.random_seed = context.seed;
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    const BatchPtr kept = filter_ ? filter(batch) : batch;
    if (kept->rows() > 0) out.emit(project(*kept, *batch));
    return Step::kDone;
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    evaluation_.watermark = watermark;
    out.emit_watermark(watermark);
    return Step::kDone;
  }

 private:
  BatchPtr filter(const BatchPtr& batch) {
    kept_rows_.clear();
    evaluation_.errors.clear();
    filter_->evaluator->select(*batch, evaluation_, kept_rows_);
    handle_errors(*filter_->expression, *batch);
    if (metrics_)
      metrics_->filtered.add(batch->rows() - kept_rows_.size() - evaluation_.errors.size());
    if (kept_rows_.size() == batch->rows()) return batch;
    return gather_read_columns(*batch);
  }

  BatchPtr gather_read_columns(const Batch& batch) const {
    std::vector<ColumnPtr> columns;
    columns.reserve(batch.columns().size());
    ColumnPtr unread;
    for (std::size_t i = 0; i < batch.columns().size(); ++i) {
      if (read_after_filter_[i]) {
        columns.push_back(gather(batch.column(i), kept_rows_));
      } else {
        if (!unread) unread = unread_column(kept_rows_.size());
        columns.push_back(unread);
      }
    }
    const auto gather_optional = [this](const ColumnPtr& column) {
      return column ? gather(*column, kept_rows_) : nullptr;
    };
    return std::make_shared<const Batch>(batch.schema_ptr(), kept_rows_.size(), std::move(columns),
                                         gather_optional(batch.event_times_ptr()),
                                         gather_optional(batch.row_kinds_ptr()));
  }

  // `original` has all columns of the rows, for messages.
  BatchPtr project(const Batch& kept, const Batch& original) {
    std::vector<ColumnPtr> columns;
    columns.reserve(projection_.size());
    for (const CompiledExpression& column : projection_) {
      evaluation_.errors.clear();
      columns.push_back(column.evaluator->evaluate(kept, evaluation_));
      if (kept.rows() != original.rows())
        for (RowError& error : evaluation_.errors) error.row = kept_rows_[error.row];
      handle_errors(*column.expression, original);
    }
    return std::make_shared<const Batch>(description_.output, kept.rows(), std::move(columns),
                                         kept.event_times_ptr(), kept.row_kinds_ptr());
  }

  void handle_errors(const Expression& expression, const Batch& batch) {
    if (evaluation_.errors.empty()) return;
    if (description_.errors == RecordErrorPolicy::kFail) {
      const RowError& first = evaluation_.errors.front();
      throw Failure(ErrorCode::kEvaluation,
                    fmt::format("cannot evaluate {}: {}; the row is ({}). With "
                                "'tidemark.record-errors' = 'null' the value is NULL instead",
                                to_string(expression, *description_.input), first.message,
                                row_text(batch, first.row)),
                    /*retryable=*/false);
    }
    if (metrics_) metrics_->rejected_skipped.add(evaluation_.errors.size());
  }

  CalcDescription description_;
  std::optional<CompiledExpression> filter_;
  std::vector<CompiledExpression> projection_;
  std::vector<bool> read_after_filter_;  // by input column
  EvaluationContext evaluation_;
  std::vector<RowIndex> kept_rows_;
  OperatorMetrics* metrics_ = nullptr;
};

Result<CompiledExpression> compile(const ExpressionPtr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, make_evaluator(expression));
  return CompiledExpression{expression, std::move(evaluator)};
}

}  // namespace

Result<std::unique_ptr<Operator>> make_calc_operator(CalcDescription description) {
  TIDEMARK_CHECK(description.projection.size() == description.output->size(),
                 "an expression for each output column");
  std::optional<CompiledExpression> filter;
  if (description.filter) {
    TIDEMARK_ASSIGN_OR_RETURN(filter, compile(description.filter));
  }
  std::vector<CompiledExpression> projection;
  for (const ExpressionPtr& expression : description.projection) {
    TIDEMARK_ASSIGN_OR_RETURN(CompiledExpression compiled, compile(expression));
    projection.push_back(std::move(compiled));
  }
  return std::unique_ptr<Operator>(std::make_unique<CalcOperator>(
      std::move(description), std::move(filter), std::move(projection)));
}

}  // namespace tidemark
