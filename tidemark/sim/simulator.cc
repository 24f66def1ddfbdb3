// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulator.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/hash.h"
#include "tidemark/sim/simulated_executor.h"
#include "tidemark/sim/simulated_transport.h"
#include "tidemark/sim/world.h"

namespace tidemark {

namespace sim {

void World::note(std::string_view what, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t entry[] = {trace_hash,
                                 stable_hash(what),
                                 statistics.steps,
                                 a,
                                 b,
                                 static_cast<std::uint64_t>(clock.now())};
  trace_hash = stable_hash({reinterpret_cast<const char*>(entry), sizeof(entry)});
  if (log) log(fmt::format("{:>8} {} {}: {} {}", statistics.steps, clock.now(), what, a, b));
}

}  // namespace sim

struct Simulator::State {
  State(std::uint64_t seed, const FaultPlan& faults)
      : world(seed, faults),
        executor(world),
        transport(world),
        files(make_simulated_file_system(world.random.next())),
        test_random(world.random.next()) {
    files->set_faults(faults);
  }

  /// One step, or a move of time that makes one possible; false when nothing can happen any more.
  bool step();
  bool run_due_events();
  bool move_time();
  void count_step() { ++world.statistics.steps; }

  sim::World world;
  sim::SimulatedExecutor executor;
  sim::SimulatedTransport transport;
  std::unique_ptr<SimulatedFileSystem> files;
  Random test_random;
};

bool Simulator::State::run_due_events() {
  bool any = false;
  while (!world.events.empty() && world.events.begin()->first.first <= world.statistics.steps) {
    const auto event = std::move(world.events.extract(world.events.begin()).mapped());
    event();
    any = true;
  }
  return any;
}

bool Simulator::State::step() {
  count_step();
  // Time also passes while tasks work; otherwise a busy job would never see a timer.
  if (world.random.one_in(16) && world.faults.time_step_max > 0)
    world.clock.advance(static_cast<Millis>(
        world.random.below(static_cast<std::uint64_t>(world.faults.time_step_max) + 1)));
  executor.fire_timers();
  run_due_events();
  if (executor.step()) return true;
  return move_time();
}

/// Nothing is ready: jump to what is due next, be it an event or a timer.
bool Simulator::State::move_time() {
  if (!world.events.empty()) {
    world.statistics.steps = std::max(world.statistics.steps, world.events.begin()->first.first);
    return true;
  }
  const ProcessingTime next = executor.next_timer();
  if (next == kMaxTime) return false;
  const auto beyond = static_cast<Millis>(
      world.random.below(static_cast<std::uint64_t>(world.faults.time_step_max) + 1));
  if (next > world.clock.now()) world.clock.advance(next - world.clock.now() + beyond);
  return true;
}

Simulator::Simulator(std::uint64_t seed, FaultPlan faults)
    : state_(std::make_unique<State>(seed, faults)) {}

Simulator::~Simulator() {
  state_->executor.drop_all();
  state_->world.events.clear();
}

Clock& Simulator::clock() noexcept {
  return state_->world.clock;
}
Executor& Simulator::executor() noexcept {
  return state_->executor;
}
Transport& Simulator::transport() noexcept {
  return state_->transport;
}
SimulatedFileSystem& Simulator::files() noexcept {
  return *state_->files;
}
Random& Simulator::random() noexcept {
  return state_->test_random;
}

bool Simulator::run_until(const std::function<bool()>& done, std::uint64_t steps_max) {
  for (std::uint64_t made = 0;; ++made) {
    if (state_->files->halted()) return false;
    if (done()) return true;
    if (made >= steps_max || !state_->step()) return false;
  }
}

void Simulator::crash() {
  ++state_->world.statistics.crashes;
  state_->world.note("crash", state_->world.statistics.crashes, 0);
  state_->files->crash();
  state_->executor.drop_all();
  state_->world.events.clear();
  state_->transport.drop_all();
}

bool Simulator::deadlocked() const {
  return !state_->executor.all_finished() && !state_->executor.has_work() &&
         state_->world.events.empty() && state_->executor.next_timer() == kMaxTime;
}

std::string Simulator::describe_waiting() const {
  return state_->executor.describe_waiting() + state_->transport.describe_waiting();
}

std::uint64_t Simulator::trace_hash() const noexcept {
  return state_->world.trace_hash;
}
void Simulator::set_log(std::function<void(std::string_view)> log) {
  state_->world.log = std::move(log);
}
const SimulatorStatistics& Simulator::statistics() const noexcept {
  return state_->world.statistics;
}

}  // namespace tidemark
