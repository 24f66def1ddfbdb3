// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/file_system.h"
#include "tidemark/base/result.h"
#include "tidemark/checkpoint/checkpoint.pb.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// One subtask's snapshot of one operator, written as the task steps its parts: a sequence of
/// checksummed blocks and an index at the end (format: snapshot_file.cc). Blocks are collected in
/// memory and go to the file on an I/O thread; at most `kBufferedBytesMax` wait.
struct SnapshotFile {
  std::string operator_uid;
  std::uint32_t subtask = 0;
  std::vector<StateDescriptor> states;
  proto::SubtaskFile file;
};

/// Writes one snapshot file: SnapshotWriter calls on the task's thread, finish() last. The calls
/// write through to the file system (buffered); finish() syncs and is meant for an I/O thread.
class SnapshotFileWriter : public SnapshotWriter {
 public:
  /// Syncs and closes; what the acknowledgement carries.
  virtual SnapshotFile finish() = 0;
};

/// Checkpoints of one job in a directory: <dir>/chk-<n>/<operator uid>-<subtask>.state and
/// <dir>/chk-<n>/_metadata. Thread-safe.
class CheckpointStorage {
 public:
  CheckpointStorage(FileSystem& files, std::string directory);

  const std::string& directory() const noexcept { return directory_; }

  std::unique_ptr<SnapshotFileWriter> create_snapshot(CheckpointId checkpoint,
                                                      const std::string& operator_uid,
                                                      std::uint32_t subtask);
  /// Writes `_metadata` atomically: after it returns the checkpoint exists.
  void complete(const proto::CheckpointMetadata& metadata);
  /// Removes a checkpoint's files, `_metadata` first. No error when there is none.
  void remove(CheckpointId checkpoint);
  /// Removes directories of checkpoints without `_metadata`: leftovers of a crash.
  void remove_incomplete();

  /// Complete checkpoints, ascending.
  std::vector<CheckpointId> list();
  /// Reads and checks `_metadata`; Errors name the file and what is wrong with it.
  Result<proto::CheckpointMetadata> load(CheckpointId checkpoint);
  /// The newest complete checkpoint; absent when there is none. A damaged one is an error, never
  /// passed over in silence.
  Result<std::optional<proto::CheckpointMetadata>> load_latest();

  /// Reads what `subtask` of `parallelism` gets of the operator's state: its key groups and its share
  /// of operator state. Checks checksums. nullptr when the checkpoint has no such operator.
  Result<std::unique_ptr<SnapshotReader>> open_snapshot(const proto::CheckpointMetadata& metadata,
                                                        const std::string& operator_uid,
                                                        std::uint32_t subtask,
                                                        std::uint32_t parallelism);

 private:
  std::string path_of(CheckpointId checkpoint) const;

  FileSystem& files_;
  std::string directory_;
};

/// Whether a job may start from a checkpoint: same fingerprint, same max parallelism, every operator
/// of the checkpoint still there. The error names the operator and both sides.
Status check_compatible(const proto::CheckpointMetadata& metadata, std::uint64_t fingerprint,
                        std::uint32_t max_parallelism, const std::vector<std::string>& uids);

}  // namespace tidemark
