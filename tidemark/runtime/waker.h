// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "tidemark/base/executor.h"

namespace tidemark {

/// Wakes a task whose id is not known yet when its channels are made. Shared by everything that
/// wakes the task. Thread-safe; does not own the executor, which outlives all tasks.
class TaskWaker {
 public:
  explicit TaskWaker(Executor& executor) : executor_(executor) {}

  /// Called once, after spawn(). Wakes the task, because wakes before this call had nobody to
  /// reach.
  void attach(TaskId task) {
    task_.store(std::uint64_t{task} | kAttached);
    executor_.wake(task);
  }
  void wake() noexcept {
    const std::uint64_t task = task_.load();
    if ((task & kAttached) != 0) executor_.wake(static_cast<TaskId>(task));
  }
  /// False when no task is attached yet: attach() will wake it, and then it must ask again.
  [[nodiscard]] bool wake_at(ProcessingTime when) {
    const std::uint64_t task = task_.load();
    if ((task & kAttached) == 0) return false;
    executor_.wake_at(static_cast<TaskId>(task), when);
    return true;
  }

 private:
  static constexpr std::uint64_t kAttached = std::uint64_t{1} << 63;

  Executor& executor_;
  std::atomic<std::uint64_t> task_{0};
};

/// Keeps a task from asking for the same wake at every poll. The task's thread.
class WakeTimer {
 public:
  /// Makes sure that the task is polled at `when` (kMaxTime: never). `now` is the clock's.
  void arm(TaskWaker& waker, ProcessingTime when, ProcessingTime now) {
    if (when == kMaxTime || (armed_ > now && armed_ <= when)) return;
    // A task may be polled before it is attached; nothing is armed then.
    if (waker.wake_at(when)) armed_ = when;
  }

 private:
  ProcessingTime armed_ = kMinTime;
};

}  // namespace tidemark
