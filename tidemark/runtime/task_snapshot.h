// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/checkpoint/storage.h"
#include "tidemark/runtime/counters.h"
#include "tidemark/runtime/publish_queue.h"

namespace tidemark {

/// Bytes that one step of a snapshot writes between two batches.
inline constexpr std::size_t kSnapshotStepBytes = std::size_t{1} << 20;

/// The frozen state of one operator of a task.
struct FrozenOperator {
  std::string uid;
  std::uint32_t subtask = 0;
  std::unique_ptr<SnapshotPart> part;
};

/// One checkpoint of one task, from the frozen state to durable files: the parts are stepped
/// between batches on the task's thread, then each file is synced on an I/O thread. Destroying it
/// gives the snapshot up; an I/O thread may still finish a file that nobody will refer to. Owner: a
/// task. Thread: the task's.
class TaskSnapshot {
 public:
  /// `counters` and `ended` are those at the barrier: the task goes on while its snapshot is
  /// written.
  TaskSnapshot(CheckpointId checkpoint, JobCounters counters, bool ended,
               std::vector<FrozenOperator> frozen, CheckpointStorage& storage,
               BlockingContext blocking);
  ~TaskSnapshot();

  CheckpointId checkpoint() const noexcept { return checkpoint_; }
  const JobCounters& counters() const noexcept { return counters_; }
  /// Whether the task had passed on its end before the barrier.
  bool ended() const noexcept { return ended_; }

  /// Whether step() has something to write.
  bool has_work() const noexcept { return at_ < frozen_.size(); }
  /// Writes about kSnapshotStepBytes. Throws what the storage throws.
  void step();
  /// The files, once all are durable. Throws when one could not be made so.
  std::optional<std::vector<SnapshotFile>> take_files();

 private:
  struct Closing;

  void close_file();

  CheckpointId checkpoint_;
  JobCounters counters_;
  bool ended_;
  std::vector<FrozenOperator> frozen_;
  std::size_t at_ = 0;
  CheckpointStorage& storage_;
  BlockingContext blocking_;
  std::unique_ptr<SnapshotFileWriter> writer_;  // of frozen_[at_], once begun
  std::vector<std::shared_ptr<Closing>> closing_;
};

}  // namespace tidemark
