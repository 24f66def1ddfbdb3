// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/state/key_group.h"
#include "tidemark/state/snapshot.h"

namespace tidemark::api_detail {

/// A subtask's snapshot in memory.
class HarnessSnapshot final : public SnapshotWriter {
 public:
  struct State {
    StateDescriptor descriptor;
    std::vector<std::pair<KeyGroup, std::string>> blocks;
    std::vector<std::string> items;
  };

  void declare(const StateDescriptor& state) override;
  void write_keyed(std::string_view state, KeyGroup group, std::string_view entries) override;
  void write_operator(std::string_view state, std::string_view item) override;

  void attach(std::unique_ptr<SnapshotFiles> files) override;

  std::string encode() const;
  /// Throws a Failure (kCheckpointDamaged) for bytes that encode() did not make.
  static HarnessSnapshot decode(std::string_view bytes);

  const std::map<std::string, State, std::less<>>& states() const noexcept { return states_; }

 private:
  State& state(std::string_view name);

  std::map<std::string, State, std::less<>> states_;
};

/// One subtask's view of the snapshots of all subtasks that there were: its key groups, and its
/// share of operator state.
class HarnessSnapshotReader final : public SnapshotReader {
 public:
  HarnessSnapshotReader(std::span<const std::string> snapshots, std::uint32_t subtask,
                        std::uint32_t parallelism, KeyGroupRange range);

  const StateDescriptor* find(std::string_view state) const override;
  void read_keyed(std::string_view state,
                  const std::function<void(KeyGroup, std::string_view)>& block) const override;
  std::vector<std::string> read_operator(std::string_view state) const override;
  std::vector<OwnForm> own_forms() const override { return {}; }
  void read_file(const StoredFile& file,
                 const std::function<void(std::string_view)>& piece) const override;

 private:
  std::vector<HarnessSnapshot> snapshots_;
  std::uint32_t subtask_;
  std::uint32_t parallelism_;
  KeyGroupRange range_;
};

}  // namespace tidemark::api_detail
