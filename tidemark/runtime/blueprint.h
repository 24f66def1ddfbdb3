// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/runtime/job.h"
#include "tidemark/runtime/physical_plan.h"
#include "tidemark/runtime/source_options.h"
#include "tidemark/runtime/source_rows.h"

namespace tidemark {

/// A source of the job, ready to be opened by any subtask of any attempt.
struct SourceBlueprint {
  std::string table;
  SourcePtr source;
  SourceOptions options;
  SourceRowsDescription rows;
  std::optional<WatermarkStrategy> watermark;
};

/// A sink of the job.
struct SinkBlueprint {
  std::string table;
  SinkPtr sink;
  SchemaPtr schema;  // the columns of the table; null for a sink of a program
};

/// All of a job that is settled before anything runs, and the same for all its attempts. Immutable
/// once made; shared by threads.
struct JobBlueprint {
  JobGraph graph;
  JobConfig config;
  PhysicalPlan plan;
  std::map<std::size_t, SourceBlueprint> sources;  // by PlannedNode index
  std::map<std::size_t, SinkBlueprint> sinks;

  /// The state of sources and sinks, besides the operators, is under the node's uid.
  const std::string& uid(std::size_t node) const { return plan.nodes[node].node->uid(); }
};

/// Checks the graph and makes everything once, so that what a user got wrong is an Error here and
/// not a failure later.
Result<std::shared_ptr<const JobBlueprint>> make_blueprint(JobGraph graph, JobConfig config,
                                                           const ConnectorRegistry& connectors);

}  // namespace tidemark
