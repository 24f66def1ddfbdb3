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

/// What comes out of the first edge into the node; an empty schema for sources.
inline const proto::Schema& input_schema(const proto::JobGraph& graph, const proto::Node& node) {
  for (const proto::Edge& edge : graph.edges())
    if (edge.to() == node.id())
      if (const proto::Node* from = find_node(graph, edge.from())) return from->output();
  return proto::Schema::default_instance();
}

}  // namespace tidemark::graph
