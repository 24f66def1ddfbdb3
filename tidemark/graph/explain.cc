// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "tidemark/graph/job_graph.h"
#include "tidemark/graph/lookup.h"

namespace tidemark {
namespace {

class Tree {
 public:
  explicit Tree(const proto::JobGraph& graph) : graph_(graph) {
    for (const proto::Edge& edge : graph.edges()) consumed_.insert(edge.from());
  }

  std::string print() {
    for (const proto::Node& node : graph_.nodes())
      if (!consumed_.contains(node.id())) print(node, "", "", "");
    return std::move(text_);
  }

 private:
  /// `branch` leads to the node itself, `indent` to what is below it, `edge` says how its rows
  /// leave.
  void print(const proto::Node& node, const std::string& branch, const std::string& indent,
             const std::string& edge) {
    const bool repeated = !printed_.insert(node.id()).second;
    text_ += branch + edge + (node.name().empty() ? node.uid() : node.name());
    if (repeated) {
      text_ += " (as above)\n";
      return;
    }
    text_ += ": " + describe(graph_, node);
    if (node.parallelism() != 0) text_ += fmt::format(", parallelism {}", node.parallelism());
    text_ += '\n';

    std::vector<const proto::Edge*> inputs;
    for (const proto::Edge& input : graph_.edges())
      if (input.to() == node.id()) inputs.push_back(&input);
    for (const proto::Edge* input : inputs) {
      const proto::Node* from = graph::find_node(graph_, input->from());
      if (from == nullptr) continue;
      const bool last = input == inputs.back();
      print(*from, indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "),
            in_words(*input, *from));
    }
  }

  static std::string in_words(const proto::Edge& edge, const proto::Node& from) {
    std::vector<std::string> parts;
    if (edge.from_output() != 0) parts.push_back(fmt::format("output {}", edge.from_output()));
    switch (edge.partitioning()) {
      case proto::Edge::HASH: {
        std::vector<std::string> keys;
        for (const std::uint32_t key : edge.key_columns())
          keys.push_back(key < static_cast<std::uint32_t>(from.output().fields_size())
                             ? from.output().fields(static_cast<int>(key)).name()
                             : fmt::format("#{}", key));
        parts.push_back(keys.empty() ? "all to one"
                                     : fmt::format("hash {}", fmt::join(keys, ", ")));
        break;
      }
      case proto::Edge::REBALANCE: parts.push_back("rebalance"); break;
      case proto::Edge::BROADCAST: parts.push_back("broadcast"); break;
      default: break;
    }
    return parts.empty() ? "" : fmt::format("[{}] ", fmt::join(parts, ", "));
  }

  const proto::JobGraph& graph_;
  std::set<std::uint32_t> consumed_;
  std::set<std::uint32_t> printed_;
  std::string text_;
};

}  // namespace

std::string explain(const proto::JobGraph& graph) {
  return Tree(graph).print();
}

}  // namespace tidemark
