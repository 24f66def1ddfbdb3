// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulated_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "tidemark/base/error.h"
#include "tidemark/sim/simulated_tree.h"

namespace tidemark {
namespace {

using sim::DirectoryChange;
using sim::Node;
using sim::NodePtr;
using sim::SimulatedTree;
using sim::split_path;

/// What open files share with the file system, which they may outlive.
struct Disk {
  explicit Disk(std::uint64_t seed) : random(seed) {}

  /// Counts an operation and says whether it fails.
  bool fails() {
    ++operations;
    ++since_faults_set;
    if (faults.halt_at_nth_file_operation != 0 &&
        since_faults_set >= faults.halt_at_nth_file_operation)
      halted = true;
    if (halted) return true;
    if (since_faults_set == faults.fail_nth_file_operation) return true;
    return faults.file_failure_one_in != 0 && random.one_in(faults.file_failure_one_in);
  }
  void operation(const char* what, const std::string& path) {
    if (fails()) throw IoFailure(what, path, EIO);
  }

  std::mutex mutex;
  SimulatedTree tree;
  Random random;
  FaultPlan faults;
  std::uint64_t operations = 0;
  std::uint64_t since_faults_set = 0;
  std::uint64_t epoch = 0;  // crashes so far: files opened in an earlier epoch are dead
  bool halted = false;
};

class SimulatedWritableFile final : public WritableFile {
 public:
  SimulatedWritableFile(std::shared_ptr<Disk> disk, NodePtr node, std::string path)
      : disk_(std::move(disk)),
        node_(std::move(node)),
        path_(std::move(path)),
        epoch_(disk_->epoch) {}

  void append(std::span<const std::byte> bytes) override {
    const std::lock_guard lock(disk_->mutex);
    require_usable("append to");
    const bool fails = disk_->fails();
    if (disk_->halted) throw IoFailure("append to", path_, EIO);
    const std::size_t count = fails ? disk_->random.below(bytes.size() + 1) : bytes.size();
    node_->data.append(reinterpret_cast<const char*>(bytes.data()), count);
    if (!fails) return;
    failed_ = true;
    throw IoFailure("append to", path_, ENOSPC);
  }

  void sync() override {
    const std::lock_guard lock(disk_->mutex);
    require_usable("sync");
    disk_->operation("sync", path_);
    SimulatedTree::sync_file(*node_);
  }

  void close() override { closed_ = true; }
  std::uint64_t size() const override {
    const std::lock_guard lock(disk_->mutex);
    return node_->data.size();
  }

 private:
  void require_usable(const char* what) const {
    if (closed_ || failed_ || epoch_ != disk_->epoch) throw IoFailure(what, path_, EBADF);
  }

  std::shared_ptr<Disk> disk_;
  NodePtr node_;
  std::string path_;
  std::uint64_t epoch_;
  bool closed_ = false;
  bool failed_ = false;
};

class SimulatedReadableFile final : public ReadableFile {
 public:
  SimulatedReadableFile(std::shared_ptr<Disk> disk, NodePtr node, std::string path)
      : disk_(std::move(disk)),
        node_(std::move(node)),
        path_(std::move(path)),
        epoch_(disk_->epoch) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::lock_guard lock(disk_->mutex);
    if (epoch_ != disk_->epoch) throw IoFailure("read", path_, EBADF);
    disk_->operation("read", path_);
    if (offset >= node_->data.size()) return 0;
    const std::size_t count = std::min<std::size_t>(into.size(), node_->data.size() - offset);
    std::memcpy(into.data(), node_->data.data() + offset, count);
    return count;
  }
  std::uint64_t size() const override {
    const std::lock_guard lock(disk_->mutex);
    return node_->data.size();
  }

 private:
  std::shared_ptr<Disk> disk_;
  NodePtr node_;
  std::string path_;
  std::uint64_t epoch_;
};

std::string join(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

class FileSystemInMemory final : public SimulatedFileSystem {
 public:
  explicit FileSystemInMemory(std::uint64_t seed) : disk_(std::make_shared<Disk>(seed)) {}

  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("open", path);
    return std::make_unique<SimulatedReadableFile>(disk_, file_at("open", path), path);
  }

  std::unique_ptr<WritableFile> create(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("create", path);
    const Place place = place_of("create", path);
    NodePtr node = existing(place);
    if (node && node->is_directory) throw IoFailure("create", path, EISDIR);
    if (node) {
      node->data.clear();
    } else {
      node = std::make_shared<Node>();
      disk_->tree.apply({{{place.directory, place.name, node}}});
    }
    return std::make_unique<SimulatedWritableFile>(disk_, std::move(node), path);
  }

  void rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("rename", from);
    const Place source = place_of("rename", from);
    const Place target = place_of("rename", to);
    const NodePtr node = existing(source);
    if (!node) throw IoFailure("rename", from, ENOENT);
    const NodePtr replaced = existing(target);
    if (replaced && replaced->is_directory) throw IoFailure("rename", to, EISDIR);
    if (node == replaced) return;
    disk_->tree.apply(
        {{{source.directory, source.name, nullptr}, {target.directory, target.name, node}}});
  }

  void remove(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("remove", path);
    const std::vector<std::string> parts = split_path(path);
    const NodePtr node = disk_->tree.find(parts);
    if (!node) return;
    if (node->is_directory) throw IoFailure("remove", path, EISDIR);
    const Place place = place_of("remove", path);
    disk_->tree.apply({{{place.directory, place.name, nullptr}}});
  }

  void remove_tree(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    const NodePtr node = disk_->tree.find(split_path(path));
    if (!node) {
      disk_->operation("remove", path);
      return;
    }
    const Place place = place_of("remove", path);
    remove_node(place.directory, place.name, path);
  }

  void create_directories(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("create the directory", path);
    NodePtr node = disk_->tree.root();
    for (const std::string& name : split_path(path)) {
      if (!node->is_directory) throw IoFailure("create the directory", path, ENOTDIR);
      const auto entry = node->entries.find(name);
      if (entry != node->entries.end()) {
        node = entry->second;
        continue;
      }
      auto child = std::make_shared<Node>(Node{.is_directory = true});
      disk_->tree.apply({{{node, name, child}}});
      node = child;
    }
    if (!node->is_directory) throw IoFailure("create the directory", path, EEXIST);
  }

  void sync_directory(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("sync the directory", path);
    disk_->tree.sync_directory(directory_at("sync the directory", path));
  }

  bool exists(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("look for", path);
    return disk_->tree.find(split_path(path)) != nullptr;
  }

  FileInfo info(const std::string& path) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("look at", path);
    const NodePtr node = disk_->tree.find(split_path(path));
    if (!node) throw IoFailure("look at", path, ENOENT);
    return {path, node->data.size(), node->is_directory};
  }

  std::vector<FileInfo> list(const std::string& directory) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->operation("list", directory);
    std::vector<FileInfo> found;
    for (const auto& [name, node] : directory_at("list", directory)->entries)
      found.push_back({join(directory, name), node->data.size(), node->is_directory});
    return found;
  }

  void crash() override {
    const std::lock_guard lock(disk_->mutex);
    disk_->tree.crash(disk_->random, disk_->faults.crash_keeps_some_unsynced);
    ++disk_->epoch;
    disk_->halted = false;
    disk_->faults.halt_at_nth_file_operation = 0;
  }

  void set_faults(const FaultPlan& faults) override {
    const std::lock_guard lock(disk_->mutex);
    disk_->faults = faults;
    disk_->since_faults_set = 0;
  }

  std::uint64_t operations() const override {
    const std::lock_guard lock(disk_->mutex);
    return disk_->operations;
  }

  bool halted() const override {
    const std::lock_guard lock(disk_->mutex);
    return disk_->halted;
  }

 private:
  struct Place {
    NodePtr directory;
    std::string name;
  };

  Place place_of(const char* what, const std::string& path) const {
    std::vector<std::string> parts = split_path(path);
    if (parts.empty()) throw IoFailure(what, path, EINVAL);
    std::string name = std::move(parts.back());
    parts.pop_back();
    NodePtr directory = disk_->tree.find(parts);
    if (!directory) throw IoFailure(what, path, ENOENT);
    if (!directory->is_directory) throw IoFailure(what, path, ENOTDIR);
    return {std::move(directory), std::move(name)};
  }

  static NodePtr existing(const Place& place) {
    const auto entry = place.directory->entries.find(place.name);
    return entry == place.directory->entries.end() ? nullptr : entry->second;
  }

  NodePtr file_at(const char* what, const std::string& path) const {
    NodePtr node = disk_->tree.find(split_path(path));
    if (!node) throw IoFailure(what, path, ENOENT);
    if (node->is_directory) throw IoFailure(what, path, EISDIR);
    return node;
  }

  NodePtr directory_at(const char* what, const std::string& path) const {
    NodePtr node = disk_->tree.find(split_path(path));
    if (!node) throw IoFailure(what, path, ENOENT);
    if (!node->is_directory) throw IoFailure(what, path, ENOTDIR);
    return node;
  }

  void remove_node(const NodePtr& directory, const std::string& name, const std::string& path) {
    const NodePtr node = directory->entries.at(name);
    while (!node->entries.empty()) {
      const std::string child = node->entries.begin()->first;
      remove_node(node, child, join(path, child));
    }
    disk_->operation("remove", path);
    disk_->tree.apply({{{directory, name, nullptr}}});
  }

  std::shared_ptr<Disk> disk_;
};

}  // namespace

std::unique_ptr<SimulatedFileSystem> make_simulated_file_system(std::uint64_t seed) {
  return std::make_unique<FileSystemInMemory>(seed);
}

}  // namespace tidemark
