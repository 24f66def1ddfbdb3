// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/checkpoint/snapshot_file.h"
#include "tidemark/checkpoint/storage.h"

namespace tidemark {

/// What a checkpoint holds of one state, over all subtasks.
struct StateInventory {
  std::string operator_uid;
  std::string operator_name;
  std::uint32_t parallelism = 1;  // of the operator when the checkpoint was made
  StateDescriptor state;
  std::uint64_t bytes = 0;               // of its blocks
  std::uint64_t key_groups = 0;          // that hold entries
  std::uint64_t items = 0;               // of an operator state
  std::optional<std::uint64_t> entries;  // of a keyed table; known after verification
};

enum class Verification : std::uint8_t {
  kIndexes,  // that every file is there, whole in length, with a sound index
  kBlocks,   // and every block: reads all of the state, and counts its entries
};

/// Lists the states of a checkpoint or savepoint, in the order of its operators. Errors
/// (kCheckpointDamaged) name the file and what is wrong with it.
Result<std::vector<StateInventory>> take_inventory(CheckpointStorage& storage,
                                                   const proto::CheckpointMetadata& metadata,
                                                   Verification verification);

/// The checkpoints and savepoints at `path`: a savepoint, one checkpoint (chk-<n>), the checkpoints
/// of a job, or the jobs below a checkpoint directory. Paths of directories that hold a
/// `_metadata`, in order; empty when there is none.
std::vector<std::string> find_checkpoints(FileSystem& files, const std::string& path);

}  // namespace tidemark
