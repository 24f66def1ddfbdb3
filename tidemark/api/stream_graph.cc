// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/stream_graph.h"

#include <utility>

namespace tidemark::api_detail {
StreamNodeId StreamGraph::add(StreamNode node) {
  if (node.uid.empty()) node.uid = derive_uid(node);
  nodes_.push_back(std::move(node));
  return static_cast<StreamNodeId>(nodes_.size() - 1);
}

// The path from the source, so that a node's uid changes only when something before it does.
std::string StreamGraph::derive_uid(const StreamNode& node) const {
  std::string path = node.name;
  if (!node.inputs.empty()) path = nodes_[node.inputs.front().from].uid + "/" + path;
  if (!uid_taken(path)) return path;
  for (std::size_t n = 2;; ++n) {
    std::string numbered = path + "#" + std::to_string(n);
    if (!uid_taken(numbered)) return numbered;
  }
}

bool StreamGraph::uid_taken(std::string_view uid) const {
  for (const StreamNode& node : nodes_)
    if (node.uid == uid) return true;
  return false;
}

void StreamGraph::set_uid(StreamNodeId id, std::string uid) {
  if (uid.empty()) return fail("uid() of '" + nodes_[id].name + "' is empty: give it a name");
  if (uid != nodes_[id].uid && uid_taken(uid))
    return fail("uid '" + uid + "' is given twice: uids name the state of one operator each");
  nodes_[id].uid = std::move(uid);
}

void StreamGraph::set_parallelism(StreamNodeId id, std::uint32_t parallelism) {
  if (parallelism == 0)
    return fail("parallelism(0) of '" + nodes_[id].uid + "': it must be at least 1");
  nodes_[id].parallelism = parallelism;
}

void StreamGraph::fail(std::string message) {
  if (!error_) error_ = Error{ErrorCode::kInvalidOption, std::move(message)};
}

}  // namespace tidemark::api_detail
