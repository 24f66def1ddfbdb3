// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/compatibility.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tidemark {
namespace {

Error mismatch(const std::string& path, const std::string& what) {
  return {ErrorCode::kCheckpointMismatch,
          fmt::format("checkpoint '{}' is of another job: {}. Run the job it was made by, use "
                      "another checkpoint directory, or start over with --fresh",
                      path, what)};
}

std::string name_of(const proto::OperatorMetadata& op) {
  return op.name().empty() || op.name() == op.uid() ? fmt::format("'{}'", op.uid())
                                                    : fmt::format("'{}' ({})", op.uid(), op.name());
}

/// The first node that differs, in words; empty when none does or the checkpoint does not say.
std::string difference(const proto::CheckpointMetadata& metadata, const proto::JobGraph& graph) {
  std::map<std::string, proto::NodeIdentity> before;
  for (const proto::NodeIdentity& node : metadata.nodes()) before[node.uid()] = node;
  if (before.empty()) return "";
  proto::CheckpointMetadata now;
  identify_job(graph, &now);
  for (const proto::NodeIdentity& node : now.nodes()) {
    const auto old = before.find(node.uid());
    if (old == before.end())
      return fmt::format("operator '{}' of this job, {}, is not in the checkpoint", node.uid(),
                         node.description());
    if (old->second.fingerprint() != node.fingerprint())
      return fmt::format("operator '{}' was {} and is now {}", node.uid(),
                         old->second.description(), node.description());
    before.erase(old);
  }
  if (before.empty()) return "";
  return fmt::format("operator '{}' of the checkpoint, {}, is not in this job",
                     before.begin()->first, before.begin()->second.description());
}

Status check_max_parallelism(std::string_view what, const std::string& path,
                             const proto::CheckpointMetadata& metadata,
                             std::uint32_t max_parallelism) {
  if (metadata.max_parallelism() == max_parallelism) return {};
  return Error{
      ErrorCode::kCheckpointMismatch,
      fmt::format(
          "{} '{}' was made with max parallelism {}, this job has {}. It cannot change once "
          "a job has state: set pipeline.max-parallelism to {}, or start over with --fresh",
          what, path, metadata.max_parallelism(), max_parallelism, metadata.max_parallelism())};
}

bool has_state(const proto::OperatorMetadata& op) {
  return !op.states().empty();
}

}  // namespace

void identify_job(const proto::JobGraph& graph, proto::CheckpointMetadata* metadata) {
  metadata->set_job_name(graph.name());
  metadata->set_job_fingerprint(fingerprint(graph));
  metadata->clear_nodes();
  for (const proto::Node& node : graph.nodes()) {
    proto::NodeIdentity* identity = metadata->add_nodes();
    identity->set_uid(node.uid());
    identity->set_description(describe(graph, node));
    identity->set_fingerprint(fingerprint(graph, node));
  }
}

Status check_compatible(const std::string& path, const proto::CheckpointMetadata& metadata,
                        const proto::JobGraph& graph, std::uint32_t max_parallelism,
                        const std::vector<std::string>& uids) {
  TIDEMARK_TRY(check_max_parallelism("checkpoint", path, metadata, max_parallelism));

  if (metadata.job_fingerprint() != fingerprint(graph)) {
    const std::string what = difference(metadata, graph);
    return mismatch(
        path, what.empty() ? fmt::format("it was made by job '{}' with fingerprint {:016x}, this "
                                         "job '{}' has {:016x} ({})",
                                         metadata.job_name(), metadata.job_fingerprint(),
                                         graph.name(), fingerprint(graph), kFingerprintRule)
                           : fmt::format("{} ({})", what, kFingerprintRule));
  }

  const std::set<std::string> known(uids.begin(), uids.end());
  for (const proto::OperatorMetadata& op : metadata.operators())
    if (!known.contains(op.uid()))
      return mismatch(path, fmt::format("it holds state of operator {}, which this job does not "
                                        "have; this job's operators are {}",
                                        name_of(op), fmt::join(known, ", ")));
  return {};
}

Status check_savepoint(const std::string& path, const proto::CheckpointMetadata& metadata,
                       std::uint32_t max_parallelism, const std::vector<std::string>& uids,
                       bool allow_dropped_state) {
  TIDEMARK_TRY(check_max_parallelism("savepoint", path, metadata, max_parallelism));
  if (allow_dropped_state) return {};
  const std::set<std::string> known(uids.begin(), uids.end());
  for (const proto::OperatorMetadata& op : metadata.operators())
    if (has_state(op) && !known.contains(op.uid()))
      return Error{ErrorCode::kCheckpointMismatch,
                   fmt::format("savepoint '{}' holds state of operator {}, which this job does not "
                               "have; this job's operators are {}. Give the operator its uid back, "
                               "or leave its state behind with --allow-dropped-state",
                               path, name_of(op), fmt::join(known, ", "))};
  return {};
}

}  // namespace tidemark
