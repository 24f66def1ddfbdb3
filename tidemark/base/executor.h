// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tidemark/base/time.h"

namespace tidemark {

/// What a task wants after a poll.
enum class PollState : std::uint8_t {
  kReady,         // has more work at once: poll again after the others
  kWaitInput,     // every input channel is empty: somebody who fills one wakes it
  kWaitCredit,    // an output has no room: the consumer that makes room wakes it
  kWaitExternal,  // waits for a timer or for blocking work that was handed to an I/O thread
  kFinished,      // never polls again
};

/// How much one poll may do. A task checks it between batches, so it may overrun by one batch.
struct PollBudget {
  std::size_t batches_max = 16;
};

/// A cooperative state machine. Runs on one thread for life, so nothing in it needs a lock.
class Pollable {
 public:
  virtual ~Pollable() = default;

  /// Does a bounded amount of work and never blocks. An exception fails the job attempt; it is
  /// caught by the executor and handed to `on_failure`, once, and the task is not polled again.
  virtual PollState poll(const PollBudget& budget) = 0;
  virtual void on_failure(std::exception_ptr failure) noexcept = 0;
};

/// Identifies a task of one executor.
using TaskId = std::uint32_t;

/// Seam two of four: the only way to run something at the same time as something else.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Adds a task and polls it soon. `core` pins it: tasks with equal `core % cores()` share a
  /// thread. Thread-safe.
  virtual TaskId spawn(std::shared_ptr<Pollable> task, std::size_t core) = 0;

  /// Polls the task again soon. A wake before or during a poll is never lost. Thread-safe; calls
  /// for finished tasks do nothing.
  virtual void wake(TaskId task) noexcept = 0;

  /// Wakes the task once the clock's now() is at or after `when`. Thread-safe.
  virtual void wake_at(TaskId task, ProcessingTime when) = 0;

  /// Runs `work` on an I/O thread, where it may block. It must not throw: it reports through what
  /// it captured and then calls wake(). At most `io_queue_max` pieces wait; beyond that the call
  /// runs `work` itself. Thread-safe.
  virtual void run_blocking(std::function<void()> work) = 0;

  virtual std::size_t cores() const noexcept = 0;
};

}  // namespace tidemark
