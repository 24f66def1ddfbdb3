// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/checkpoint/coordinator.h"
#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/runtime/output_port.h"

namespace tidemark {

/// A node of the graph with its parallelism settled.
struct PlannedNode {
  const proto::Node* node = nullptr;  // in the graph, which outlives the plan
  std::uint32_t parallelism = 1;
  std::size_t chain = 0;
};

/// Nodes that run as one task a subtask, in the order of the stream.
struct PlannedChain {
  std::vector<std::size_t> nodes;  // into PhysicalPlan::nodes
  std::uint32_t parallelism = 1;
  std::string name;
  SubtaskId first_task = 0;  // of subtask 0; those of the others follow
};

/// An edge between two chains.
struct PlannedEdge {
  std::size_t from_node = 0;
  std::size_t to_node = 0;
  std::uint32_t from_output = 0;
  std::uint32_t to_input = 0;
  Distribution distribution = Distribution::kForward;
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
};

/// A job as it is deployed: its nodes grouped into chains, and the edges that need channels.
struct PhysicalPlan {
  std::vector<PlannedNode> nodes;  // in the graph's order
  std::vector<PlannedChain> chains;
  std::vector<PlannedEdge> edges;

  /// The task of a subtask of a chain. Tasks are numbered chain after chain, subtask after subtask.
  SubtaskId task(std::size_t chain, std::uint32_t subtask) const {
    return chains[chain].first_task + subtask;
  }
  std::size_t tasks() const {
    return chains.empty() ? 0 : chains.back().first_task + chains.back().parallelism;
  }
};

/// Chains a node to the only consumer of its main output when rows stay in their subtask: over a
/// forward edge between equal parallelisms, or any edge when both are 1; a node with several inputs
/// begins a chain. `graph` is valid and outlives the plan. Errors name the node.
Result<PhysicalPlan> make_physical_plan(const proto::JobGraph& graph,
                                        std::uint32_t default_parallelism,
                                        std::uint32_t max_parallelism);

}  // namespace tidemark
