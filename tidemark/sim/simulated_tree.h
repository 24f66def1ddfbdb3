// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/random.h"

// The inodes and directory entries of the simulated disk, in two versions: what programs see, and
// what a loss of power leaves.

namespace tidemark::sim {

struct Node {
  bool is_directory = false;
  // Files.
  std::string data;     // as programs see it
  std::string durable;  // as of the last sync
  // Directories.
  std::map<std::string, std::shared_ptr<Node>, std::less<>> entries;
  std::map<std::string, std::shared_ptr<Node>, std::less<>> durable_entries;
};
using NodePtr = std::shared_ptr<Node>;

/// One change of one entry; `node` is null for a removal.
struct EntryEdit {
  NodePtr directory;
  std::string name;
  NodePtr node;
  bool synced = false;
};

/// The changes of one call, which survive a crash together or not at all.
struct DirectoryChange {
  std::vector<EntryEdit> edits;
};

class SimulatedTree {
 public:
  SimulatedTree();

  /// nullptr when there is no such file or directory.
  NodePtr find(const std::vector<std::string>& path) const;
  const NodePtr& root() const noexcept { return root_; }

  /// Makes the change visible; it becomes durable when each of its directories is synced.
  void apply(DirectoryChange change);
  void sync_directory(const NodePtr& directory);
  static void sync_file(Node& file) { file.durable = file.data; }

  /// Goes back to what is durable, and to a random part of the rest when `keep_some`.
  void crash(Random& random, bool keep_some);

 private:
  void make_durable(std::size_t change);

  NodePtr root_;
  std::vector<DirectoryChange> pending_;  // in the order of the calls
};

/// "a//b/./c" and "/a/b/c" are {"a", "b", "c"}.
std::vector<std::string> split_path(const std::string& path);

}  // namespace tidemark::sim
