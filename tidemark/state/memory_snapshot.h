// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// Where the files of snapshots in memory are kept, shared by several of them.
class MemoryFiles final : public SnapshotFileStore {
 public:
  StoredFile store(const std::string& name, const Source& source) override {
    std::string bytes;
    std::string piece(std::size_t{64} << 10, '\0');
    for (std::size_t count = piece.size(); count == piece.size();) {
      count = source({reinterpret_cast<std::byte*>(piece.data()), piece.size()});
      bytes.append(piece, 0, count);
    }
    StoredFile file{name, std::to_string(++stored_), bytes.size(), stable_hash(bytes)};
    stored_bytes_ += bytes.size();
    files_[file.path] = std::move(bytes);
    return file;
  }
  bool holds(const StoredFile& file) override { return files_.contains(file.path); }

  std::string& bytes(const StoredFile& file) { return files_.at(file.path); }
  void forget_all() { files_.clear(); }
  std::size_t stored() const noexcept { return stored_; }
  std::size_t stored_bytes() const noexcept { return stored_bytes_; }

 private:
  std::map<std::string, std::string> files_;  // by path
  std::size_t stored_ = 0;
  std::size_t stored_bytes_ = 0;
};

/// The snapshots of all subtasks of an operator, kept in memory. For tests of what is below the
/// checkpoint layer; each subtask's part writes into one of them, in turn.
class MemorySnapshot final : public SnapshotWriter {
 public:
  explicit MemorySnapshot(std::shared_ptr<MemoryFiles> files = std::make_shared<MemoryFiles>())
      : files_(std::move(files)) {}

  struct Block {
    KeyGroup group;
    std::string entries;
  };
  struct State {
    StateDescriptor descriptor;
    std::vector<Block> blocks;
    std::vector<std::vector<std::string>> items;  // by the subtask that wrote them
  };

  void declare(const StateDescriptor& state) override {
    states_[state.name].descriptor = state;
    states_[state.name].items.emplace_back();
  }
  void write_keyed(std::string_view state, KeyGroup group, std::string_view entries) override {
    states_.find(state)->second.blocks.push_back({group, std::string(entries)});
  }
  void write_operator(std::string_view state, std::string_view item) override {
    states_.find(state)->second.items.back().emplace_back(item);
  }

  void attach(std::unique_ptr<SnapshotFiles> files) override { attached_ = std::move(files); }

  /// Steps a part to its end, and writes its files. `groups` are those of its subtask.
  void take(SnapshotPart& part, KeyGroupRange groups = {0, kDefaultMaxParallelism},
            std::size_t bytes_a_step = std::size_t{1} << 20) {
    while (!part.step(*this, bytes_a_step)) {
    }
    write_files(groups);
  }
  /// Writes the files that a part has left, if any.
  void write_files(KeyGroupRange groups) {
    if (attached_ == nullptr) return;
    own_forms_.push_back({std::string(attached_->form()), groups, attached_->write(*files_)});
    attached_.reset();
  }

  const std::vector<OwnForm>& own_forms() const noexcept { return own_forms_; }
  MemoryFiles& files() const noexcept { return *files_; }

  std::map<std::string, State, std::less<>>& states() noexcept { return states_; }
  const State* find(std::string_view name) const {
    const auto found = states_.find(name);
    return found == states_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, State, std::less<>> states_;
  std::shared_ptr<MemoryFiles> files_;
  std::shared_ptr<SnapshotFiles> attached_;
  std::vector<OwnForm> own_forms_;
};

/// What one subtask is handed in a restore. The snapshot outlives it.
class MemorySnapshotReader final : public SnapshotReader {
 public:
  explicit MemorySnapshotReader(const MemorySnapshot& snapshot, std::uint32_t subtask = 0,
                                std::uint32_t parallelism = 1,
                                std::uint32_t max_parallelism = kDefaultMaxParallelism)
      : snapshot_(snapshot),
        subtask_(subtask),
        parallelism_(parallelism),
        groups_(range_of(subtask, parallelism, max_parallelism)) {}

  const StateDescriptor* find(std::string_view state) const override {
    const MemorySnapshot::State* found = snapshot_.find(state);
    return found == nullptr ? nullptr : &found->descriptor;
  }

  void read_keyed(std::string_view state,
                  const std::function<void(KeyGroup, std::string_view)>& block) const override {
    const MemorySnapshot::State* found = snapshot_.find(state);
    if (found == nullptr) return;
    for (const MemorySnapshot::Block& stored : found->blocks)
      if (groups_.contains(stored.group)) block(stored.group, stored.entries);
  }

  std::vector<std::string> read_operator(std::string_view state) const override {
    std::vector<std::string> result;
    const MemorySnapshot::State* found = snapshot_.find(state);
    if (found == nullptr) return result;
    std::size_t index = 0;
    for (const std::vector<std::string>& items : found->items) {
      for (const std::string& item : items)
        if (is_mine(found->descriptor.redistribution, index++)) result.push_back(item);
      if (found->descriptor.redistribution == Redistribution::kBroadcast && !items.empty()) break;
    }
    return result;
  }

  std::vector<OwnForm> own_forms() const override {
    std::vector<OwnForm> forms;
    for (const OwnForm& form : snapshot_.own_forms())
      if (form.groups.begin < groups_.end && groups_.begin < form.groups.end) forms.push_back(form);
    return forms;
  }

  void read_file(const StoredFile& file,
                 const std::function<void(std::string_view)>& piece) const override {
    const std::string& bytes = snapshot_.files().bytes(file);
    if (bytes.size() != file.bytes || stable_hash(bytes) != file.checksum)
      throw Failure(ErrorCode::kCheckpointDamaged, "file '" + file.name + "' is damaged",
                    /*retryable=*/false);
    piece(bytes);
  }

 private:
  bool is_mine(Redistribution redistribution, std::size_t index) const {
    return redistribution != Redistribution::kSplit || index % parallelism_ == subtask_;
  }

  const MemorySnapshot& snapshot_;
  std::uint32_t subtask_;
  std::uint32_t parallelism_;
  KeyGroupRange groups_;
};

}  // namespace tidemark
