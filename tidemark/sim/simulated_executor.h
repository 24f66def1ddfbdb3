// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/executor.h"
#include "tidemark/sim/world.h"

namespace tidemark::sim {

/// Polls one task, or runs one piece of blocking work, a step. See Simulator.
class SimulatedExecutor final : public Executor {
 public:
  explicit SimulatedExecutor(World& world);

  TaskId spawn(std::shared_ptr<Pollable> task, std::size_t core) override;
  void wake(TaskId task) noexcept override;
  void wake_at(TaskId task, ProcessingTime when) override;
  void run_blocking(std::function<void()> work) override;
  std::size_t cores() const noexcept override { return cores_; }

  /// Makes one random step; false when no task is ready and no work waits.
  bool step();
  /// Wakes the tasks whose timers are due.
  void fire_timers();
  /// When the next timer is due; kMaxTime for none.
  ProcessingTime next_timer() const;
  void drop_all();

  std::string describe_waiting() const;
  bool all_finished() const noexcept { return tasks_.empty(); }
  /// Whether step() would do something.
  bool has_work() const;

 private:
  struct Task {
    std::shared_ptr<Pollable> pollable;
    PollState state = PollState::kReady;
    bool woken = true;
  };

  std::vector<TaskId> ready() const;
  void poll(TaskId id);

  World& world_;
  std::size_t cores_;
  std::size_t io_queue_max_;
  TaskId next_id_ = 1;
  std::map<TaskId, Task> tasks_;
  std::multimap<ProcessingTime, TaskId> timers_;
  std::vector<std::function<void()>> blocking_;
};

}  // namespace tidemark::sim
