// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulated_executor.h"

#include <fmt/format.h>

#include <utility>

namespace tidemark::sim {
namespace {

const char* in_words(PollState state) {
  switch (state) {
    case PollState::kReady: return "is ready";
    case PollState::kWaitInput: return "waits for input";
    case PollState::kWaitCredit: return "waits for credit";
    case PollState::kWaitExternal: return "waits for a timer or for blocking work";
    case PollState::kFinished: return "has finished";
  }
  return "is lost";
}

}  // namespace

SimulatedExecutor::SimulatedExecutor(World& world)
    : world_(world),
      cores_(1 + world.random.below(4)),
      // A short queue now and then, so that run_blocking runs its work itself.
      io_queue_max_(world.random.one_in(4) ? 1 : 64) {}

TaskId SimulatedExecutor::spawn(std::shared_ptr<Pollable> task, std::size_t core) {
  const TaskId id = next_id_++;
  tasks_.emplace(id, Task{std::move(task)});
  world_.note("spawn", id, core);
  return id;
}

void SimulatedExecutor::wake(TaskId id) noexcept {
  const auto task = tasks_.find(id);
  if (task != tasks_.end()) task->second.woken = true;
}

void SimulatedExecutor::wake_at(TaskId task, ProcessingTime when) {
  if (when != kMaxTime && tasks_.contains(task)) timers_.emplace(when, task);
}

void SimulatedExecutor::run_blocking(std::function<void()> work) {
  if (blocking_.size() < io_queue_max_) {
    blocking_.push_back(std::move(work));
    return;
  }
  world_.note("blocking work in place", 0, 0);
  ++world_.statistics.blocking_pieces;
  work();
}

std::vector<TaskId> SimulatedExecutor::ready() const {
  std::vector<TaskId> found;
  for (const auto& [id, task] : tasks_)
    if (task.woken || task.state == PollState::kReady) found.push_back(id);
  return found;
}

bool SimulatedExecutor::has_work() const {
  return !blocking_.empty() || !ready().empty();
}

bool SimulatedExecutor::step() {
  const std::vector<TaskId> candidates = ready();
  if (candidates.empty() && blocking_.empty()) return false;

  const std::size_t choice = world_.random.below(candidates.size() + blocking_.size());
  if (choice < candidates.size()) {
    poll(candidates[choice]);
    return true;
  }
  const std::size_t index = choice - candidates.size();
  const std::function<void()> work = std::move(blocking_[index]);
  blocking_.erase(blocking_.begin() + static_cast<std::ptrdiff_t>(index));
  world_.note("blocking work", index, blocking_.size());
  ++world_.statistics.blocking_pieces;
  work();
  return true;
}

void SimulatedExecutor::poll(TaskId id) {
  Task& task = tasks_.at(id);
  const std::shared_ptr<Pollable> pollable = task.pollable;
  task.woken = false;  // before the poll, so that a wake during it counts
  ++world_.statistics.polls;
  PollState state = PollState::kFinished;
  try {
    state = pollable->poll(PollBudget{1 + world_.random.below(4)});
    world_.note("poll", id, static_cast<std::uint64_t>(state));
  } catch (...) {
    world_.note("failure", id, 0);
    pollable->on_failure(std::current_exception());
  }
  if (state == PollState::kFinished)
    tasks_.erase(id);
  else
    task.state = state;
}

void SimulatedExecutor::fire_timers() {
  while (!timers_.empty() && timers_.begin()->first <= world_.clock.now()) {
    const TaskId id = timers_.begin()->second;
    timers_.erase(timers_.begin());
    world_.note("timer", id, 0);
    wake(id);
  }
}

ProcessingTime SimulatedExecutor::next_timer() const {
  for (const auto& [when, id] : timers_)
    if (tasks_.contains(id)) return when;
  return kMaxTime;
}

void SimulatedExecutor::drop_all() {
  timers_.clear();
  // Destructors may call back: nothing that they could reach is half-destroyed.
  const auto blocking = std::exchange(blocking_, {});
  const auto tasks = std::exchange(tasks_, {});
}

std::string SimulatedExecutor::describe_waiting() const {
  std::string text;
  for (const auto& [id, task] : tasks_)
    text += fmt::format("task {} {}{}\n", id, in_words(task.state), task.woken ? ", woken" : "");
  if (!blocking_.empty())
    text += fmt::format("{} pieces of blocking work wait\n", blocking_.size());
  return text;
}

}  // namespace tidemark::sim
