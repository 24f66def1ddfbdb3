// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tidemark/graph/job_graph.pb.h"

namespace tidemark::graph {

/// nullptr when there is none.
inline const proto::Node* find_node(const proto::JobGraph& graph, std::uint32_t id) {
  for (const proto::Node& node : graph.nodes())
    if (node.id() == id) return &node;
  return nullptr;
}

/// The rows of the first edge into the node: what its operator reads. An empty schema for sources.
inline const proto::Schema& input_schema(const proto::JobGraph& graph, const proto::Node& node) {
  for (const proto::Edge& edge : graph.edges()) {
    if (edge.to() != node.id()) continue;
    const proto::Node* from = find_node(graph, edge.from());
    if (from == nullptr) continue;
    // Late rows are those of the window's input.
    if (edge.from_output() != 0 && from->has_window_aggregate()) return input_schema(graph, *from);
    return from->output();
  }
  return proto::Schema::default_instance();
}

}  // namespace tidemark::graph
