// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/snapshot_reader.h"

#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

class CutReader final : public SnapshotReader {
 public:
  CutReader(std::vector<StateDescriptor> states, std::uint32_t old_parallelism,
            std::vector<OldSubtaskFile> files, SubtaskPlace place, SharedFileReader read_shared)
      : states_(std::move(states)),
        old_parallelism_(old_parallelism),
        files_(std::move(files)),
        read_shared_(std::move(read_shared)),
        place_(place),
        groups_(range_of(place.subtask, place.parallelism, place.max_parallelism)) {}

  const StateDescriptor* find(std::string_view state) const override {
    for (const StateDescriptor& candidate : states_)
      if (candidate.name == state) return &candidate;
    return nullptr;
  }

  void read_keyed(std::string_view state,
                  const std::function<void(KeyGroup, std::string_view)>& visit) const override {
    for (const OldSubtaskFile& old : files_) {
      const SnapshotIndex::State* found = old.file.index().find(state);
      if (found == nullptr || !found->descriptor.keyed) continue;
      for (const SnapshotBlock& block : found->blocks)
        if (groups_.contains(block.group)) visit(block.group, old.file.read(block));
    }
  }

  std::vector<std::string> read_operator(std::string_view state) const override {
    const StateDescriptor* descriptor = find(state);
    if (descriptor == nullptr || descriptor->keyed) return {};
    switch (descriptor->redistribution) {
      case Redistribution::kSplit: return split(state);
      case Redistribution::kUnion: return items(state, [](auto, auto) { return true; });
      case Redistribution::kBroadcast: return broadcast(state);
    }
    return {};
  }

  std::vector<OwnForm> own_forms() const override {
    std::vector<OwnForm> forms;
    for (const OldSubtaskFile& old : files_)
      if (!old.own_form.files.empty()) forms.push_back(old.own_form);
    return forms;
  }

  void read_file(const StoredFile& file,
                 const std::function<void(std::string_view)>& piece) const override {
    read_shared_(file, piece);
  }

 private:
  /// Items of all old subtasks, in order, for which wanted(old subtask, number of the item) holds.
  std::vector<std::string> items(
      std::string_view state,
      const std::function<bool(std::uint32_t, std::uint64_t)>& wanted) const {
    std::vector<std::string> found;
    std::uint64_t number = 0;
    for (const OldSubtaskFile& old : files_) {
      const SnapshotIndex::State* in_file = old.file.index().find(state);
      if (in_file == nullptr) continue;
      for (const SnapshotBlock& block : in_file->blocks)
        if (wanted(old.subtask, number++)) found.push_back(old.file.read(block));
    }
    return found;
  }

  std::vector<std::string> split(std::string_view state) const {
    // Each its own when nothing changed, so that a subtask finds again what it had (Flink's rule).
    if (place_.parallelism == old_parallelism_)
      return items(state, [this](auto subtask, auto) { return subtask == place_.subtask; });
    return items(
        state, [this](auto, auto number) { return number % place_.parallelism == place_.subtask; });
  }

  std::vector<std::string> broadcast(std::string_view state) const {
    std::vector<std::uint32_t> holders;
    for (const OldSubtaskFile& old : files_)
      if (old.file.index().find(state) != nullptr) holders.push_back(old.subtask);
    if (holders.empty()) return {};
    const std::uint32_t from = holders[place_.subtask % holders.size()];
    return items(state, [from](auto subtask, auto) { return subtask == from; });
  }

  std::vector<StateDescriptor> states_;
  std::uint32_t old_parallelism_;
  std::vector<OldSubtaskFile> files_;
  SharedFileReader read_shared_;
  SubtaskPlace place_;
  KeyGroupRange groups_;
};

}  // namespace

std::unique_ptr<SnapshotReader> make_snapshot_reader(std::vector<StateDescriptor> states,
                                                     std::uint32_t old_parallelism,
                                                     std::vector<OldSubtaskFile> files,
                                                     SubtaskPlace place,
                                                     SharedFileReader read_shared) {
  TIDEMARK_CHECK(place.subtask < place.parallelism, "no such subtask");
  return std::make_unique<CutReader>(std::move(states), old_parallelism, std::move(files), place,
                                     std::move(read_shared));
}

}  // namespace tidemark
