// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tidemark/checkpoint/snapshot_file.h"

namespace tidemark {

/// A subtask's place among those of an operator.
struct SubtaskPlace {
  std::uint32_t subtask = 0;
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
};

/// An old subtask's file, open.
struct OldSubtaskFile {
  std::uint32_t subtask = 0;
  SnapshotFileReader file;
  OwnForm own_form;  // no files: there is none for the new subtask
};

/// Hands over the bytes of a file of an OwnForm; see SnapshotReader::read_file.
using SharedFileReader =
    std::function<void(const StoredFile&, const std::function<void(std::string_view)>&)>;

/// Cuts what old subtasks wrote to what one new subtask gets. `files` ascend by subtask and hold
/// every old subtask whose state may concern `place`.
std::unique_ptr<SnapshotReader> make_snapshot_reader(std::vector<StateDescriptor> states,
                                                     std::uint32_t old_parallelism,
                                                     std::vector<OldSubtaskFile> files,
                                                     SubtaskPlace place,
                                                     SharedFileReader read_shared);

}  // namespace tidemark
