// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulated_tree.h"

#include <algorithm>
#include <set>

namespace tidemark::sim {
namespace {

bool same_entry(const EntryEdit& a, const EntryEdit& b) {
  return a.directory == b.directory && a.name == b.name;
}

bool overlap(const DirectoryChange& a, const DirectoryChange& b) {
  return std::any_of(a.edits.begin(), a.edits.end(), [&](const EntryEdit& x) {
    return std::any_of(b.edits.begin(), b.edits.end(),
                       [&](const EntryEdit& y) { return same_entry(x, y); });
  });
}

/// What a disk may show of a file whose last bytes were never synced: the bytes that were synced,
/// a part of the new ones, and perhaps zeros where the length was written but the bytes were not.
std::string torn_contents(const Node& file, Random& random) {
  const bool appended = file.data.starts_with(file.durable);
  if (!appended && random.one_in(2)) return file.durable;
  const std::size_t kept = appended ? file.durable.size() : 0;
  std::string torn = file.data.substr(0, kept + random.below(file.data.size() - kept + 1));
  if (random.one_in(3)) torn.resize(torn.size() + random.below(file.data.size() - torn.size() + 1));
  return torn;
}

void crash_node(Node& node, Random& random, bool keep_some, std::set<const Node*>& seen) {
  if (!seen.insert(&node).second) return;
  if (!node.is_directory) {
    if (node.data != node.durable && keep_some) node.durable = torn_contents(node, random);
    node.data = node.durable;
    return;
  }
  node.entries = node.durable_entries;
  for (const auto& [name, child] : node.entries) crash_node(*child, random, keep_some, seen);
}

}  // namespace

SimulatedTree::SimulatedTree() : root_(std::make_shared<Node>(Node{.is_directory = true})) {}

NodePtr SimulatedTree::find(const std::vector<std::string>& path) const {
  NodePtr node = root_;
  for (const std::string& name : path) {
    if (!node->is_directory) return nullptr;
    const auto entry = node->entries.find(name);
    if (entry == node->entries.end()) return nullptr;
    node = entry->second;
  }
  return node;
}

void SimulatedTree::apply(DirectoryChange change) {
  for (const EntryEdit& edit : change.edits) {
    if (edit.node)
      edit.directory->entries[edit.name] = edit.node;
    else
      edit.directory->entries.erase(edit.name);
  }
  pending_.push_back(std::move(change));
}

void SimulatedTree::make_durable(std::size_t index) {
  // An earlier change of the same entry cannot reach the disk after this one.
  const DirectoryChange change = std::move(pending_[index]);
  pending_[index].edits.clear();
  for (std::size_t earlier = 0; earlier < index; ++earlier)
    if (overlap(pending_[earlier], change)) make_durable(earlier);
  for (const EntryEdit& edit : change.edits) {
    if (edit.node)
      edit.directory->durable_entries[edit.name] = edit.node;
    else
      edit.directory->durable_entries.erase(edit.name);
  }
}

void SimulatedTree::sync_directory(const NodePtr& directory) {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    auto& edits = pending_[i].edits;
    for (EntryEdit& edit : edits) edit.synced |= edit.directory == directory;
    const bool all =
        std::all_of(edits.begin(), edits.end(), [](const EntryEdit& edit) { return edit.synced; });
    if (all && !edits.empty()) make_durable(i);
  }
  std::erase_if(pending_, [](const DirectoryChange& change) { return change.edits.empty(); });
}

void SimulatedTree::crash(Random& random, bool keep_some) {
  // Half of the crashes lose everything: the case in which a missing sync shows most surely.
  if (keep_some && random.one_in(2)) {
    for (std::size_t i = 0; i < pending_.size(); ++i)
      if (!pending_[i].edits.empty() && random.one_in(2)) make_durable(i);
  }
  pending_.clear();
  std::set<const Node*> seen;
  crash_node(*root_, random, keep_some, seen);
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    begin = end + 1;
  }
  return parts;
}

}  // namespace tidemark::sim
