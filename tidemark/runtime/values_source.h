// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// VALUES (...), (...): a bounded source of one split (operator/batch_source.h). What reads the
/// clock or draws random numbers is evaluated when a subtask opens the source, all else here. An
/// error when a row's expression is not constant or cannot be evaluated.
Result<SourcePtr> make_values_source(const proto::ValuesSpec& spec, SchemaPtr schema,
                                     const std::string& time_zone);

}  // namespace tidemark
