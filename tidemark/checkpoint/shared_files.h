// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "tidemark/base/file_system.h"
#include "tidemark/checkpoint/checkpoint.pb.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// The files that checkpoints of one job share: <dir>/shared/<n>-<operator>-<subtask>-<name>, n
/// being the checkpoint that brought the file. A file lives as long as a complete checkpoint refers
/// to it; which do is known from their `_metadata`, so that nothing is counted twice or forgotten
/// over a crash. Operating failures throw IoFailure. Thread-safe.
class SharedFiles {
 public:
  SharedFiles(FileSystem& files, std::string directory);

  /// Writes a file for a checkpoint in the making, and syncs it. `owner` makes its name unique
  /// within the checkpoint, together with `name`.
  StoredFile store(CheckpointId checkpoint, const std::string& owner, const std::string& name,
                   const SnapshotFileStore::Source& source);
  /// Makes the entries of all files stored so far durable.
  void sync();

  /// Takes a complete checkpoint's references into account, or one's that is about to be.
  void add(const proto::CheckpointMetadata& metadata);
  /// Forgets a checkpoint, and removes all files to which none refers any more. Those that a later
  /// one may be storing stay.
  void remove(CheckpointId checkpoint);
  /// Removes all files that no checkpoint refers to: only while none is made.
  void remove_unreferenced();
  bool is_referenced(const std::string& path) const;
  /// Some references are not known: nothing is removed any more.
  void keep_all();

  std::string path_of(std::string_view name) const;

 private:
  void sweep(CheckpointId last);

  FileSystem& files_;
  std::string directory_;
  mutable std::mutex mutex_;
  std::map<CheckpointId, std::set<std::string>> references_;
  bool keeps_all_ = false;
};

/// Checks that a shared file is there with its length; the error names it and `metadata_path`.
Status check_shared_file(FileSystem& files, const std::string& path,
                         const proto::SharedFile& expected, const std::string& metadata_path);

/// Hands over a shared file's bytes. Throws a Failure (kCheckpointDamaged) that names it when they
/// are not those that were stored.
void read_shared_file(FileSystem& files, const std::string& path, const StoredFile& expected,
                      const std::function<void(std::string_view)>& piece);

}  // namespace tidemark
