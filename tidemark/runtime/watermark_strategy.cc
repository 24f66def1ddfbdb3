// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/watermark_strategy.h"

#include <utility>

#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/proto.h"

namespace tidemark {

Result<WatermarkStrategy> make_watermark_strategy(const proto::WatermarkSpec& spec) {
  WatermarkStrategy strategy;
  if (spec.strategy() == proto::WatermarkSpec::BOUNDED_OUT_OF_ORDERNESS) {
    strategy = bounded_out_of_orderness(spec.bound_millis());
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr expression, from_proto(spec.expression()));
    // The first evaluator shows whether all others can be made.
    auto trial = make_evaluator(expression);
    if (!trial.ok()) return trial.error();
    strategy = expression_watermark(expression);
  }
  strategy.emission =
      spec.emit_on_event() ? WatermarkEmission::kPerEvent : WatermarkEmission::kPerBatch;
  strategy.idle_after = spec.idle_after_millis();
  return strategy;
}

}  // namespace tidemark
