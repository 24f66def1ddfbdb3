// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/executor.h"
#include "tidemark/base/random.h"
#include "tidemark/runtime/transport.h"
#include "tidemark/sim/fault_plan.h"
#include "tidemark/sim/simulated_file_system.h"

namespace tidemark {

/// What a simulation did so far.
struct SimulatorStatistics {
  std::uint64_t steps = 0;
  std::uint64_t polls = 0;
  std::uint64_t blocking_pieces = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t crashes = 0;
  /// The most batches that a channel ever held beyond its credit: what its sender sent regardless.
  std::uint64_t overrun_batches_max = 0;
};

/// A whole machine in one thread, from one seed: clock, executor, transport and files. Two runs
/// with the same seed and the same program do the same, step by step. crash() forgets everything
/// that is not durable, as a power failure does: tasks, queues, unsynced bytes and unsynced
/// directory entries.
///
/// A step is one of: a poll of a task that is ready or was woken, or a piece of blocking work. What
/// comes next is random; time moves a little between steps, and to the next timer when nothing else
/// is left. A task is never polled without a reason, so one that nobody wakes shows as a deadlock.
class Simulator {
 public:
  Simulator(std::uint64_t seed, FaultPlan faults);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  Clock& clock() noexcept;
  Executor& executor() noexcept;
  Transport& transport() noexcept;
  SimulatedFileSystem& files() noexcept;
  /// For the decisions of the test itself, so that they too come from the seed.
  Random& random() noexcept;

  /// Polls tasks in a random order until `done`; returns whether it came true. False means that
  /// `steps_max` steps were not enough, that nothing can ever happen again (deadlocked()), or that
  /// the disk has halted (files().halted()): then only crash() goes on.
  bool run_until(const std::function<bool()>& done, std::uint64_t steps_max);

  /// Drops all tasks and blocking work, and what was not synced. The simulator goes on, and so does
  /// its clock. Not from within a step.
  void crash();

  /// Whether tasks wait and nothing is left that could wake them.
  bool deadlocked() const;
  /// A line for each task that has not finished and what it waits for, and for each channel that
  /// holds something. For the message of a failed test.
  std::string describe_waiting() const;

  /// Grows by every decision: equal for two runs if and only if they did the same.
  std::uint64_t trace_hash() const noexcept;
  /// Receives a line for every step. Empty: none.
  void set_log(std::function<void(std::string_view)> log);
  const SimulatorStatistics& statistics() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemark
