// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tidemark/runtime/job.h"
#include "tidemark/runtime/task_protocol.h"

namespace tidemark {

/// What the master of a job tells the outside, and the outside tells the master. Thread-safe.
class JobStatus {
 public:
  /// What the master knows itself; the counters of running tasks are added by report().
  struct Known {
    JobState state = JobState::kRunning;
    std::string failure;
    JobCounters base;  // up to the checkpoint that the attempt started from
    std::uint64_t checkpoints_completed = 0;
    std::uint64_t checkpoints_failed = 0;
    CheckpointId last_checkpoint = 0;
    std::uint64_t last_checkpoint_bytes = 0;
    std::uint64_t last_checkpoint_new_bytes = 0;
    CheckpointId restored_from = 0;
    std::string restored_savepoint;
    std::string savepoint;
    std::string savepoint_failure;
    bool already_finished = false;
    std::uint32_t restarts = 0;
    std::vector<std::shared_ptr<TaskStats>> tasks;  // of the current or last attempt
  };

  /// Changes what is known, under the lock.
  template <typename Change>
  void update(Change change) {
    const std::lock_guard lock(mutex_);
    change(known_);
  }
  JobReport report() const;
  JobState state() const {
    const std::lock_guard lock(mutex_);
    return known_.state;
  }

  void request_stop() { stop_requested_.store(true); }
  void request_savepoint() { savepoint_requested_.store(true); }
  /// Whether a savepoint was asked for since the last call.
  bool take_savepoint_request() { return savepoint_requested_.exchange(false); }
  void request_cancel() { cancel_requested_.store(true); }
  bool stop_requested() const { return stop_requested_.load(); }
  bool cancel_requested() const { return cancel_requested_.load(); }

 private:
  mutable std::mutex mutex_;
  Known known_;
  std::atomic<bool> stop_requested_{false};
  std::atomic<bool> savepoint_requested_{false};
  std::atomic<bool> cancel_requested_{false};
};

}  // namespace tidemark
