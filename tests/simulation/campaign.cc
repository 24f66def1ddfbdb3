// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "tests/simulation/simulated_job.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/log.h"

// Runs the whole-job simulation over many seeds and prints those that fail:
//   campaign --seeds=10000 --first-seed=1
// A failing seed is replayed, every step printed, with
//   campaign --seeds=1 --first-seed=<seed> --log
// Seeds from 1000000000 on ask for savepoints, too.

int main(int argc, char** argv) {
  std::uint64_t seeds = 1'000;
  std::uint64_t first_seed = 0;
  bool log = false;
  bool rocksdb = false;
  CLI::App app("Simulates whole jobs under kills and failing disks, one for each seed");
  app.add_option("--seeds", seeds, "how many");
  app.add_option("--first-seed", first_seed, "the first");
  app.add_flag("--log", log, "print every step");
  app.add_flag("--rocksdb", rocksdb, "keep keyed state in RocksDB, and change that at savepoints");
  CLI11_PARSE(app, argc, argv);

  // What the job complains of under faults is of interest for one seed alone.
  if (!log) tidemark::set_log_level(tidemark::LogLevel::kError);
  namespace simulation = tidemark::simulation;
  std::uint64_t failed = 0, checkpoints = 0, restores = 0, restarts = 0, steps = 0;
  const tidemark::SystemClock clock;
  std::int64_t printed_ns = 0;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    auto scenario = simulation::Scenario::from_seed(first_seed + i);
    scenario.rocksdb = rocksdb;
    std::function<void(std::string_view)> print;
    if (log)
      print = [](std::string_view line) {
        std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
      };
    const simulation::Outcome outcome = simulation::run(scenario, print);
    checkpoints += outcome.checkpoints;
    restores += outcome.restores;
    restarts += outcome.restarts;
    steps += outcome.steps;
    if (!outcome.wrong.empty()) {
      ++failed;
      std::printf("\rFAILED seed=%lu: %s\n  %s\n", first_seed + i, outcome.wrong.c_str(),
                  scenario.describe().c_str());
      std::fflush(stdout);
    }
    if (clock.monotonic_ns() - printed_ns < 500'000'000 && i + 1 < seeds) continue;
    printed_ns = clock.monotonic_ns();
    std::fprintf(stderr,
                 "\r%lu of %lu seeds, %lu failed; %lu steps, %lu checkpoints, %lu restores, %lu "
                 "restarts ",
                 i + 1, seeds, failed, steps, checkpoints, restores, restarts);
  }
  std::fprintf(stderr, "\n");
  return failed == 0 ? 0 : 1;
}
