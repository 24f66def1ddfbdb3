// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/physical_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tidemark/expr/proto.h"
#include "tidemark/runtime/source_options.h"

namespace tidemark {
namespace {

class Planner {
 public:
  Planner(const proto::JobGraph& graph, std::uint32_t default_parallelism,
          std::uint32_t max_parallelism)
      : graph_(graph), default_(default_parallelism), max_(max_parallelism) {}

  Result<PhysicalPlan> run() {
    for (const proto::Node& node : graph_.nodes()) {
      TIDEMARK_ASSIGN_OR_RETURN(const std::uint32_t parallelism, parallelism_of(node));
      index_of_[node.id()] = plan_.nodes.size();
      plan_.nodes.push_back({.node = &node, .parallelism = parallelism});
    }
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) place(i);
    SubtaskId task = 0;
    for (PlannedChain& chain : plan_.chains) {
      chain.name = name_of(chain);
      chain.first_task = task;
      task += chain.parallelism;
    }
    for (const proto::Edge& edge : graph_.edges()) {
      if (is_chained(edge)) continue;
      TIDEMARK_ASSIGN_OR_RETURN(PlannedEdge planned, plan_edge(edge));
      plan_.edges.push_back(std::move(planned));
    }
    return std::move(plan_);
  }

 private:
  Result<std::uint32_t> parallelism_of(const proto::Node& node) const {
    std::uint32_t parallelism = node.parallelism();
    if (parallelism == 0 && node.has_source()) {
      const OptionMap options(node.source().options().begin(), node.source().options().end());
      TIDEMARK_ASSIGN_OR_RETURN(const SourceOptions read,
                                read_source_options(node.source().table(), options));
      parallelism = read.parallelism.value_or(0);
    }
    // Constant rows have an order, and are few.
    if (parallelism == 0) parallelism = node.has_values() ? 1 : default_;
    if (parallelism > max_)
      return Error{
          ErrorCode::kInvalidOption,
          fmt::format("'{}' has a parallelism of {}, above 'pipeline.max-parallelism' = {}",
                      node.name(), parallelism, max_)};
    return parallelism;
  }

  // Nodes come in topological order, so the chain of a node's input is known.
  void place(std::size_t index) {
    PlannedNode& node = plan_.nodes[index];
    const std::optional<std::size_t> before = chained_input(node);
    if (before) {
      node.chain = plan_.nodes[*before].chain;
    } else {
      node.chain = plan_.chains.size();
      plan_.chains.push_back(
          {.nodes = {}, .parallelism = node.parallelism, .name = {}, .first_task = 0});
    }
    plan_.chains[node.chain].nodes.push_back(index);
  }

  std::optional<std::size_t> chained_input(const PlannedNode& node) const {
    for (const proto::Edge& edge : graph_.edges())
      if (edge.to() == node.node->id() && is_chained(edge)) return index_of_.at(edge.from());
    return std::nullopt;
  }

  bool is_chained(const proto::Edge& edge) const {
    const PlannedNode& from = plan_.nodes[index_of_.at(edge.from())];
    const PlannedNode& to = plan_.nodes[index_of_.at(edge.to())];
    if (edge.from_output() != 0 || from.parallelism != to.parallelism) return false;
    if (edge.partitioning() != proto::Edge::FORWARD && to.parallelism != 1) return false;
    std::size_t consumers = 0;
    std::size_t inputs = 0;
    for (const proto::Edge& other : graph_.edges()) {
      if (other.from() == edge.from() && other.from_output() == 0) ++consumers;
      if (other.to() == edge.to()) ++inputs;
    }
    return consumers == 1 && inputs == 1;
  }

  Result<PlannedEdge> plan_edge(const proto::Edge& edge) const {
    PlannedEdge planned;
    planned.from_node = index_of_.at(edge.from());
    planned.to_node = index_of_.at(edge.to());
    planned.from_output = edge.from_output();
    planned.to_input = edge.to_input();
    const PlannedNode& from = plan_.nodes[planned.from_node];
    const PlannedNode& to = plan_.nodes[planned.to_node];
    switch (edge.partitioning()) {
      case proto::Edge::HASH: planned.distribution = Distribution::kKeyGroup; break;
      case proto::Edge::BROADCAST: planned.distribution = Distribution::kBroadcast; break;
      case proto::Edge::REBALANCE: planned.distribution = Distribution::kRebalance; break;
      default:
        planned.distribution =
            from.parallelism == to.parallelism ? Distribution::kForward : Distribution::kRebalance;
    }
    for (const std::uint32_t column : edge.key_columns()) {
      TIDEMARK_ASSIGN_OR_RETURN(
          const DataType type,
          from_proto(from.node->output().fields(static_cast<int>(column)).type()));
      planned.key_columns.push_back(column);
      planned.key_types.push_back(type);
    }
    return planned;
  }

  std::string name_of(const PlannedChain& chain) const {
    std::string name;
    for (const std::size_t index : chain.nodes) {
      const proto::Node& node = *plan_.nodes[index].node;
      name += (name.empty() ? "" : " -> ") + (node.name().empty() ? node.uid() : node.name());
    }
    return name;
  }

  const proto::JobGraph& graph_;
  const std::uint32_t default_;
  const std::uint32_t max_;
  std::map<std::uint32_t, std::size_t> index_of_;
  PhysicalPlan plan_;
};

}  // namespace

Result<PhysicalPlan> make_physical_plan(const proto::JobGraph& graph,
                                        std::uint32_t default_parallelism,
                                        std::uint32_t max_parallelism) {
  return Planner(graph, default_parallelism, max_parallelism).run();
}

}  // namespace tidemark
