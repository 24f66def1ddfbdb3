// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/inventory.h"

#include <algorithm>
#include <map>
#include <set>

#include "tidemark/checkpoint/metadata_file.h"
#include "tidemark/checkpoint/snapshot_file.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

constexpr const char* kMetadataName = "/_metadata";
constexpr int kDepthMax =
    3;  // .tidemark holds checkpoint directories, they jobs, those checkpoints

class Inventory {
 public:
  Inventory(CheckpointStorage& storage, const proto::CheckpointMetadata& metadata,
            Verification verification)
      : storage_(storage), metadata_(metadata), verification_(verification) {}

  Result<std::vector<StateInventory>> take() {
    for (const proto::OperatorMetadata& op : metadata_.operators()) {
      std::vector<StateInventory> states;
      for (const proto::SubtaskFile& file : op.files()) {
        TIDEMARK_ASSIGN_OR_RETURN(const SnapshotFileReader reader,
                                  storage_.open_file(metadata_, file));
        for (const SnapshotIndex::State& state : reader.index().states)
          add(reader, state, state_of(op, state.descriptor, states));
      }
      for (StateInventory& state : states) {
        state.key_groups = groups_[state.state.name].size();
        result_.push_back(std::move(state));
      }
      groups_.clear();
    }
    return std::move(result_);
  }

 private:
  static StateInventory& state_of(const proto::OperatorMetadata& op,
                                  const StateDescriptor& descriptor,
                                  std::vector<StateInventory>& states) {
    for (StateInventory& known : states)
      if (known.state.name == descriptor.name) return known;
    states.push_back({.operator_uid = op.uid(),
                      .operator_name = op.name(),
                      .parallelism = op.parallelism(),
                      .state = descriptor});
    return states.back();
  }

  void add(const SnapshotFileReader& reader, const SnapshotIndex::State& from,
           StateInventory& into) {
    for (const SnapshotBlock& block : from.blocks) {
      into.bytes += block.length;
      if (from.descriptor.keyed) {
        groups_[from.descriptor.name].insert(block.group);
      } else {
        ++into.items;
      }
      if (verification_ == Verification::kIndexes) continue;
      const std::string bytes = reader.read(block);
      if (is_table(from.descriptor))
        into.entries = into.entries.value_or(0) + table_block_entries(bytes);
    }
  }

  CheckpointStorage& storage_;
  const proto::CheckpointMetadata& metadata_;
  Verification verification_;
  std::vector<StateInventory> result_;
  std::map<std::string, std::set<KeyGroup>> groups_;  // of the operator at hand, by state
};

void find_below(FileSystem& files, const std::string& path, int depth,
                std::vector<std::string>& found) {
  if (files.exists(path + kMetadataName)) {
    found.push_back(path);
    return;
  }
  if (depth == 0 || !files.exists(path)) return;
  std::vector<std::string> below;
  for (const FileInfo& entry : files.list(path))
    if (entry.is_directory) below.push_back(entry.path);
  // chk-9 before chk-10.
  std::sort(below.begin(), below.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (const std::string& directory : below) find_below(files, directory, depth - 1, found);
}

}  // namespace

Result<std::vector<StateInventory>> take_inventory(CheckpointStorage& storage,
                                                   const proto::CheckpointMetadata& metadata,
                                                   Verification verification) {
  try {
    return Inventory(storage, metadata, verification).take();
  } catch (const Failure& failure) {
    return Error{failure.code(), failure.what()};
  }
}

std::vector<std::string> find_checkpoints(FileSystem& files, const std::string& path) {
  std::vector<std::string> found;
  find_below(files, path, kDepthMax, found);
  return found;
}

}  // namespace tidemark
