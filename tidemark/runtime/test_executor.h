// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "tidemark/base/clock.h"
#include "tidemark/base/executor.h"

// For tests only.

namespace tidemark {

/// Polls tasks one after the other in the calling thread. A piece of blocking work is done now and
/// then, and when no task is ready. When all wait for a time, the clock moves there.
class TestExecutor final : public Executor {
 public:
  explicit TestExecutor(ManualClock& clock) : clock_(clock) {}

  TaskId spawn(std::shared_ptr<Pollable> task, std::size_t core) override {
    static_cast<void>(core);
    const TaskId id = next_++;
    tasks_[id] = std::move(task);
    wake(id);
    return id;
  }
  void wake(TaskId task) noexcept override {
    if (tasks_.contains(task) && !queued_[task]) {
      queued_[task] = true;
      ready_.push_back(task);
    }
  }
  void wake_at(TaskId task, ProcessingTime when) override { timers_.emplace(when, task); }
  void run_blocking(std::function<void()> work) override { blocking_.push_back(std::move(work)); }
  std::size_t cores() const noexcept override { return 1; }

  /// Until `done` is true; false when it never will be: nothing is left to do.
  bool run_until(const std::function<bool()>& done) {
    while (!done()) {
      if (!blocking_.empty() && (ready_.empty() || ++polls_ % kPollsPerBlockingWork == 0)) {
        const std::function<void()> work = std::move(blocking_.front());
        blocking_.pop_front();
        work();
      } else if (!ready_.empty()) {
        poll_next();
      } else if (!timers_.empty()) {
        fire_timers();
      } else {
        return false;
      }
    }
    return true;
  }
  /// Until every task waits, without moving the clock.
  void run_until_idle() {
    run_until([this] { return ready_.empty() && blocking_.empty(); });
  }
  bool all_finished() const { return tasks_.empty(); }
  /// How far the clock moves with each poll.
  void set_millis_per_poll(Millis millis) { millis_per_poll_ = millis; }
  /// Forgets all tasks and work, as the end of the process would.
  void crash() {
    tasks_.clear();
    queued_.clear();
    ready_.clear();
    timers_.clear();
    blocking_.clear();
  }

 private:
  void poll_next() {
    clock_.advance(millis_per_poll_);
    while (!timers_.empty() && timers_.begin()->first <= clock_.now()) {
      wake(timers_.begin()->second);
      timers_.erase(timers_.begin());
    }
    const TaskId id = ready_.front();
    ready_.pop_front();
    queued_[id] = false;
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return;
    const std::shared_ptr<Pollable> task = found->second;
    PollState state = PollState::kFinished;
    try {
      state = task->poll(PollBudget{});
    } catch (...) {
      task->on_failure(std::current_exception());
    }
    if (state == PollState::kFinished) tasks_.erase(id);
    if (state == PollState::kReady) wake(id);
  }

  void fire_timers() {
    const ProcessingTime when = timers_.begin()->first;
    if (when > clock_.now()) clock_.advance(when - clock_.now());
    while (!timers_.empty() && timers_.begin()->first <= clock_.now()) {
      wake(timers_.begin()->second);
      timers_.erase(timers_.begin());
    }
  }

  static constexpr std::uint64_t kPollsPerBlockingWork = 4;

  ManualClock& clock_;
  std::uint64_t polls_ = 0;
  Millis millis_per_poll_ = 0;
  TaskId next_ = 1;
  std::map<TaskId, std::shared_ptr<Pollable>> tasks_;
  std::map<TaskId, bool> queued_;
  std::deque<TaskId> ready_;
  std::multimap<ProcessingTime, TaskId> timers_;
  std::deque<std::function<void()>> blocking_;
};

}  // namespace tidemark
