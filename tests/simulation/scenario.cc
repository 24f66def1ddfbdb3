// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tidemark/base/random.h"

namespace tidemark::simulation {
namespace {

constexpr EventTime kBase = -20'000;  // windows lie on both sides of 1970

SplitRows make_rows(const Scenario& scenario, std::size_t keys, Random& random) {
  SplitRows rows(30 + random.below(300));
  const Millis step = 1 + static_cast<Millis>(random.below(400));
  const Millis disorder = scenario.late_rows ? 3 * scenario.bound + 500 : scenario.bound;
  EventTime front = kBase;
  for (InputRow& row : rows) {
    const std::uint64_t key = random.below(keys);
    row.key = scenario.numeric_keys ? fmt::to_string(key) : fmt::format("key-{}", key);
    row.value = static_cast<std::int64_t>(random.below(21)) - 10;
    front += static_cast<Millis>(random.below(static_cast<std::uint64_t>(2 * step)));
    row.at = front - static_cast<Millis>(random.below(static_cast<std::uint64_t>(disorder) + 1));
    if (random.one_in(40)) row.at.reset();
  }
  return rows;
}

}  // namespace

Scenario Scenario::from_seed(std::uint64_t seed) {
  Random random(seed ^ 0x5ce7a210u);
  Scenario s;
  s.seed = seed;
  s.late_rows = random.one_in(3);
  s.bound = static_cast<Millis>(random.below(6'000));
  s.numeric_keys = random.one_in(2);
  s.window = random.one_in(2) ? 1'000 : 7'000;
  s.offset = random.one_in(2) ? 0 : 300;
  s.filtered_value = static_cast<std::int64_t>(random.below(5));
  const std::size_t keys = 1 + random.below(20);
  const std::size_t splits = s.late_rows ? 1 : 1 + random.below(5);
  for (std::size_t i = 0; i < splits; ++i) s.splits.push_back(make_rows(s, keys, random));
  s.pause_one_in = random.one_in(2) ? 0 : 2 + static_cast<std::uint32_t>(random.below(10));

  s.max_parallelism = 4 + static_cast<std::uint32_t>(random.below(60));
  const auto parallelism = [&] { return 1 + static_cast<std::uint32_t>(random.below(4)); };
  s.parallelism.push_back(parallelism());
  for (std::uint64_t n = random.below(5); n > 0; --n) {
    s.interruptions.push_back(
        static_cast<Interruption>(std::min<std::uint64_t>(random.below(6), 3)));
    if (random.one_in(2)) s.interruptions.back() = Interruption::kHalt;
    s.parallelism.push_back(random.one_in(2) ? s.parallelism.back() : parallelism());
  }
  s.batch_rows = 1 + random.below(random.one_in(2) ? 4 : 40);
  s.channel_batches = 1 + random.below(4);
  s.checkpoint_interval = 5 + static_cast<Millis>(random.below(200));
  s.min_pause = random.one_in(2) ? 0 : static_cast<Millis>(random.below(50));
  s.tolerable_failures = static_cast<std::uint32_t>(random.below(3));
  s.retained = 1 + static_cast<std::uint32_t>(random.below(3));
  s.file_failure_one_in = random.one_in(2) ? 0 : 100 + random.below(900);
  if (seed >= kSavepointSeeds)
    for (Interruption& how : s.interruptions)
      if (random.one_in(2)) how = Interruption::kMove;
  return s;
}

std::string Scenario::describe() const {
  constexpr const char* kNames[] = {"crash", "halt", "stop", "cancel", "move"};
  std::vector<std::string> happenings;
  for (const Interruption i : interruptions) happenings.push_back(kNames[static_cast<int>(i)]);
  std::vector<std::size_t> rows;
  for (const SplitRows& split : splits) rows.push_back(split.size());
  return fmt::format(
      "seed={} rows [{}]{} bound {} ms, window {} ms offset {} ms, parallelism [{}] of {}, "
      "interruptions [{}], batches of {} rows, {} a channel, checkpoints every {} ms pause {} ms "
      "tolerate {} retain {}, file failures 1 in {}",
      seed, fmt::join(rows, " "), late_rows ? " with late ones" : "", bound, window, offset,
      fmt::join(parallelism, " "), max_parallelism, fmt::join(happenings, " "), batch_rows,
      channel_batches, checkpoint_interval, min_pause, tolerable_failures, retained,
      file_failure_one_in);
}

Expectation expect(const Scenario& scenario) {
  Expectation expected;
  for (const SplitRows& split : scenario.splits) {
    EventTime watermark = kMinTime;  // before the row, by the rows of its split
    for (const InputRow& row : split) {
      ++expected.rows;
      if (!row.at) {
        ++expected.rejected;
        continue;
      }
      const EventTime before = watermark;
      watermark = std::max(watermark, *row.at - scenario.bound);
      if (row.value == scenario.filtered_value) {
        ++expected.filtered;
        continue;
      }
      const EventTime start = *row.at - floor_mod(*row.at - scenario.offset, scenario.window);
      if (start + scenario.window <= before) {
        ++expected.late;
        continue;
      }
      const auto [entry, is_new] = expected.results.try_emplace({row.key, start});
      WindowResult& result = entry->second;
      ++result.count;
      result.sum += row.value;
      result.least = is_new ? row.value : std::min(result.least, row.value);
      result.most = is_new ? row.value : std::max(result.most, row.value);
    }
  }
  return expected;
}

}  // namespace tidemark::simulation
