// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/calc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/row_errors.h"
#include "tidemark/operator/metrics.h"

namespace tidemark {
namespace {

// The columns of the input that an expression reads, and where they stand in the narrow batch that
// the projection is evaluated over, so that a filter gathers no others.
class UsedColumns {
 public:
  // The expression over the narrow batch.
  ExpressionPtr narrow(const ExpressionPtr& expression) {
    if (expression->kind == Expression::Kind::kColumn)
      return column_expression(position(expression->column), expression->type);
    if (expression->arguments.empty()) return expression;
    Expression copy = *expression;
    for (ExpressionPtr& argument : copy.arguments) argument = narrow(argument);
    return std::make_shared<const Expression>(std::move(copy));
  }
  const std::vector<std::size_t>& columns() const { return columns_; }

 private:
  std::size_t position(std::size_t column) {
    const auto [found, is_new] = positions_.emplace(column, columns_.size());
    if (is_new) columns_.push_back(column);
    return found->second;
  }
  std::map<std::size_t, std::size_t> positions_;
  std::vector<std::size_t> columns_;
};

SchemaPtr narrow_schema(const Schema& schema, const std::vector<std::size_t>& columns) {
  std::vector<Field> fields;
  for (const std::size_t column : columns) fields.push_back(schema.fields[column]);
  return make_schema(std::move(fields));
}

// "origin=ATL, delay=NULL": the row as far as a message can show it.
std::string row_text(const Batch& batch, std::size_t row) {
  constexpr std::size_t kShown = 60;
  constexpr std::size_t kColumns = 20;
  std::string text;
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kColumns) return text + "...";
    std::string value = to_string(value_at(batch.column(i), row));
    if (value.size() > kShown) value = value.substr(0, kShown) + "...";
    text += batch.schema().fields[i].name + "=" + value;
  }
  return text;
}

struct Projection {
  std::unique_ptr<Evaluator> evaluator;
  EvaluationContext context;
};

class Calc final : public Operator {
 public:
  Calc(CalcDescription description, std::unique_ptr<Evaluator> filter,
       std::vector<std::unique_ptr<Evaluator>> projection, std::vector<std::size_t> columns)
      : description_(std::move(description)),
        filter_{.evaluator = std::move(filter), .context = {}},
        columns_(std::move(columns)),
        narrow_schema_(narrow_schema(*description_.input, columns_)) {
    for (auto& evaluator : projection)
      projection_.push_back({.evaluator = std::move(evaluator), .context = {}});
  }

  void open(OperatorContext& context) override {
    metrics_ = context.metrics != nullptr ? context.metrics : &unread_metrics_;
    prepare(filter_, context, 0);
    for (std::size_t i = 0; i < projection_.size(); ++i) prepare(projection_[i], context, i + 1);
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    if (batch->rows() == 0) return Step::kDone;
    const bool all = select(*batch, out);
    if (selected_.empty() && !all) return Step::kDone;
    project(*batch, all, out);
    return Step::kDone;
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    filter_.context.watermark = watermark;
    for (Projection& one : projection_) one.context.watermark = watermark;
    out.emit_watermark(watermark);
    return Step::kDone;
  }

 private:
  // Each expression draws its own random numbers, the same ones from run to run.
  static void prepare(Projection& one, const OperatorContext& context, std::size_t index) {
    one.context.clock = context.clock;
    one.context.time_zone = context.time_zone;
    one.context.random_seed = context.seed + index * 0x9e3779b97f4a7c15ull;
  }

  // The rows that pass into selected_; or true, when every row does.
  bool select(const Batch& batch, Output& out) {
    if (filter_.evaluator == nullptr) return true;
    filter_.context.errors.clear();
    filter_.evaluator->select(batch, filter_.context, selected_);
    const std::size_t failed = filter_.context.errors.size();
    if (failed > 0) reject(batch, filter_.context.errors, out);
    metrics_->filtered.add(batch.rows() - selected_.size() - failed);
    return selected_.size() == batch.rows();
  }

  void project(const Batch& batch, bool all, Output& out) {
    const Batch narrow = narrowed(batch, all);
    std::vector<ColumnPtr> columns;
    columns.reserve(projection_.size());
    errors_.clear();
    for (Projection& one : projection_) {
      one.context.errors.clear();
      columns.push_back(one.evaluator->evaluate(narrow, one.context));
      for (RowError& error : one.context.errors) errors_.push_back(std::move(error));
    }
    BatchPtr result =
        std::make_shared<const Batch>(description_.output, narrow.rows(), std::move(columns),
                                      narrow.event_times_ptr(), narrow.row_kinds_ptr());
    if (!errors_.empty()) result = settle(batch, all, std::move(result), out);
    if (result->rows() > 0) out.emit(std::move(result));
  }

  // The selected rows of the columns that the projection reads, with event times and row kinds.
  Batch narrowed(const Batch& batch, bool all) const {
    const auto pick = [&](const ColumnPtr& column) -> ColumnPtr {
      if (column == nullptr || all) return column;
      return gather(*column, selected_);
    };
    std::vector<ColumnPtr> columns;
    columns.reserve(columns_.size());
    for (const std::size_t column : columns_) columns.push_back(pick(batch.column_ptr(column)));
    return Batch(narrow_schema_, all ? batch.rows() : selected_.size(), std::move(columns),
                 pick(batch.event_times_ptr()), pick(batch.row_kinds_ptr()));
  }

  // Applies the policy to the rows of which a value could not be computed.
  BatchPtr settle(const Batch& batch, bool all, BatchPtr result, Output& out) {
    sort_row_errors(errors_);
    if (description_.errors == RecordErrorPolicy::kSkip) {
      metrics_->nulled.add(errors_.size());
      return result;
    }
    std::vector<RowIndex> good;
    auto error = errors_.begin();
    for (RowIndex row = 0; row < result->rows(); ++row) {
      if (error != errors_.end() && error->row == row) {
        ++error;
      } else {
        good.push_back(row);
      }
    }
    if (!all)
      for (RowError& one : errors_) one.row = selected_[one.row];
    reject(batch, errors_, out);
    return gather(*result, good);
  }

  // Rows of the input that leave the stream, or end the job.
  void reject(const Batch& batch, const std::vector<RowError>& errors, Output& out) {
    switch (description_.errors) {
      case RecordErrorPolicy::kFail:
        throw Failure(ErrorCode::kEvaluation,
                      fmt::format("{}; the row is ({}). With 'tidemark.record-errors' = 'null' the "
                                  "value is NULL instead",
                                  errors.front().message, row_text(batch, errors.front().row)),
                      /*retryable=*/false);
      case RecordErrorPolicy::kSkip: metrics_->rejected_skipped.add(errors.size()); break;
      case RecordErrorPolicy::kDeadLetter: {
        std::vector<RowIndex> rows;
        for (const RowError& error : errors) rows.push_back(error.row);
        metrics_->rejected_dead_letter.add(rows.size());
        out.emit_side(kRejectedOutput, gather(batch, rows));
        break;
      }
    }
  }

  CalcDescription description_;
  Projection filter_;
  std::vector<Projection> projection_;
  std::vector<std::size_t> columns_;
  SchemaPtr narrow_schema_;
  OperatorMetrics* metrics_ = nullptr;
  OperatorMetrics unread_metrics_;  // where nobody asked for any
  std::vector<RowIndex> selected_;
  std::vector<RowError> errors_;
};

}  // namespace

Result<std::unique_ptr<Operator>> make_calc_operator(CalcDescription description) {
  TIDEMARK_CHECK(description.projection.size() == description.output->size(),
                 "an expression for each output column");
  std::unique_ptr<Evaluator> filter;
  if (description.filter != nullptr) {
    if (description.filter->type.kind != TypeKind::kBoolean)
      return Error{ErrorCode::kInvalidSql, fmt::format("a filter must be BOOLEAN, got {}",
                                                       to_string(description.filter->type))};
    TIDEMARK_ASSIGN_OR_RETURN(filter, make_evaluator(description.filter));
  }
  UsedColumns used;
  std::vector<std::unique_ptr<Evaluator>> projection;
  for (const ExpressionPtr& expression : description.projection) {
    TIDEMARK_ASSIGN_OR_RETURN(auto evaluator, make_evaluator(used.narrow(expression)));
    projection.push_back(std::move(evaluator));
  }
  return std::unique_ptr<Operator>(std::make_unique<Calc>(std::move(description), std::move(filter),
                                                          std::move(projection), used.columns()));
}

}  // namespace tidemark
