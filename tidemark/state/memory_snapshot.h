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

#include "tidemark/state/snapshot.h"

namespace tidemark {

/// The snapshots of all subtasks of an operator, kept in memory. For tests of what is below the
/// checkpoint layer; each subtask's part writes into one of them, in turn.
class MemorySnapshot final : public SnapshotWriter {
 public:
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

  /// Steps a part to its end.
  void take(SnapshotPart& part, std::size_t bytes_a_step = std::size_t{1} << 20) {
    while (!part.step(*this, bytes_a_step)) {
    }
  }

  std::map<std::string, State, std::less<>>& states() noexcept { return states_; }
  const State* find(std::string_view name) const {
    const auto found = states_.find(name);
    return found == states_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, State, std::less<>> states_;
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
