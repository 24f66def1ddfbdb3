// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tidemark/runtime/blueprint.h"
#include "tidemark/runtime/task_protocol.h"

namespace tidemark {

/// What the metadata of a checkpoint is made from, once every task has acknowledged.
struct CompletedParts {
  const JobBlueprint& blueprint;
  std::string job_id;
  CheckpointId checkpoint;
  ProcessingTime completed_at;
  bool job_finished;
  std::uint64_t checkpoints_completed;  // in the life of the job, this one included
  JobCounters base;                     // before the attempt
  const std::map<SubtaskId, task_message::Acknowledged>& acknowledgements;
};

proto::CheckpointMetadata assemble_metadata(const CompletedParts& parts);

/// How many checkpoints the job had completed with this one.
std::uint64_t checkpoints_in(const proto::CheckpointMetadata& metadata);

}  // namespace tidemark
