// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/deployment.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/bytes.h"
#include "tidemark/checkpoint/compatibility.h"
#include "tidemark/runtime/dead_letters.h"
#include "tidemark/runtime/publish_queue.h"
#include "tidemark/runtime/sink_operator.h"
#include "tidemark/runtime/source_head.h"
#include "tidemark/runtime/state_check.h"

namespace tidemark {
namespace {

const proto::OperatorMetadata* find_operator(const proto::CheckpointMetadata& metadata,
                                             const std::string& uid) {
  for (const proto::OperatorMetadata& op : metadata.operators())
    if (op.uid() == uid) return &op;
  return nullptr;
}

// The operator state of all subtasks together; nullptr when there is none.
std::unique_ptr<SnapshotReader> open_whole(const StartingPoint* start, const std::string& uid) {
  if (start == nullptr) return nullptr;
  const proto::OperatorMetadata* op = find_operator(start->metadata, uid);
  if (op == nullptr || op->files().empty()) return nullptr;
  return start->storage->open_snapshot(start->metadata, uid, 0, 1).or_throw();
}

SourceAssignment assign_source(const DeploymentContext& context, std::size_t node,
                               const SnapshotReader* restored) {
  const SourceBlueprint& source = context.blueprint->sources.at(node);
  const std::uint32_t parallelism = context.blueprint->plan.nodes[node].parallelism;
  SourceAssignment assignment{.splits = {}, .enumerated_for = parallelism};
  std::vector<SplitState> known;
  if (restored) {
    for (const std::string& item : restored->read_operator(kSplitsState))
      known.push_back(decode_split_state(item));
    // A source that makes as many splits as it has subtasks makes the same ones again after a
    // rescale.
    for (const std::string& item : restored->read_operator(kEnumerationState))
      assignment.enumerated_for = ByteReader(item).get<std::uint32_t>();
  }
  SourceContext source_context{
      .files = context.environs.files, .clock = context.environs.clock, .table = source.table};
  std::vector<Split> found = source.source->enumerate(source_context, assignment.enumerated_for);
  assignment.splits = assign_splits(merge_splits(std::move(known), std::move(found)), parallelism);
  return assignment;
}

// Commits in the order of the checkpoints in which the output was prepared.
void commit_restored(Committer& committer, const SnapshotReader* restored, std::string_view state) {
  if (restored == nullptr) return;
  std::vector<PreparedOutput> outputs;
  for (const std::string& item : restored->read_operator(state))
    outputs.push_back(decode_prepared_output(item));
  std::stable_sort(
      outputs.begin(), outputs.end(),
      [](const PreparedOutput& a, const PreparedOutput& b) { return a.checkpoint < b.checkpoint; });
  std::vector<std::string> committables;
  for (PreparedOutput& output : outputs) committables.push_back(std::move(output.committable));
  if (!committables.empty()) committer.commit(committables);
}

void settle_sink(const DeploymentContext& context, std::size_t node, const StartingPoint* start) {
  const SinkBlueprint& sink = context.blueprint->sinks.at(node);
  const std::uint32_t parallelism = context.blueprint->plan.nodes[node].parallelism;
  const std::unique_ptr<SnapshotReader> restored = open_whole(start, context.blueprint->uid(node));
  for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
    SinkContext sink_context{.files = context.environs.files,
                             .clock = context.environs.clock,
                             .table = sink.table,
                             .job_id = context.job_id,
                             .sink_uid = context.blueprint->uid(node),
                             .subtask = subtask,
                             .parallelism = parallelism};
    const std::unique_ptr<Committer> committer = sink.sink->open_committer(sink_context);
    if (!committer) return;
    if (subtask == 0) commit_restored(*committer, restored.get(), kPreparedOutputState);
    committer->abort_unknown();
  }
}

void settle_dead_letters(const DeploymentContext& context, std::size_t node,
                         const StartingPoint* start) {
  const SourceBlueprint& source = context.blueprint->sources.at(node);
  if (source.options.record_errors != RecordErrorPolicy::kDeadLetter) return;
  const std::unique_ptr<SnapshotReader> restored = open_whole(start, context.blueprint->uid(node));
  const std::unique_ptr<Committer> committer =
      make_dead_letter_committer({.files = context.environs.files,
                                  .directory = source.options.dead_letter_path,
                                  .table = source.table,
                                  .job_id = context.job_id});
  commit_restored(*committer, restored.get(), kDeadLetterState);
  committer->abort_unknown();
}

void open_states(const DeploymentContext& context, Deployment& deployment) {
  const StartingPoint& start = *deployment.start;
  for (std::size_t node = 0; node < context.blueprint->plan.nodes.size(); ++node) {
    const std::string& uid = context.blueprint->uid(node);
    const proto::OperatorMetadata* op = find_operator(start.metadata, uid);
    if (op == nullptr) continue;
    if (op->ended_subtasks() > 0 && op->ended_subtasks() == op->parallelism())
      deployment.finished.insert(node);
    if (op->files().empty() || context.blueprint->sources.contains(node)) continue;
    const std::uint32_t parallelism = context.blueprint->plan.nodes[node].parallelism;
    for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask)
      deployment.readers[{node, subtask}] =
          start.storage->open_snapshot(start.metadata, uid, subtask, parallelism).or_throw();
  }
}

}  // namespace

Result<std::optional<StartingPoint>> find_start(const DeploymentContext& context) {
  const JobBlueprint& blueprint = *context.blueprint;
  std::vector<std::string> uids;
  for (std::size_t node = 0; node < blueprint.plan.nodes.size(); ++node)
    uids.push_back(blueprint.uid(node));
  if (context.storage) {
    TIDEMARK_ASSIGN_OR_RETURN(std::optional<proto::CheckpointMetadata> checkpoint,
                              context.storage->load_latest());
    if (checkpoint) {
      const std::string path = context.storage->path_of(checkpoint->checkpoint_id());
      TIDEMARK_TRY(check_compatible(path, *checkpoint, blueprint.graph.plan,
                                    blueprint.config.max_parallelism, uids));
      TIDEMARK_TRY(check_states(blueprint, *checkpoint));
      return std::optional(StartingPoint{context.storage, std::move(*checkpoint)});
    }
  }
  const std::string& path = blueprint.config.savepoint_path;
  if (path.empty()) return std::optional<StartingPoint>();
  auto storage = std::make_shared<CheckpointStorage>(*context.environs.files, path,
                                                     CheckpointStorage::Layout::kSavepoint);
  TIDEMARK_ASSIGN_OR_RETURN(std::optional<proto::CheckpointMetadata> savepoint,
                            storage->load_latest());
  if (!savepoint)
    return Error{ErrorCode::kNotFound,
                 fmt::format("'{}' is no savepoint: it has no file _metadata", path)};
  TIDEMARK_TRY(check_savepoint(path, *savepoint, blueprint.config.max_parallelism, uids,
                               blueprint.config.allow_dropped_state));
  TIDEMARK_TRY(check_states(blueprint, *savepoint));
  return std::optional(StartingPoint{std::move(storage), std::move(*savepoint)});
}

void settle_sinks(const DeploymentContext& context, const StartingPoint* start) {
  for (const auto& [node, sink] : context.blueprint->sinks) settle_sink(context, node, start);
  for (const auto& [node, source] : context.blueprint->sources)
    settle_dead_letters(context, node, start);
}

Deployment prepare_deployment(const DeploymentContext& context) {
  Deployment deployment;
  deployment.start = find_start(context).or_throw();
  if (context.storage) deployment.completed = context.storage->list();
  const StartingPoint* start = deployment.start ? &*deployment.start : nullptr;
  if (start && start->metadata.job_finished()) {
    settle_sinks(context, start);
    return deployment;
  }
  for (const auto& [node, source] : context.blueprint->sources) {
    const std::unique_ptr<SnapshotReader> restored =
        open_whole(start, context.blueprint->uid(node));
    deployment.sources[node] = assign_source(context, node, restored.get());
  }
  settle_sinks(context, start);
  if (start) open_states(context, deployment);
  return deployment;
}

}  // namespace tidemark
