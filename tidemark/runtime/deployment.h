// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/checkpoint/storage.h"
#include "tidemark/runtime/blueprint.h"
#include "tidemark/runtime/split_state.h"

namespace tidemark {

/// The splits of one source, handed out.
struct SourceAssignment {
  std::vector<std::vector<SplitState>> splits;  // by subtask
  std::uint32_t enumerated_for = 1;
};

/// A checkpoint or savepoint, and where it is.
struct StartingPoint {
  std::shared_ptr<CheckpointStorage> storage;
  proto::CheckpointMetadata metadata;
};

/// What an attempt starts from.
struct Deployment {
  std::optional<StartingPoint> start;
  std::vector<CheckpointId> completed;              // in storage, ascending
  std::map<std::size_t, SourceAssignment> sources;  // by node
  /// Readers of operator state by (node, subtask); none for what has no state.
  std::map<std::pair<std::size_t, std::uint32_t>, std::unique_ptr<SnapshotReader>> readers;
  std::set<std::size_t> finished;  // nodes whose operators had all finished

  /// nullptr: starts from the beginning.
  const proto::CheckpointMetadata* restored() const { return start ? &start->metadata : nullptr; }
};

/// Where checkpoints are and who runs. `storage` is null without a checkpoint directory.
struct DeploymentContext {
  const JobBlueprint* blueprint = nullptr;
  std::shared_ptr<CheckpointStorage> storage;
  Environs environs;
  std::string job_id;
};

/// The newest complete checkpoint; without any, the savepoint that the job is to begin with. Errors
/// say why it is refused.
Result<std::optional<StartingPoint>> find_start(const DeploymentContext& context);

/// Everything that has to happen before the first task of an attempt runs, in this order: read the
/// newest checkpoint or the savepoint; find and hand out splits; publish what the checkpoint's
/// sinks had prepared and remove what other attempts left behind; open the operators' states. When
/// the checkpoint says that the job has finished, publishing is all that is left. Blocks; for an
/// I/O thread or a starting program. Throws Failure.
Deployment prepare_deployment(const DeploymentContext& context);

/// Publishes the prepared output of `start` (null: none), then removes what is unknown. All of a
/// sink's prepared output comes first, whichever subtask prepared it (operator/sink.h).
void settle_sinks(const DeploymentContext& context, const StartingPoint* start);

}  // namespace tidemark
