// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/watermark_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/proto.h"

namespace tidemark {
namespace {

class ExpressionGenerator final : public WatermarkGenerator {
 public:
  ExpressionGenerator(std::unique_ptr<Evaluator> evaluator, const std::string& time_zone)
      : evaluator_(std::move(evaluator)) {
    context_.time_zone = time_zone;
  }

  void observe(const Batch& batch, std::span<EventTime> watermarks) override {
    context_.errors.clear();
    context_.watermark = current_;
    const ColumnPtr values = evaluator_->evaluate(batch, context_);
    if (!context_.errors.empty())
      throw Failure(
          ErrorCode::kEvaluation,
          fmt::format("the watermark expression failed: {}", context_.errors.front().message),
          /*retryable=*/false);
    const auto* value = values->values<std::int64_t>();
    const std::uint8_t precision = values->type().precision;
    const bool in_millis = values->kind() == TypeKind::kBigInt ||
                           timestamp_units_per_second(precision) == 1000;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      if (!values->is_null(i)) {
        const EventTime time = in_millis ? value[i] : timestamp_to_millis(value[i], precision);
        current_ = std::max(current_, saturating_add(time, 1));
      }
      watermarks[i] = current_;
    }
  }

  EventTime current() const override { return current_; }

 private:
  std::unique_ptr<Evaluator> evaluator_;
  EvaluationContext context_;
  EventTime current_ = kMinTime;
};

Result<WatermarkStrategy> expression_strategy(const proto::WatermarkSpec& spec,
                                              const std::string& time_zone) {
  TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr expression, from_proto(spec.expression()));
  const TypeKind kind = expression->type.kind;
  if (!is_timestamp(kind) && kind != TypeKind::kBigInt)
    return Error{ErrorCode::kInvalidSql,
                 fmt::format("a watermark expression is a TIMESTAMP or TIMESTAMP_LTZ, not {}",
                             to_string(expression->type))};
  // The first one shows whether all others can be made.
  auto trial = make_evaluator(expression);
  if (!trial.ok()) return trial.error();
  WatermarkStrategy strategy;
  strategy.make_generator = [expression, time_zone]() -> std::unique_ptr<WatermarkGenerator> {
    return std::make_unique<ExpressionGenerator>(make_evaluator(expression).or_throw(), time_zone);
  };
  return strategy;
}

}  // namespace

Result<WatermarkStrategy> make_watermark_strategy(const proto::WatermarkSpec& spec,
                                                  const std::string& time_zone) {
  WatermarkStrategy strategy;
  if (spec.strategy() == proto::WatermarkSpec::BOUNDED_OUT_OF_ORDERNESS) {
    strategy = bounded_out_of_orderness(spec.bound_millis());
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(strategy, expression_strategy(spec, time_zone));
  }
  strategy.emission =
      spec.emit_on_event() ? WatermarkEmission::kPerEvent : WatermarkEmission::kPerBatch;
  strategy.idle_after = spec.idle_after_millis();
  return strategy;
}

}  // namespace tidemark
