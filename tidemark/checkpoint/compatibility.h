// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/checkpoint/checkpoint.pb.h"
#include "tidemark/graph/job_graph.h"

namespace tidemark {

/// Writes into the metadata which job it is of: name, fingerprint, and each node's identity.
void identify_job(const proto::JobGraph& graph, proto::CheckpointMetadata* metadata);

/// Whether a job may start from a checkpoint: same fingerprint, same max parallelism, every
/// operator of the checkpoint still there. `uids` are those of the job's operators. The error names
/// the operator that differs and what both sides have. `path` says where the checkpoint is.
Status check_compatible(const std::string& path, const proto::CheckpointMetadata& metadata,
                        const proto::JobGraph& graph, std::uint32_t max_parallelism,
                        const std::vector<std::string>& uids);

/// Whether a job may start from a savepoint: same max parallelism, and every operator that has
/// state in it is one of `uids`, unless what is not may be dropped. What the states hold is
/// compared by those who restore them. The job may be another otherwise.
Status check_savepoint(const std::string& path, const proto::CheckpointMetadata& metadata,
                       std::uint32_t max_parallelism, const std::vector<std::string>& uids,
                       bool allow_dropped_state);

}  // namespace tidemark
