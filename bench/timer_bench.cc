// SPDX-License-Identifier: Apache-2.0
//
// Event-time timers: so many are registered, in batches as rows come, with times anywhere in the
// next hour, and fired by watermarks a second apart. Beside the heap that other engines use
// (without and with the set that keeps a timer from being registered twice) and a bare timing
// wheel, which knows no keys, no order within a millisecond, no removal and no snapshot.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <queue>
#include <set>
#include <vector>

#include "bench/measure.h"
#include "tidemark/base/random.h"
#include "tidemark/state/timers.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kWatermarkStep = 1'000;
constexpr std::size_t kBatch = 1'000;

struct Input {
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> times;
};

Input make_input(std::size_t timers, std::size_t repeats) {
  Random random(7);
  Input input;
  for (std::size_t i = 0; i < timers; ++i) {
    input.keys.push_back(random.next());
    input.times.push_back(static_cast<std::int64_t>(random.below(kHour)));
    for (std::size_t again = 1; again < repeats; ++again) {
      const std::size_t at = input.keys.size() - 1;
      input.keys.push_back(input.keys[at]);
      input.times.push_back(input.times[at]);
    }
  }
  return input;
}

std::uint64_t checksum_of(std::uint64_t key, std::int64_t time) {
  return mix(key ^ static_cast<std::uint64_t>(time));
}

struct Pending {
  std::int64_t time;
  std::uint64_t key;
  auto operator<=>(const Pending&) const = default;
};

std::uint64_t run_heap(const Input& input) {
  std::priority_queue<Pending, std::vector<Pending>, std::greater<>> heap;
  for (std::size_t i = 0; i < input.keys.size(); ++i) heap.push({input.times[i], input.keys[i]});
  std::uint64_t sum = 0;
  for (std::int64_t watermark = 0; !heap.empty(); watermark += kWatermarkStep)
    for (; !heap.empty() && heap.top().time <= watermark; heap.pop())
      sum += checksum_of(heap.top().key, heap.top().time);
  return sum;
}

std::uint64_t run_ordered_set(const Input& input) {
  std::set<Pending> pending;
  for (std::size_t i = 0; i < input.keys.size(); ++i)
    pending.insert({input.times[i], input.keys[i]});
  std::uint64_t sum = 0;
  for (const Pending& timer : pending) sum += checksum_of(timer.key, timer.time);
  return sum;
}

// Four levels of 256 slots, the first of a millisecond each.
class Wheel {
 public:
  void add(Pending timer) {
    const std::int64_t ahead = timer.time - now_;
    int level = 0;
    while (level < 3 && (ahead >> (8 * (level + 1))) != 0) ++level;
    slots_[level][(timer.time >> (8 * level)) & 255].push_back(timer);
  }
  template <typename Fire>
  void advance(std::int64_t until, Fire fire) {
    for (; now_ <= until; ++now_) {
      for (int level = 3; level > 0; --level)
        if ((now_ & ((std::int64_t{1} << (8 * level)) - 1)) == 0) cascade(level);
      auto& due = slots_[0][now_ & 255];
      for (const Pending& timer : due) fire(timer);
      due.clear();
    }
  }

 private:
  void cascade(int level) {
    std::vector<Pending> moved;
    moved.swap(slots_[level][(now_ >> (8 * level)) & 255]);
    for (const Pending& timer : moved) add(timer);
  }
  std::array<std::array<std::vector<Pending>, 256>, 4> slots_;
  std::int64_t now_ = 0;
};

std::uint64_t run_wheel(const Input& input) {
  const auto wheel = std::make_unique<Wheel>();
  for (std::size_t i = 0; i < input.keys.size(); ++i) wheel->add({input.times[i], input.keys[i]});
  std::uint64_t sum = 0;
  for (std::int64_t watermark = 0; watermark < kHour + kWatermarkStep; watermark += kWatermarkStep)
    wheel->advance(watermark,
                   [&](const Pending& timer) { sum += checksum_of(timer.key, timer.time); });
  return sum;
}

std::uint64_t run_timers(const Input& input) {
  TimerQueue queue("timers", KeyEncoding::kFixed8, {0, kDefaultMaxParallelism},
                   kDefaultMaxParallelism);
  KeyBatch keys;
  clear_keys(KeyEncoding::kFixed8, keys);
  std::vector<RowIndex> rows(kBatch);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  for (std::size_t begin = 0; begin < input.keys.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, input.keys.size() - begin);
    keys.fixed.assign(&input.keys[begin], &input.keys[begin] + count);
    hash_keys(keys);  // as the operator's look-ups need them too
    queue.add(0, keys, {rows.data(), count}, {&input.times[begin], count});
  }
  std::uint64_t sum = 0;
  for (std::int64_t watermark = 0; watermark < kHour + kWatermarkStep;
       watermark += kWatermarkStep) {
    for (;;) {
      const DueTimers& due = queue.due(watermark, 1024);
      if (due.size() == 0) break;
      for (std::size_t i = 0; i < due.size(); ++i)
        sum += checksum_of(due.keys.fixed[i], due.times[i]);
      queue.consume(due.size());
    }
  }
  return sum;
}

void run(Bench& bench) {
  if (bench.wants("timers")) {
    const Input input = make_input(bench.size(10'000'000, 10'000), 1);
    bench.run({.name = "timers",
               .rows = input.keys.size(),
               .contenders = {{"priority_queue", [&] { return run_heap(input); }},
                              {"wheel", [&] { return run_wheel(input); }},
                              {"tidemark", [&] { return run_timers(input); }}},
               .goals = {{"tidemark", "wheel", 0.4}, {"tidemark", "priority_queue", 8}}});
  }
  if (bench.wants("timers registered four times")) {
    const Input input = make_input(bench.size(1'000'000, 1'000), 4);
    bench.run({.name = "timers registered four times",
               .rows = input.keys.size(),
               .contenders = {{"ordered set", [&] { return run_ordered_set(input); }},
                              {"tidemark", [&] { return run_timers(input); }}},
               .goals = {{"tidemark", "ordered set", 8}}});
  }
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  tidemark::bench::Bench bench("timer_bench", argc, argv);
  tidemark::bench::run(bench);
  return bench.finish();
}
