// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tidemark/cli/directory_lock.h"
#include "tidemark/cli/report.h"
#include "tidemark/runtime/job.h"

namespace tidemark {

/// Wakes the thread that waits for jobs to end. Thread-safe.
class EndSignal {
 public:
  void notify() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  /// Returns when notify() was called since the last return, or after `millis`.
  void wait(Millis millis) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(millis), [this] { return ended_; });
    ended_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

/// A job that `tidemark run` started, with what its messages need.
class RunningJob {
 public:
  /// `lock` is held for as long as the job lives; absent for a job without checkpoints.
  RunningJob(std::string name, std::unique_ptr<Job> job, std::optional<DirectoryLock> lock,
             const Clock& clock);

  const std::string& name() const noexcept { return name_; }
  Job& job() noexcept { return *job_; }
  bool ended() const { return job_->ended(); }
  /// Whether it has checkpoints to go on from.
  bool resumable() const noexcept { return lock_.has_value(); }
  std::string progress(std::size_t columns) const;
  std::string summarize() const;

 private:
  RunSpan span() const;

  std::string name_;
  std::optional<DirectoryLock> lock_;
  const Clock& clock_;
  std::int64_t started_ns_;
  std::unique_ptr<Job> job_;
  std::uint64_t rows_read_before_;
};

}  // namespace tidemark
