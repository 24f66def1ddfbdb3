// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tidemark/base/random.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_model.h"

namespace tidemark {
namespace {

constexpr std::uint32_t kGroups = kDefaultMaxParallelism;

/// (time, key group, key as it sorts, namespace): what the queue's order is of.
using Timer = std::tuple<std::int64_t, KeyGroup, std::string, StateNamespace>;

std::string sortable(KeyEncoding encoding, std::string key) {
  if (encoding == KeyEncoding::kFixed8) std::reverse(key.begin(), key.end());
  return key;
}

Timer timer_of(KeyEncoding encoding, std::uint64_t key, StateNamespace ns, std::int64_t time) {
  const KeyBatch keys = key_batch(encoding, {key});
  return {time, key_group_of(keys.hashes[0], kGroups), sortable(encoding, key_text(encoding, key)),
          ns};
}

Timer timer_at(const DueTimers& due, KeyEncoding encoding, std::size_t i) {
  std::string key;
  if (encoding == KeyEncoding::kVariable) {
    key = due.keys.variable(i);
  } else {
    const std::size_t words = key_words(encoding);
    key.assign(reinterpret_cast<const char*>(&due.keys.fixed[i * words]), 8 * words);
  }
  return {due.times[i], key_group_of(due.keys.hashes[i], kGroups), sortable(encoding, key),
          due.namespaces[i]};
}

class TimersTest : public ::testing::TestWithParam<KeyEncoding> {
 protected:
  static TimerQueue make(KeyGroupRange range = {0, kGroups}) {
    return TimerQueue("timers", GetParam(), range, kGroups);
  }
  static void add(TimerQueue& queue, std::uint64_t key, std::int64_t time, StateNamespace ns = 0) {
    queue.add(ns, key_batch(GetParam(), {key}), 0, time);
  }
  static void remove(TimerQueue& queue, std::uint64_t key, std::int64_t time,
                     StateNamespace ns = 0) {
    queue.remove(ns, key_batch(GetParam(), {key}), 0, time);
  }
  static std::vector<Timer> fire(TimerQueue& queue, std::int64_t until, std::size_t count = 7) {
    std::vector<Timer> fired;
    for (;;) {
      const DueTimers& due = queue.due(until, count);
      if (due.size() == 0) return fired;
      for (std::size_t i = 0; i < due.size(); ++i) fired.push_back(timer_at(due, GetParam(), i));
      queue.consume(due.size());
    }
  }
  static std::vector<Timer> sorted(std::vector<Timer> timers) {
    std::sort(timers.begin(), timers.end());
    return timers;
  }
};

TEST_P(TimersTest, FireInTheOrderOfTimeThenGroupThenKey) {
  TimerQueue queue = make();
  std::vector<Timer> expected;
  for (std::uint64_t key = 0; key < 500; ++key)
    for (const std::int64_t time : {-1'500, -1, 0, 1'023, 1'024, 5'000}) {
      add(queue, key, time, static_cast<StateNamespace>(key % 3));
      expected.push_back(timer_of(GetParam(), key, static_cast<StateNamespace>(key % 3), time));
    }
  EXPECT_EQ(queue.next_time(), -1'500);
  EXPECT_EQ(fire(queue, 10'000), sorted(expected));
  EXPECT_EQ(queue.next_time(), kMaxTime);
  EXPECT_EQ(queue.records(), 0u);
}

TEST_P(TimersTest, FireWhenTheirTimeHasComeAndNotBefore) {
  TimerQueue queue = make();
  add(queue, 1, 1000);
  EXPECT_TRUE(fire(queue, 999).empty());
  EXPECT_EQ(queue.next_time(), 1000);
  EXPECT_EQ(fire(queue, 1000).size(), 1u);
  add(queue, 1, 500);
  EXPECT_EQ(fire(queue, 1000).size(), 1u) << "the past is due at once";
}

TEST_P(TimersTest, OnceHoweverOftenTheyAreAdded) {
  TimerQueue queue = make();
  for (int i = 0; i < 100'000; ++i) add(queue, static_cast<std::uint64_t>(i % 10), 1000);
  EXPECT_LT(queue.records(), 10'000u) << "memory follows the timers that there are";
  add(queue, 1, 1000, 5);
  EXPECT_EQ(fire(queue, 1000).size(), 11u);
}

TEST_P(TimersTest, TheLastWordCounts) {
  TimerQueue queue = make();
  remove(queue, 1, 1000);
  add(queue, 1, 1000);
  add(queue, 2, 1000);
  remove(queue, 2, 1000);
  add(queue, 3, 1000);
  remove(queue, 3, 1000);
  add(queue, 3, 1000);
  EXPECT_EQ(fire(queue, 1000),
            sorted({timer_of(GetParam(), 1, 0, 1000), timer_of(GetParam(), 3, 0, 1000)}));
  EXPECT_EQ(queue.records(), 0u);
}

TEST_P(TimersTest, RemovedTimersTakeNoMemory) {
  TimerQueue queue = make();
  for (int i = 0; i < 100'000; ++i) {
    add(queue, static_cast<std::uint64_t>(i), 1000);
    remove(queue, static_cast<std::uint64_t>(i), 1000);
  }
  EXPECT_LT(queue.records(), 10'000u);
}

TEST_P(TimersTest, TheEndsOfTimeAreTimes) {
  TimerQueue queue = make();
  add(queue, 1, kMaxTime);
  add(queue, 1, kMinTime);
  EXPECT_EQ(fire(queue, kMinTime).size(), 1u);
  EXPECT_EQ(fire(queue, kMaxTime - 1).size(), 0u);
  EXPECT_EQ(fire(queue, kMaxTime).size(), 1u);
}

// What a firing timer adds and removes takes effect in the same advance.
TEST_P(TimersTest, AreAsASetThatMayChangeWhileItFires) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TimerQueue queue = make();
    std::set<Timer> model;
    std::int64_t until = 0;
    const std::int64_t horizon = random.one_in(2) ? 50 : 5'000;
    const auto change = [&] {
      const std::uint64_t key = random.below(20);
      const auto ns = static_cast<StateNamespace>(random.below(2));
      const std::int64_t time =
          until - 10 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(horizon)));
      if (random.below(4) > 0) {
        add(queue, key, time, ns);
        model.insert(timer_of(GetParam(), key, ns, time));
      } else {
        remove(queue, key, time, ns);
        model.erase(timer_of(GetParam(), key, ns, time));
      }
    };
    for (int step = 0; step < 60; ++step) {
      for (std::uint64_t i = random.below(30); i > 0; --i) change();
      until += static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(horizon) / 5));
      int changes = 20;  // a chain of changes while timers fire must end
      for (;;) {
        const DueTimers& due = queue.due(until, 1 + random.below(5));
        if (due.size() == 0) break;
        std::size_t fired = 0;
        for (; fired < due.size() && queue.may_fire(fired); ++fired) {
          const Timer timer = timer_at(due, GetParam(), fired);
          ASSERT_FALSE(model.empty());
          ASSERT_EQ(timer, *model.begin()) << "the first of all that there are, once";
          model.erase(timer);
          if (changes > 0 && random.one_in(3)) --changes, change();
        }
        queue.consume(fired);
      }
      ASSERT_TRUE(model.empty() || std::get<0>(*model.begin()) > until);
      ASSERT_GT(queue.next_time(), until);
      ASSERT_LE(queue.next_time(), model.empty() ? kMaxTime : std::get<0>(*model.begin()));
    }
    ASSERT_EQ(fire(queue, kMaxTime), std::vector<Timer>(model.begin(), model.end()));
  }
}

TEST_P(TimersTest, ASnapshotHoldsItsMomentAndRestoresAtAnyParallelism) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TimerQueue queue = make();
    std::vector<Timer> expected;
    const auto add_some = [&](std::vector<Timer>* into) {
      for (int i = 0; i < 2'000; ++i) {
        const std::uint64_t key = random.below(1'000);
        const auto time = static_cast<std::int64_t>(random.below(100'000));
        if (random.one_in(4)) {
          remove(queue, key, time / 100);
        } else {
          add(queue, key, time);
          if (into != nullptr) into->push_back(timer_of(GetParam(), key, 0, time));
        }
      }
    };
    add_some(&expected);
    for (const Timer& timer : fire(queue, 20'500)) std::erase(expected, timer);
    expected = sorted(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());

    const auto part = queue.snapshot();
    MemorySnapshot snapshot;
    while (!part->step(snapshot, 1 + random.below(5'000))) {
      add_some(nullptr);
      if (random.one_in(3)) fire(queue, 20'500 + static_cast<std::int64_t>(random.below(50'000)));
    }
    for (const std::uint32_t parallelism : {1u, 2u, 3u}) {
      std::vector<Timer> restored;
      for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask) {
        TimerQueue other = make(range_of(subtask, parallelism, kGroups));
        other.restore(MemorySnapshotReader(snapshot, subtask, parallelism));
        for (Timer& timer : fire(other, kMaxTime)) restored.push_back(std::move(timer));
      }
      ASSERT_EQ(sorted(restored), expected) << "in " << parallelism << " subtasks";
    }
  }
}

TEST_P(TimersTest, DamagedAndForeignSnapshotsAreRefused) {
  TimerQueue queue = make();
  add(queue, 1, 1000);
  MemorySnapshot good;
  good.take(*queue.snapshot());
  const std::string bytes = good.find("timers")->blocks[0].entries;
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    MemorySnapshot cut = good;
    cut.states().at("timers").blocks[0].entries = bytes.substr(0, kept);
    TimerQueue other = make();
    EXPECT_THROW(other.restore(MemorySnapshotReader(cut)), Failure);
  }
  MemorySnapshot foreign = good;
  foreign.states().at("timers").descriptor.schema = "other: timers";
  TimerQueue other = make();
  EXPECT_THROW(other.restore(MemorySnapshotReader(foreign)), Failure);
}

INSTANTIATE_TEST_SUITE_P(Encodings, TimersTest,
                         ::testing::Values(KeyEncoding::kFixed8, KeyEncoding::kFixed16,
                                           KeyEncoding::kVariable),
                         [](const auto& chosen) { return std::string(to_string(chosen.param)); });

}  // namespace
}  // namespace tidemark
