// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tidemark/base/clock.h"
#include "tidemark/base/executor.h"
#include "tidemark/base/file_system.h"
#include "tidemark/base/random.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {

/// What goes wrong in a simulation. Probabilities are one in so many; 0 is never.
struct FaultPlan {
  std::uint64_t file_failure_one_in = 0;  // an operation on a file throws IoFailure
  std::uint64_t fail_nth_file_operation = 0;  // exactly the n-th (from 1) fails; 0: none
  Millis time_step_max = 20;               // the clock moves by up to this much when all tasks wait
  bool spurious_no_credit = true;          // senders say now and then that they have no credit
  std::uint64_t delivery_steps_max = 8;    // an element may arrive so many steps late
};

/// A whole machine in one thread, from one seed: clock, executor, transport and files. Two runs with
/// the same seed and the same program do the same, step by step. crash() forgets everything that is
/// not durable, as a power failure does: tasks, queues, unsynced bytes and unsynced directory entries.
class Simulator {
 public:
  Simulator(std::uint64_t seed, FaultPlan faults);
  ~Simulator();

  Clock& clock() noexcept;
  Executor& executor() noexcept;
  Transport& transport() noexcept;
  FileSystem& files() noexcept;
  Random& random() noexcept;

  /// Polls tasks in a random order until `done` or `steps_max`; returns whether `done` came true.
  bool run_until(const std::function<bool()>& done, std::uint64_t steps_max);
  /// Drops all tasks and blocking work, and what was not synced. The simulator goes on.
  void crash();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Files in memory, with fault injection: the one that the simulator uses, also for tests by itself.
class SimulatedFileSystem : public FileSystem {
 public:
  /// Forgets what was not synced: file contents after the last sync(), entries created, renamed or
  /// removed since the last sync_directory().
  virtual void crash() = 0;
  virtual void set_faults(const FaultPlan& faults) = 0;
  virtual std::uint64_t operations() const = 0;
};
std::unique_ptr<SimulatedFileSystem> make_simulated_file_system(std::uint64_t seed);

}  // namespace tidemark
