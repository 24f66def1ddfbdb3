// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tests/simulation/scenario.h"

namespace tidemark::simulation {

/// What a simulated run did, and what was wrong.
struct Outcome {
  std::string wrong;  // empty: everything was right
  std::uint64_t trace_hash = 0;
  std::uint64_t steps = 0;
  std::uint32_t starts = 0;
  std::uint32_t restores = 0;  // starts from a checkpoint
  std::uint32_t rescales = 0;  // of them with another parallelism than the start before
  std::uint32_t restarts = 0;  // attempts after a failure within a start
  std::uint64_t checkpoints = 0;
  std::uint32_t moves = 0;  // starts from a savepoint
  std::uint64_t late = 0;
  std::uint64_t results = 0;
};

/// Runs the scenario's job on the simulator, interrupts it, resumes it from its checkpoints and
/// lets it end; then compares the committed files with the model, and the counters with each other.
/// What is visible is looked at after every interruption too. `log` receives a line for every step;
/// empty: none. Deterministic.
Outcome run(const Scenario& scenario, std::function<void(std::string_view)> log = {});

}  // namespace tidemark::simulation
