// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/base/executor.h"
#include "tidemark/checkpoint/coordinator.h"
#include "tidemark/checkpoint/storage.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/runtime/counters.h"
#include "tidemark/runtime/element.h"
#include "tidemark/runtime/mailbox.h"

// What a job's master and its tasks say to each other.

namespace tidemark {

/// What the master wants of a task. Each wish replaces the one before, so there is nothing to
/// queue. The master sets and then wakes; the task reads at every poll. Thread-safe.
class TaskControl {
 public:
  /// Take part in checkpoint `id`: sources send its barrier; a task whose inputs have all ended
  /// snapshots at once; others wait for the barrier from their inputs.
  void trigger(const Barrier& barrier) {
    triggered_at_.store(barrier.triggered_at, std::memory_order_relaxed);
    triggered_kind_.store(barrier.kind, std::memory_order_relaxed);
    triggered_.store(barrier.checkpoint, std::memory_order_release);
  }
  Barrier triggered() const {
    const CheckpointId id = triggered_.load(std::memory_order_acquire);
    return {id, triggered_at_.load(std::memory_order_relaxed),
            triggered_kind_.load(std::memory_order_relaxed)};
  }

  /// Where the next savepoint goes. Set for every task before the first is told to take part.
  void set_savepoint(std::shared_ptr<CheckpointStorage> storage) {
    const std::lock_guard lock(savepoint_mutex_);
    savepoint_ = std::move(storage);
  }
  std::shared_ptr<CheckpointStorage> savepoint() const {
    const std::lock_guard lock(savepoint_mutex_);
    return savepoint_;
  }

  /// Checkpoint `id` and all before it are complete: publish.
  void complete(CheckpointId id) { completed_.store(id, std::memory_order_release); }
  CheckpointId completed() const { return completed_.load(std::memory_order_acquire); }

  /// Forget checkpoint `id`.
  void abort(CheckpointId id) { aborted_.store(id, std::memory_order_release); }
  CheckpointId aborted() const { return aborted_.load(std::memory_order_acquire); }

  /// Sources: read no further. Set before the trigger of the checkpoint that is to be the last.
  void stop() { stopped_.store(true, std::memory_order_release); }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

  /// End at once.
  void cancel() { cancelled_.store(true, std::memory_order_release); }
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

 private:
  std::atomic<CheckpointId> triggered_{0};
  std::atomic<ProcessingTime> triggered_at_{0};
  std::atomic<SnapshotKind> triggered_kind_{SnapshotKind::kCheckpoint};
  mutable std::mutex savepoint_mutex_;
  std::shared_ptr<CheckpointStorage> savepoint_;
  std::atomic<CheckpointId> completed_{0};
  std::atomic<CheckpointId> aborted_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> cancelled_{false};
};

namespace task_message {
/// The task's part of a checkpoint is durable. `counters` are those at the barrier.
struct Acknowledged {
  std::uint64_t attempt;
  SubtaskId subtask;
  CheckpointId checkpoint;
  std::vector<SnapshotFile> files;
  JobCounters counters;
  bool ended;  // the task had passed on its end before the barrier
};
struct Declined {
  std::uint64_t attempt;
  SubtaskId subtask;
  CheckpointId checkpoint;
  std::string reason;
};
/// Every input has ended and everything was passed on. The task still takes part in checkpoints.
struct Ended {
  std::uint64_t attempt;
  SubtaskId subtask;
};
/// Everything up to and including `checkpoint` is published.
struct Published {
  std::uint64_t attempt;
  SubtaskId subtask;
  CheckpointId checkpoint;
};
struct Failed {
  std::uint64_t attempt;
  SubtaskId subtask;
  std::string reason;
  bool retryable;
};
/// The task was cancelled and is gone.
struct Closed {
  std::uint64_t attempt;
  SubtaskId subtask;
};
}  // namespace task_message

using TaskMessage =
    std::variant<task_message::Acknowledged, task_message::Declined, task_message::Ended,
                 task_message::Published, task_message::Failed, task_message::Closed>;

/// A task has at most one message of each kind on its way for each of two checkpoints.
inline constexpr std::size_t kMessagesPerTask = 16;

/// Counts blocking work of an attempt that has not returned yet: a new attempt must not start while
/// the old one may still touch the outside. Thread-safe.
class OutstandingWork {
 public:
  explicit OutstandingWork(std::shared_ptr<TaskWaker> master) : master_(std::move(master)) {}

  /// Runs `work` on an I/O thread. It must not throw.
  void run(Executor& executor, std::shared_ptr<OutstandingWork> self, std::function<void()> work) {
    count_.fetch_add(1);
    executor.run_blocking([self = std::move(self), work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it holds goes before the count says so
      if (self->count_.fetch_sub(1) == 1) self->master_->wake();
    });
  }
  bool none() const { return count_.load() == 0; }

 private:
  std::shared_ptr<TaskWaker> master_;
  std::atomic<std::uint64_t> count_{0};
};

/// What a source reports of how far it is, for progress lines.
struct SourceProgress {
  Counter bytes_read;
  Counter bytes_total;  // 0: unknown
};

/// The counters of one task, written by it and read by anyone.
struct TaskStats {
  struct OperatorLine {
    std::string uid;
    std::string name;
    OperatorRole role;
    std::shared_ptr<OperatorMetrics> metrics;
  };
  std::string name;
  std::uint32_t subtask = 0;
  std::vector<OperatorLine> operators;  // in the order of the chain
  TaskMetrics time;
  SourceProgress progress;

  JobCounters counters() const {
    JobCounters sum;
    for (const OperatorLine& line : operators) sum += read_counters(*line.metrics, line.role);
    return sum;
  }
};

}  // namespace tidemark
