// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/base/result.h"
#include "tidemark/checkpoint/checkpoint.pb.h"
#include "tidemark/runtime/blueprint.h"

namespace tidemark {

/// Whether the states that the job's operators declare (operator/declares_states.h) can be made
/// from those of a checkpoint. The error names operator, state, field and both types.
Status check_states(const JobBlueprint& blueprint, const proto::CheckpointMetadata& metadata);

}  // namespace tidemark
