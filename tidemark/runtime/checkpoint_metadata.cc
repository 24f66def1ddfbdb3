// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/checkpoint_metadata.h"

#include <set>

#include "tidemark/checkpoint/compatibility.h"

namespace tidemark {
namespace {

constexpr std::string_view kCheckpointsCounter = "checkpoints_completed";
constexpr std::uint32_t kFormatVersion = 1;

void add_state(const StateDescriptor& state, std::set<std::string>& known,
               proto::OperatorMetadata* out) {
  if (!known.insert(state.name).second) return;
  proto::StateMetadata* stored = out->add_states();
  stored->set_name(state.name);
  stored->set_keyed(state.keyed);
  stored->set_redistribution(static_cast<std::uint32_t>(state.redistribution));
  stored->set_schema(state.schema);
  stored->set_version(state.version);
}

}  // namespace

proto::CheckpointMetadata assemble_metadata(const CompletedParts& parts) {
  proto::CheckpointMetadata metadata;
  const PhysicalPlan& plan = parts.blueprint.plan;
  identify_job(parts.blueprint.graph.plan, &metadata);
  metadata.set_format_version(kFormatVersion);
  metadata.set_checkpoint_id(parts.checkpoint);
  metadata.set_completed_at(parts.completed_at);
  metadata.set_job_id(parts.job_id);
  metadata.set_job_finished(parts.job_finished);
  metadata.set_max_parallelism(parts.blueprint.config.max_parallelism);

  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const PlannedNode& planned = plan.nodes[node];
    proto::OperatorMetadata* op = metadata.add_operators();
    op->set_uid(planned.node->uid());
    op->set_name(planned.node->name());
    op->set_parallelism(planned.parallelism);
    std::set<std::string> known;
    for (std::uint32_t subtask = 0; subtask < planned.parallelism; ++subtask) {
      const auto& ack = parts.acknowledgements.at(plan.task(planned.chain, subtask));
      if (ack.ended) op->set_ended_subtasks(op->ended_subtasks() + 1);
      for (const SnapshotFile& file : ack.files) {
        if (file.operator_uid != planned.node->uid()) continue;
        for (const StateDescriptor& state : file.states) add_state(state, known, op);
        *op->add_files() = file.file;
        metadata.set_stored_bytes(metadata.stored_bytes() + file.file.bytes() +
                                  file.file.stored_bytes());
        metadata.set_full_bytes(metadata.full_bytes() + file.file.bytes());
        for (const proto::SharedFile& shared : file.file.shared())
          metadata.set_full_bytes(metadata.full_bytes() + shared.bytes());
      }
    }
  }

  JobCounters sum = parts.base;
  for (const auto& [subtask, ack] : parts.acknowledgements) sum += ack.counters;
  for (const auto& [name, value] : to_map(sum)) (*metadata.mutable_counters())[name] = value;
  (*metadata.mutable_counters())[std::string(kCheckpointsCounter)] = parts.checkpoints_completed;
  return metadata;
}

std::uint64_t checkpoints_in(const proto::CheckpointMetadata& metadata) {
  const auto found = metadata.counters().find(std::string(kCheckpointsCounter));
  return found == metadata.counters().end() ? 0 : found->second;
}

}  // namespace tidemark
