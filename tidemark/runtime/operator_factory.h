// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/runtime/blueprint.h"

namespace tidemark {

/// The rows of the first edge into `node`: what its operator reads.
Result<SchemaPtr> input_schema_of(const proto::JobGraph& graph, const proto::Node& node);

}  // namespace tidemark
