// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

/// What a WatermarkSpec says: SQL's WATERMARK FOR ts AS expr (W = expr + 1 ms, docs/semantics.md WM-2),
/// or a bounded out-of-orderness. An error when the expression is wrong by itself. The generators
/// throw a Failure for a row whose expression cannot be evaluated; a NULL raises nothing.
Result<WatermarkStrategy> make_watermark_strategy(const proto::WatermarkSpec& spec,
                                                  const std::string& time_zone);

}  // namespace tidemark
