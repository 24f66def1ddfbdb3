// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

/// What a WatermarkSpec says. An error when its expression is wrong by itself.
Result<WatermarkStrategy> make_watermark_strategy(const proto::WatermarkSpec& spec);

}  // namespace tidemark
