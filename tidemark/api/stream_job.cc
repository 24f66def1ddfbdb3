// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tidemark/api/stream_graph.h"
#include "tidemark/expr/proto.h"
#include "tidemark/graph/job_graph.h"

namespace tidemark::api_detail {
namespace {

void describe_edge(const StreamGraph& graph, StreamNodeId to, std::size_t input,
                   proto::Edge* edge) {
  const StreamNode& consumer = graph.node(to);
  const StreamInput& from = consumer.inputs[input];
  edge->set_from(from.from);
  edge->set_to(to);
  edge->set_to_input(static_cast<std::uint32_t>(input));
  edge->set_from_output(from.output);
  if (from.keyed) {
    edge->set_partitioning(proto::Edge::HASH);
    for (const std::size_t column : from.key_columns)
      edge->add_key_columns(static_cast<std::uint32_t>(column));
  } else if (from.broadcast) {
    edge->set_partitioning(proto::Edge::BROADCAST);
  } else if (graph.node(from.from).parallelism == consumer.parallelism) {
    edge->set_partitioning(proto::Edge::FORWARD);
  } else {
    edge->set_partitioning(proto::Edge::REBALANCE);
  }
}

void describe_spec(const StreamNode& node, const Schema& input, proto::Node* out) {
  switch (node.kind) {
    case StreamNode::Kind::kUnion: out->mutable_union_(); return;
    case StreamNode::Kind::kTableSink: {
      proto::SinkSpec* spec = out->mutable_sink();
      spec->set_table(node.table);
      to_proto(input, spec->mutable_schema());
      for (const auto& [name, value] : node.table_options) (*spec->mutable_options())[name] = value;
      return;
    }
    case StreamNode::Kind::kSource:
    case StreamNode::Kind::kOperator:
    case StreamNode::Kind::kSink: out->mutable_native()->set_factory(node.uid); return;
  }
}

}  // namespace

Result<JobGraph> StreamGraph::build(const std::string& job_name, const OptionMap& options) const {
  if (error_) return *error_;
  JobGraph graph;
  graph.plan.set_name(job_name);
  for (const auto& [name, value] : options) (*graph.plan.mutable_options())[name] = value;
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    const StreamNode& node = nodes_[id];
    proto::Node* out = graph.plan.add_nodes();
    out->set_id(id);
    out->set_uid(node.uid);
    out->set_name(node.name);
    out->set_parallelism(node.parallelism);
    if (node.output) to_proto(*node.output, out->mutable_output());
    const Schema no_input;
    describe_spec(node, node.inputs.empty() ? no_input : *nodes_[node.inputs[0].from].output, out);
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      describe_edge(*this, id, input, graph.plan.add_edges());
    if (out->has_native())
      graph.native[node.uid] = {node.make_operator, node.source, node.watermark, node.sink};
  }
  return graph;
}

}  // namespace tidemark::api_detail
