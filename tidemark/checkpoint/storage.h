// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/file_system.h"
#include "tidemark/base/result.h"
#include "tidemark/checkpoint/checkpoint.pb.h"
#include "tidemark/checkpoint/shared_files.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// What a finished snapshot file is to the checkpoint: goes into its OperatorMetadata.
struct SnapshotFile {
  std::string operator_uid;
  std::uint32_t subtask = 0;
  std::vector<StateDescriptor> states;
  proto::SubtaskFile file;
};

/// Writes one subtask's snapshot of one operator (format: snapshot_file.h). The SnapshotWriter
/// calls are the task's; they are collected in memory and go to the file system by the quarter
/// megabyte. finish() comes last, once, on any thread: it waits for the disk. Destroying a writer
/// gives the snapshot up; its file stays until the checkpoint is removed.
class SnapshotFileWriter : public SnapshotWriter {
 public:
  /// Syncs and closes. Throws IoFailure.
  virtual SnapshotFile finish() = 0;
};

class SnapshotFileReader;

/// Checkpoints of one job in a directory: <dir>/chk-<n>/<operator>-<subtask>.state,
/// <dir>/chk-<n>/_metadata, and in <dir>/shared what several have in common; or one savepoint,
/// which is such a checkpoint with the directory to itself. A checkpoint exists if and only if its
/// `_metadata` does. Operating failures throw IoFailure. Thread-safe; one job at a time may own the
/// directory.
class CheckpointStorage {
 public:
  enum class Layout : std::uint8_t { kCheckpoints, kSavepoint };
  CheckpointStorage(FileSystem& files, std::string directory, Layout layout = Layout::kCheckpoints);

  const std::string& directory() const noexcept { return directory_; }
  Layout layout() const noexcept { return layout_; }
  /// The directory of a checkpoint.
  std::string path_of(CheckpointId checkpoint) const;

  std::unique_ptr<SnapshotFileWriter> create_snapshot(CheckpointId checkpoint,
                                                      const std::string& operator_uid,
                                                      std::uint32_t subtask);
  /// Makes the snapshot files' entries durable, then writes `_metadata` atomically: after it
  /// returns the checkpoint exists. When it throws the checkpoint may exist all the same (a last
  /// sync failed): remove() it.
  void complete(const proto::CheckpointMetadata& metadata);
  /// Removes a checkpoint's files, `_metadata` first, and shared files that only it needed. No
  /// error when there is none.
  void remove(CheckpointId checkpoint);
  /// Removes directories of checkpoints without `_metadata`, and shared files that no checkpoint
  /// needs: leftovers of a crash.
  void remove_incomplete();

  /// Complete checkpoints, ascending; empty when the directory does not exist. Not of a savepoint.
  std::vector<CheckpointId> list();
  /// Reads and checks `_metadata`, and that every file it names is there with its length; Errors
  /// name the file and what is wrong with it.
  Result<proto::CheckpointMetadata> load(CheckpointId checkpoint);
  /// The newest complete checkpoint; absent when there is none. A damaged one is an error, never
  /// passed over in silence.
  Result<std::optional<proto::CheckpointMetadata>> load_latest();

  /// One file of a loaded checkpoint, its index checked.
  Result<SnapshotFileReader> open_file(const proto::CheckpointMetadata& metadata,
                                       const proto::SubtaskFile& file);

  /// What `subtask` of `parallelism` gets of the operator's state: its key groups, and its share of
  /// operator state. Reads and checks the files' indexes; blocks are read and checked when they are
  /// asked for, and a damaged one throws a Failure (kCheckpointDamaged) that names its file.
  /// nullptr when the checkpoint has no such operator. The reader must not outlive the file system.
  ///
  /// kSplit: with the same parallelism every subtask gets its own items; with another the items of
  /// all, in the order of subtasks, go round robin. kUnion: all items, in that order. kBroadcast:
  /// the items of one old subtask.
  Result<std::unique_ptr<SnapshotReader>> open_snapshot(const proto::CheckpointMetadata& metadata,
                                                        const std::string& operator_uid,
                                                        std::uint32_t subtask,
                                                        std::uint32_t parallelism);

 private:
  Result<proto::CheckpointMetadata> load_from(const std::string& directory);
  SharedFiles& shared();

  FileSystem& files_;
  std::string directory_;
  Layout layout_;
  std::atomic<bool> directory_durable_{false};
  std::mutex mutex_;  // of what follows
  SharedFiles shared_;
  bool references_known_ = false;
};

/// A file name for an operator's snapshot that is safe on every file system, whatever the uid
/// holds: at most 64 characters of [a-z0-9_.-], different for different uids whatever their case.
std::string safe_file_name(std::string_view operator_uid);

}  // namespace tidemark
