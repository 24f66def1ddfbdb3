// SPDX-License-Identifier: Apache-2.0
// The general window operator says what the operators made for sliding windows and for sessions
// say: two ways to compute the same thing that share next to no code. Random rows, one at a time,
// far out of order, with restores at other parallelisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "tidemark/api/general_windows.h"
#include "tidemark/api/stream_harness.h"
#include "tidemark/base/random.h"

namespace tidemark {
namespace {

struct Event {
  std::int64_t key = 0;
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Event, (), (key, value))

using Result = WindowResult<std::int64_t, std::int64_t>;
using Harness = StreamHarness<Event, Result>;
using Shown = std::tuple<std::int64_t, EventTime, EventTime, std::int64_t>;

std::vector<Shown> take_sorted(Harness& harness) {
  std::vector<Shown> shown;
  for (const Result& r : harness.take())
    shown.emplace_back(r.key, r.window.start, r.window.end, r.result);
  std::sort(shown.begin(), shown.end());
  return shown;
}

void expect_agreement(std::uint64_t seed, const Harness::Pipeline& special,
                      const Harness::Pipeline& general) {
  Random random(seed);
  const auto fresh = [&](const Harness::Pipeline& pipeline) {
    return std::make_unique<Harness>(
        pipeline,
        StreamHarnessOptions{.parallelism = static_cast<std::uint32_t>(1 + random.below(3))});
  };
  const auto restored = [&](const Harness::Pipeline& pipeline, Harness& from) {
    auto made = fresh(pipeline);
    made->restore(from.snapshot());
    return made;
  };
  auto a = fresh(special);
  auto b = fresh(general);
  EventTime place = -100;
  for (int step = 0; step < 150; ++step) {
    place += static_cast<EventTime>(random.below(6));
    const Event event{static_cast<std::int64_t>(random.below(4)),
                      static_cast<std::int64_t>(1 + random.below(40))};
    const EventTime time = place - static_cast<EventTime>(random.below(60));
    a->push(event, time);
    b->push(event, time);
    if (random.one_in(3)) {
      a->advance_watermark(place - 20);
      b->advance_watermark(place - 20);
    }
    ASSERT_EQ(take_sorted(*a), take_sorted(*b)) << "seed " << seed << " step " << step;
    if (random.one_in(20)) {
      EXPECT_EQ(a->late_rows(), b->late_rows()) << "seed " << seed << " step " << step;
      a = restored(special, *a);
      b = restored(general, *b);
    }
  }
  a->finish();
  b->finish();
  EXPECT_EQ(take_sorted(*a), take_sorted(*b)) << "seed " << seed << " at the end";
}

Millis below(Random& random, std::uint64_t bound) {
  return static_cast<Millis>(random.below(bound));
}

TEST(WindowAgreement, SlidingWindows) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed + 1000);
    const Millis slide = 1 + below(random, 20);
    const WindowDescription window{.size = 1 + below(random, 40),
                                   .slide = slide,
                                   .offset = below(random, 2 * slide - 1) - slide + 1,
                                   .allowed_lateness = below(random, 3) * 15};
    expect_agreement(
        seed,
        [&](const Stream<Event>& events) {
          return events.key_by(&Event::key).window(window).sum(&Event::value);
        },
        [&](const Stream<Event>& events) {
          return events.key_by(&Event::key)
              .window(window)
              .trigger(event_time_trigger())
              .sum(&Event::value);
        });
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

template <typename Windows>
void expect_sessions_agree(std::uint64_t seed, const Windows& windows, Millis lateness) {
  expect_agreement(
      seed,
      [&](const Stream<Event>& events) {
        return events.key_by(&Event::key)
            .window(windows)
            .allowed_lateness(std::chrono::milliseconds(lateness))
            .sum(&Event::value);
      },
      [&](const Stream<Event>& events) {
        return events.key_by(&Event::key)
            .window(windows)
            .allowed_lateness(std::chrono::milliseconds(lateness))
            .trigger(event_time_trigger())
            .sum(&Event::value);
      });
}

TEST(WindowAgreement, Sessions) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed + 2000);
    const Millis lateness = below(random, 3) * 15;
    expect_sessions_agree(seed, session(std::chrono::milliseconds(1 + below(random, 30))),
                          lateness);
    expect_sessions_agree(
        seed, session([](const Event& event) { return std::chrono::milliseconds(event.value); }),
        lateness);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace tidemark
