// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/sim/fault_plan.h"
#include "tidemark/sim/simulator.h"

namespace tidemark::sim {

/// What the parts of a simulated machine share: the one source of randomness, the count of steps,
/// events due at later steps, and the trace.
struct World {
  World(std::uint64_t seed, const FaultPlan& fault_plan)
      // Some time in 2001, different from seed to seed, so that nothing depends on a round number.
      : random(seed),
        faults(fault_plan),
        clock(983'404'800'000 + static_cast<Millis>(random.below(86'400'000))) {}

  /// Runs `event` once `delay` more steps were made; equal steps run in the order of the calls.
  void after(std::uint64_t delay, std::function<void()> event) {
    events.emplace(std::pair(statistics.steps + delay, ++sequence), std::move(event));
  }

  /// Adds a decision to the trace.
  void note(std::string_view what, std::uint64_t a, std::uint64_t b);

  Random random;
  FaultPlan faults;
  ManualClock clock;
  SimulatorStatistics statistics;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>> events;
  std::uint64_t sequence = 0;
  std::uint64_t trace_hash = 0;
  std::function<void(std::string_view)> log;
};

}  // namespace tidemark::sim
