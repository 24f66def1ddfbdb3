// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {
namespace {

// The end of time is said by the end of the input alone.
constexpr EventTime kLargestPromise = kMaxTime - 1;

class ExpressionGenerator final : public WatermarkGenerator {
 public:
  explicit ExpressionGenerator(const ExpressionPtr& expression)
      : evaluator_(make_evaluator(expression).or_throw()), type_(expression->type) {}

  void observe(const Batch& batch, std::span<EventTime> watermarks) override {
    if (batch.rows() == 0) return;
    const ColumnPtr values = evaluate(batch);
    const auto* raw = values->values<std::int64_t>();
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      if (!values->is_null(i)) current_ = std::max(current_, promise_of(raw[i]));
      if (!watermarks.empty()) watermarks[i] = current_;
    }
  }
  EventTime current() const override { return current_; }

  void snapshot(ByteWriter& out) const override { out.put(current_); }
  void restore(ByteReader& in) override { current_ = in.get<EventTime>(); }

 private:
  ColumnPtr evaluate(const Batch& batch) {
    context_.errors.clear();
    context_.watermark = current_;
    ColumnPtr values = evaluator_->evaluate(batch, context_);
    if (!context_.errors.empty())
      throw Failure(ErrorCode::kEvaluation,
                    "the WATERMARK expression of a table cannot be evaluated for a row: " +
                        context_.errors.front().message,
                    /*retryable=*/false);
    return values;
  }

  EventTime promise_of(std::int64_t raw) const {
    const EventTime millis =
        is_timestamp(type_.kind) ? timestamp_to_millis(raw, type_.precision) : raw;
    if (millis == kMinTime || millis == kMaxTime) return kMinTime;
    return std::min(saturating_add(millis, 1), kLargestPromise);
  }

  std::unique_ptr<Evaluator> evaluator_;
  DataType type_;
  EvaluationContext context_;
  EventTime current_ = kMinTime;
};

}  // namespace

WatermarkStrategy expression_watermark(ExpressionPtr expression) {
  TIDEMARK_CHECK(is_timestamp(expression->type.kind) || expression->type.kind == TypeKind::kBigInt,
                 "a watermark is a TIMESTAMP, a TIMESTAMP_LTZ or a BIGINT");
  return {.make_generator = [expression = std::move(expression)] {
    return std::make_unique<ExpressionGenerator>(expression);
  }};
}

}  // namespace tidemark
