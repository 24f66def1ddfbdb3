// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tidemark/base/time.h"

namespace tidemark::simulation {

/// An input row: `at` is absent in records that the engine must reject.
struct InputRow {
  std::string key;
  std::int64_t value = 0;
  std::optional<EventTime> at;
};
/// One split's rows in the order in which they are read.
using SplitRows = std::vector<InputRow>;

/// What may happen to a run before it is let to its end.
enum class Interruption : std::uint8_t {
  kCrash,   // a loss of power between two steps
  kHalt,    // a loss of power between two operations of the disk, in the middle of a step
  kStop,    // stopped by the user: final checkpoint, commit
  kCancel,  // cancelled by the user
  kMove,    // a savepoint, then a loss of power; goes on from the savepoint, in another place
};

/// Seeds from here on ask for savepoints, too.
inline constexpr std::uint64_t kSavepointSeeds = 1'000'000'000;

/// One simulated job, and what happens to it: all of it drawn from the seed.
struct Scenario {
  static Scenario from_seed(std::uint64_t seed);
  std::string describe() const;

  std::uint64_t seed = 0;
  // The input.
  std::vector<SplitRows> splits;
  bool late_rows = false;          // disorder beyond the bound; then there is one split
  Millis bound = 0;                // of the disorder that the watermark allows for
  std::uint32_t pause_one_in = 0;  // a reader has nothing for some ms, once in so many reads
  // The job.
  bool numeric_keys = false;
  Millis window = 0;
  Millis offset = 0;
  std::int64_t filtered_value = 0;  // WHERE value <> this
  // How it runs.
  std::uint32_t max_parallelism = 0;
  std::vector<std::uint32_t> parallelism;   // of each start; the last goes to the end
  std::vector<Interruption> interruptions;  // one less
  std::size_t batch_rows = 0;
  std::size_t channel_batches = 0;
  Millis checkpoint_interval = 0;
  Millis min_pause = 0;
  std::uint32_t tolerable_failures = 0;
  std::uint32_t retained = 1;
  std::uint64_t file_failure_one_in = 0;
  /// Not drawn: keyed state is in RocksDB at first, in memory after a savepoint, and so on.
  bool rocksdb = false;
};

/// A window's result: key, window start -> count, sum, min, max.
struct WindowResult {
  std::int64_t count = 0, sum = 0, least = 0, most = 0;
  friend auto operator<=>(const WindowResult&, const WindowResult&) = default;
};
using Results = std::map<std::pair<std::string, EventTime>, WindowResult>;

/// What the job must write and count, by a model that is slow and plain.
struct Expectation {
  Results results;
  std::uint64_t rows = 0;
  std::uint64_t filtered = 0;
  std::uint64_t late = 0;
  std::uint64_t rejected = 0;
};
Expectation expect(const Scenario& scenario);

}  // namespace tidemark::simulation
