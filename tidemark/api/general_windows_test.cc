// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/general_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Event {
  std::string key;
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Event, (), (key, value))

using Sum = WindowResult<std::string, std::int64_t>;
using Sums = StreamHarness<Event, Sum>;
// start, end, result
using Shown = std::tuple<EventTime, EventTime, std::int64_t>;

std::vector<Shown> take(Sums& harness) {
  std::vector<Shown> result;
  for (const Sum& s : harness.take()) result.emplace_back(s.window.start, s.window.end, s.result);
  return result;
}

auto by_key(const Stream<Event>& events) {
  return events.key_by(&Event::key);
}

// Says the rows of a window as text, as they come to the function.
struct ShowRows {
  void process(const std::string& key, const WindowContext& context, const std::vector<Event>& rows,
               Collector<std::string>& out) const {
    std::string text = key + "[" + std::to_string(context.window().start) + "]";
    for (const Event& row : rows) text += " " + std::to_string(row.value);
    out.emit(text);
  }
};

// ---- The life of a window ----

// The general operator says what the operator of slices says.
TEST(GeneralWindows, EventTimeWindowsFireAtTheirEnds) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).window(tumbling(10ms)).trigger(event_time_trigger()).sum(&Event::value);
  });
  harness.push({"a", 1}, 0);
  harness.push({"a", 2}, 9);
  harness.push({"a", 4}, -1);
  harness.push({"a", 8}, -10);
  harness.push({"a", 16}, -11);
  harness.advance_watermark(9);
  EXPECT_THAT(take(harness), ElementsAre(Shown{-20, -10, 16}, Shown{-10, 0, 12}));
  harness.advance_watermark(10);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 3}));
}

// Conformance vectors 6 and 7.
TEST(GeneralWindows, SlidingWindowsHoldARowAsOftenAsTheyCoverIt) {
  const auto count_of = [](Millis size, Millis slide, EventTime time) {
    Sums harness([&](const Stream<Event>& events) {
      return by_key(events)
          .window(WindowDescription{.size = size, .slide = slide})
          .trigger(event_time_trigger())
          .sum(&Event::value);
    });
    harness.push({"a", 1}, time);
    harness.finish();
    std::vector<EventTime> starts;
    for (const Shown& shown : take(harness)) starts.push_back(std::get<0>(shown));
    return starts;
  };
  EXPECT_THAT(count_of(10, 4, 9), ElementsAre(0, 4, 8));
  EXPECT_THAT(count_of(10, 4, 11), ElementsAre(4, 8));
  EXPECT_THAT(count_of(3, 10, 5), IsEmpty());
}

// Conformance vectors 8, 9 and 10 (+1): late rows, allowed lateness, and each late row fires again.
TEST(GeneralWindows, LateRowsFireAgainWithinTheAllowedLateness) {
  Collected<Event> late;
  Sums harness([&](const Stream<Event>& events) {
    const auto sums = by_key(events)
                          .window(tumbling(10ms))
                          .trigger(event_time_trigger())
                          .allowed_lateness(5ms)
                          .sum(&Event::value);
    sums.late_rows().sink_to(late);
    return sums;
  });
  harness.push({"a", 1}, 5);
  harness.advance_watermark(14);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 1}));
  harness.push_all({});
  harness.push({"a", 2}, 5);
  harness.push({"a", 4}, 5);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 3}, Shown{0, 10, 7}));
  harness.advance_watermark(15);
  harness.push({"a", 8}, 5);
  EXPECT_THAT(take(harness), IsEmpty());
  EXPECT_EQ(harness.late_rows(), 1u);
  ASSERT_THAT(late.rows(), SizeIs(1));
  EXPECT_EQ(late.rows()[0].value, 8);
}

TEST(GeneralWindows, APurgingTriggerSaysOnlyWhatIsNew) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(tumbling(10ms))
        .trigger(purging(event_time_trigger()))
        .allowed_lateness(5ms)
        .sum(&Event::value);
  });
  harness.push({"a", 1}, 5);
  harness.advance_watermark(10);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 1}));
  harness.push({"a", 2}, 6);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 2}));
}

// Conformance vector 11: a trigger takes the place of the windows' own.
TEST(GeneralWindows, RowsBelowTheCountAreForgottenWithTheirWindow) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).window(tumbling(10ms)).trigger(count_trigger(3)).sum(&Event::value);
  });
  const std::string empty = harness.snapshot();
  harness.push({"a", 1}, 1);
  harness.push({"a", 2}, 2);
  EXPECT_NE(harness.snapshot().size(), empty.size());
  harness.advance_watermark(10);
  EXPECT_THAT(take(harness), IsEmpty());
  EXPECT_EQ(harness.snapshot().size(), empty.size()) << "the state was freed";
  for (const std::int64_t value : {1, 2, 4, 8}) harness.push({"a", value}, 10 + value);
  EXPECT_THAT(take(harness), ElementsAre(Shown{10, 20, 7}));
  harness.finish();
  EXPECT_THAT(take(harness), IsEmpty());
}

TEST(GeneralWindows, ResultsCarryTheLastMillisecondOfTheirWindow) {
  StreamHarness<Event, Sum> harness([](const Stream<Event>& events) {
    return by_key(by_key(events)
                      .window(tumbling(10ms))
                      .trigger(event_time_trigger())
                      .sum(&Event::value)
                      .map([](const Sum& sum) {
                        return Event{sum.key, sum.result};
                      }))
        .window(tumbling(20ms))
        .sum(&Event::value);
  });
  harness.push({"a", 1}, 5);
  harness.push({"a", 2}, 15);
  harness.advance_watermark(20);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 20, 3}));
}

// ---- Count windows ----

// B16 (a): sums of three; the rest stays, and never more than two rows are kept.
TEST(CountWindows, B16TumblingWindowsOfRows) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).count_window(3).sum(&Event::value);
  });
  const std::string empty = harness.snapshot();
  for (std::int64_t value = 1; value <= 9; ++value) harness.push({"a", value}, 0);
  std::vector<std::int64_t> sums;
  for (const Shown& shown : take(harness)) sums.push_back(std::get<2>(shown));
  EXPECT_THAT(sums, ElementsAre(6, 15, 24));
  EXPECT_EQ(harness.snapshot().size(), empty.size()) << "windows that have fired leave nothing";
  harness.push({"a", 10}, 0);
  harness.finish();
  EXPECT_THAT(take(harness), IsEmpty()) << "what is left at the end says nothing";
}

TEST(CountWindows, SlidingWindowsOfTheLastRows) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events).count_window(3, 2).process<std::string>(ShowRows());
  });
  for (std::int64_t value = 1; value <= 7; ++value) {
    harness.push({"a", value}, 0);
    harness.push({"b", 10 * value}, 0);
  }
  const std::string start = std::to_string(kMinTime);
  EXPECT_THAT(harness.take(), ElementsAre("a[" + start + "] 1 2", "b[" + start + "] 10 20",
                                          "a[" + start + "] 2 3 4", "b[" + start + "] 20 30 40",
                                          "a[" + start + "] 4 5 6", "b[" + start + "] 40 50 60"));
}

TEST(CountWindows, CountsSurviveARestoreAtAnotherParallelism) {
  Sums::Pipeline pipeline = [](const Stream<Event>& events) {
    return by_key(events).count_window(3).sum(&Event::value);
  };
  Sums before(pipeline, {.parallelism = 3});
  for (const char* key : {"a", "b", "c", "d"}) {
    before.push({key, 1}, 0);
    before.push({key, 2}, 0);
  }
  Sums after(pipeline, {.parallelism = 2});
  after.restore(before.snapshot());
  for (const char* key : {"a", "b", "c", "d"}) after.push({key, 4}, 0);
  const std::vector<Sum> sums = after.take();
  EXPECT_THAT(sums, SizeIs(4));
  for (const Sum& sum : sums) EXPECT_EQ(sum.result, 7);
}

// ---- Triggers ----

TEST(Triggers, ContinuousEventTimeFiresAtMultiplesAndAtTheEnd) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(tumbling(25ms))
        .trigger(continuous_event_time(10ms))
        .sum(&Event::value);
  });
  harness.push({"a", 1}, 3);
  harness.advance_watermark(10);
  EXPECT_THAT(take(harness), IsEmpty()) << "the row at 10 may still come";
  harness.advance_watermark(11);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 25, 1}));
  harness.push({"a", 2}, 12);
  harness.advance_watermark(21);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 25, 3}));
  harness.advance_watermark(25);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 25, 3}));
  harness.push({"a", 4}, -7);
  EXPECT_EQ(harness.late_rows(), 1u);
}

TEST(Triggers, ContinuousProcessingTimeFiresByTheClock) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(global_windows())
        .trigger(continuous_processing_time(10ms))
        .sum(&Event::value);
  });
  harness.push({"a", 1}, 0);
  harness.advance_processing_time(10);
  EXPECT_THAT(take(harness), IsEmpty()) << "the tenth millisecond is not over";
  harness.advance_processing_time(1);
  EXPECT_THAT(take(harness), ElementsAre(Shown{kMinTime, kMaxTime, 1}));
  harness.push({"a", 2}, 0);
  harness.advance_processing_time(10);
  EXPECT_THAT(take(harness), ElementsAre(Shown{kMinTime, kMaxTime, 3}));
  harness.finish();
  EXPECT_THAT(take(harness), IsEmpty()) << "a global window does not end";
}

TEST(Triggers, DeltaFiresWhenARowIsFarFromTheLast) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(global_windows())
        .trigger(purging(delta_trigger<Event>(5,
                                              [](const Event& last, const Event& row) {
                                                return static_cast<double>(row.value - last.value);
                                              })))
        .process<std::string>(ShowRows());
  });
  for (const std::int64_t value : {0, 5, 6, 7, 11, 12}) harness.push({"a", value}, 0);
  const std::string start = "a[" + std::to_string(kMinTime) + "]";
  EXPECT_THAT(harness.take(), ElementsAre(start + " 0 5 6", start + " 7 11 12"));
}

TEST(Triggers, GlobalWindowsFireAtTheEndOfInputWhereAskedTo) {
  Sums never([](const Stream<Event>& events) {
    return by_key(events).window(global_windows()).sum(&Event::value);
  });
  Sums at_end([](const Stream<Event>& events) {
    return by_key(events).window(global_windows()).trigger(event_time_trigger()).sum(&Event::value);
  });
  for (Sums* harness : {&never, &at_end}) {
    harness->push({"a", 1}, 0);
    harness->push({"a", 2}, 1'000'000);
    harness->finish();
  }
  EXPECT_THAT(take(never), IsEmpty());
  EXPECT_THAT(take(at_end), ElementsAre(Shown{kMinTime, kMaxTime, 3}));
}

// A trigger with state, timers of both clocks, deletion and cleanup.
struct Alarm {
  struct State {
    std::int64_t rows = 0;
  };
  std::vector<std::string>* log;

  TriggerResult on_element(State& state, const Event& row, EventTime time, TimeWindow,
                           TriggerContext& context) const {
    ++state.rows;
    if (row.value == 0) {
      context.delete_event_timer(50);
      context.delete_processing_timer(100);
      return TriggerResult::kPurge;
    }
    context.register_event_timer(50);
    context.register_event_timer(50);
    context.register_processing_timer(100);
    log->push_back("row " + std::to_string(state.rows) + " at " + std::to_string(time));
    return TriggerResult::kContinue;
  }
  TriggerResult on_event_time(State& state, EventTime time, TimeWindow window,
                              TriggerContext& context) const {
    log->push_back("event " + std::to_string(time) + " rows " + std::to_string(state.rows) +
                   " watermark " + std::to_string(context.watermark()));
    return time == last_time(window) ? TriggerResult::kContinue : TriggerResult::kFire;
  }
  TriggerResult on_processing_time(State&, ProcessingTime time, TimeWindow,
                                   TriggerContext& context) const {
    log->push_back("clock " + std::to_string(time) + " at " + std::to_string(context.now()));
    return TriggerResult::kFireAndPurge;
  }
  void clear(State&, TimeWindow window, TriggerContext&) const {
    log->push_back("clear " + std::to_string(window.start));
  }
};

TEST(Triggers, AProgramsOwnHasTimersAndState) {
  std::vector<std::string> log;
  Sums harness([&](const Stream<Event>& events) {
    return by_key(events).window(tumbling(1000ms)).trigger(Alarm{&log}).sum(&Event::value);
  });
  harness.push({"a", 1}, 10);
  harness.push({"a", 2}, 20);
  harness.advance_watermark(50);
  EXPECT_THAT(take(harness), IsEmpty());
  harness.restore(harness.snapshot());
  harness.advance_watermark(70);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 1000, 3})) << "one timer, however often";
  harness.advance_processing_time(101);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 1000, 3}));
  harness.push({"a", 4}, 30);
  harness.push({"a", 0}, 30);
  harness.push({"a", 8}, 40);
  harness.push({"a", 0}, 30);
  harness.advance_watermark(1000);
  harness.advance_processing_time(500);
  EXPECT_THAT(take(harness), IsEmpty()) << "purged, and the timers deleted";
  EXPECT_THAT(log, ElementsAre("row 1 at 10", "row 2 at 20", "event 50 rows 2 watermark 70",
                               "clock 100 at 101", "row 3 at 30", "row 5 at 40",
                               "event 999 rows 6 watermark 1000", "clear 0"));
}

// ---- Evictors ----

std::vector<std::string> rows_after(
    const std::function<Stream<std::string>(Stream<Event>)>& pipeline) {
  StreamHarness<Event, std::string> harness(pipeline);
  for (const auto& [value, time] :
       std::vector<std::pair<std::int64_t, EventTime>>{{5, 1}, {9, 6}, {6, 3}, {7, 8}})
    harness.push({"a", value}, time);
  harness.advance_watermark(10);
  harness.push({"a", 8}, 9);
  return harness.take();
}

TEST(Evictors, CountKeepsTheLastRows) {
  EXPECT_THAT(rows_after([](const Stream<Event>& events) {
                return by_key(events)
                    .window(tumbling(10ms))
                    .evictor(count_evictor(2))
                    .allowed_lateness(5ms)
                    .process<std::string>(ShowRows());
              }),
              ElementsAre("a[0] 6 7", "a[0] 7 8"));
  EXPECT_THAT(rows_after([](const Stream<Event>& events) {
                return by_key(events)
                    .window(tumbling(10ms))
                    .evictor(count_evictor(2, Evict::kAfter))
                    .allowed_lateness(5ms)
                    .process<std::string>(ShowRows());
              }),
              ElementsAre("a[0] 5 9 6 7", "a[0] 6 7 8"))
      << "what an evictor takes out is gone for good";
}

TEST(Evictors, TimeKeepsTheNewestRows) {
  EXPECT_THAT(rows_after([](const Stream<Event>& events) {
                return by_key(events)
                    .window(tumbling(10ms))
                    .evictor(time_evictor(5ms))
                    .process<std::string>(ShowRows());
              }),
              ElementsAre("a[0] 9 7"))
      << "the row 5 ms behind the newest is out";
}

TEST(Evictors, DeltaKeepsTheRowsNearTheLast) {
  EXPECT_THAT(
      rows_after([](const Stream<Event>& events) {
        return by_key(events)
            .window(tumbling(10ms))
            .evictor(delta_evictor(1,
                                   [](const Event& row, const Event& last) {
                                     return static_cast<double>(std::abs(row.value - last.value));
                                   }))
            .process<std::string>(ShowRows());
      }),
      ElementsAre("a[0] 7"));
}

TEST(Evictors, AggregatesAreOfWhatIsLeft) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).window(tumbling(10ms)).evictor(count_evictor(2)).sum(&Event::value);
  });
  for (const std::int64_t value : {1, 2, 4}) harness.push({"a", value}, value);
  harness.advance_watermark(10);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 6}));
}

// ---- Functions ----

// Numbers the firings of a window and of a key.
struct Numbered {
  struct WindowState {
    std::int64_t firings = 0;
  };
  struct KeyState {
    std::int64_t firings = 0;
  };
  std::vector<std::string>* cleared;
  using Context = StatefulWindowContext<WindowState, KeyState>;

  void process(const std::string& key, const Context& context, const std::int64_t& sum,
               Collector<std::string>& out) const {
    out.emit(key + " " + std::to_string(sum) + " #" +
             std::to_string(++context.window_state().firings) + " of " +
             std::to_string(++context.key_state().firings) + " at " +
             std::to_string(context.watermark()));
  }
  void clear(const Context& context) const {
    cleared->push_back(std::to_string(context.window().start) + " after " +
                       std::to_string(context.window_state().firings));
  }
};

TEST(WindowFunctions, KeepStateOfTheirWindowAndOfTheirKey) {
  std::vector<std::string> cleared;
  StreamHarness<Event, std::string> harness([&](const Stream<Event>& events) {
    return by_key(events)
        .window(tumbling(10ms))
        .trigger(count_trigger(1))
        .aggregate<std::string>(sum(&Event::value), Numbered{&cleared});
  });
  harness.push({"a", 1}, 1);
  harness.push({"a", 2}, 2);
  harness.restore(harness.snapshot());
  harness.advance_watermark(10);
  EXPECT_THAT(cleared, ElementsAre("0 after 2"));
  harness.push({"a", 4}, 12);
  EXPECT_THAT(harness.take(),
              ElementsAre("a 1 #1 of 1 at " + std::to_string(kMinTime),
                          "a 3 #2 of 2 at " + std::to_string(kMinTime), "a 4 #1 of 3 at 10"));
}

TEST(WindowFunctions, ReduceAndProcess) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(tumbling(10ms))
        .reduce<std::string>(
            [](const Event& a, const Event& b) { return a.value > b.value ? a : b; },
            [](const std::string& key, const WindowContext& context, const Event& largest,
               Collector<std::string>& out) {
              out.emit(key + " " + std::to_string(largest.value));
              out.emit("until " + std::to_string(context.window().end));
            });
  });
  harness.push({"a", 3}, 1);
  harness.push({"a", 9}, 2);
  harness.push({"a", 5}, 3);
  harness.finish();
  EXPECT_THAT(harness.take(), ElementsAre("a 9", "until 10"));
}

TEST(WindowFunctions, FillTheirOutputInSteps) {
  StreamHarness<Event, std::int64_t> harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(tumbling(10ms))
        .process<std::int64_t>([](const std::string&, const WindowContext&,
                                  const std::vector<Event>& rows, Collector<std::int64_t>& out) {
          for (std::int64_t i = 0; i < 5'000; ++i) out.emit(rows[0].value);
        });
  });
  for (const char* key : {"a", "b", "c"}) harness.push({key, 1}, 0);
  harness.finish();
  EXPECT_THAT(harness.take(), SizeIs(15'000));
}

// ---- Sessions ----

TEST(GeneralSessions, ProcessSeesTheRowsOfMergedSessions) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events).window(session(10ms)).process<std::string>(ShowRows());
  });
  harness.push({"a", 1}, 0);
  harness.push({"a", 2}, 15);
  harness.push({"a", 3}, 40);
  harness.advance_watermark(6);
  harness.push({"a", 4}, 8);
  harness.advance_watermark(24);
  EXPECT_THAT(harness.take(), IsEmpty());
  harness.restore(harness.snapshot());
  harness.advance_watermark(25);
  EXPECT_THAT(harness.take(), ElementsAre("a[0] 1 2 4"));
  harness.finish();
  EXPECT_THAT(harness.take(), ElementsAre("a[40] 3"));
}

// Conformance vectors 13 and 14 (+1).
TEST(GeneralSessions, LateRowsJoinLiveSessionsAndBridgeFiredOnes) {
  Sums kept([](const Stream<Event>& events) {
    return by_key(events).window(session(10ms)).trigger(event_time_trigger()).sum(&Event::value);
  });
  kept.push({"a", 1}, 20);
  kept.push({"a", 2}, 30);
  kept.advance_watermark(26);
  kept.push({"a", 4}, 12);
  kept.push({"b", 8}, 12);
  EXPECT_EQ(kept.late_rows(), 1u);
  kept.advance_watermark(40);
  EXPECT_THAT(take(kept), ElementsAre(Shown{12, 40, 7}));

  Sums bridged([](const Stream<Event>& events) {
    return by_key(events)
        .window(session(10ms))
        .allowed_lateness(100ms)
        .trigger(event_time_trigger())
        .sum(&Event::value);
  });
  bridged.push({"a", 1}, 0);
  bridged.push({"a", 2}, 15);
  bridged.advance_watermark(25);
  EXPECT_THAT(take(bridged), ElementsAre(Shown{0, 10, 1}, Shown{15, 25, 2}));
  bridged.push({"a", 4}, 8);
  EXPECT_THAT(take(bridged), ElementsAre(Shown{0, 25, 7}));
  bridged.finish();
  EXPECT_THAT(take(bridged), IsEmpty());
}

// The counts of sessions that become one are added.
TEST(GeneralSessions, TriggersMergeTheirState) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).window(session(10ms)).trigger(count_trigger(4)).sum(&Event::value);
  });
  harness.push({"a", 1}, 0);
  harness.push({"a", 2}, 15);
  harness.push({"a", 4}, 15);
  EXPECT_THAT(take(harness), IsEmpty());
  harness.push({"a", 8}, 8);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 25, 15}));
}

TEST(GeneralSessions, TheGapMayComeFromTheRow) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(session([](const Event& row) { return std::chrono::milliseconds(row.value); }))
        .process<std::string>(ShowRows());
  });
  harness.push({"a", 5}, 0);
  harness.push({"a", 30}, 4);
  harness.push({"a", 7}, 40);
  harness.advance_watermark(34);
  EXPECT_THAT(harness.take(), ElementsAre("a[0] 5 30"));
}

// ---- Processing time ----

TEST(ProcessingTimeWindows, TakeRowsByTheClock) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events).window(processing_time(tumbling(10ms))).sum(&Event::value);
  });
  harness.push({"a", 1}, 777);
  harness.advance_processing_time(9);
  harness.push({"a", 2}, 0);
  EXPECT_THAT(take(harness), IsEmpty());
  harness.advance_processing_time(1);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 3}));
  harness.push({"a", 4}, 0);
  harness.advance_watermark(5'000);
  EXPECT_THAT(take(harness), IsEmpty());
  harness.finish();
  EXPECT_THAT(take(harness), ElementsAre(Shown{10, 20, 4})) << "the end of input ends them";
}

TEST(ProcessingTimeWindows, SlideByTheClock) {
  Sums harness([](const Stream<Event>& events) {
    return by_key(events)
        .window(processing_time(WindowDescription{.size = 10, .slide = 5}))
        .sum(&Event::value);
  });
  harness.advance_processing_time(7);
  harness.push({"a", 1}, 0);
  harness.advance_processing_time(5);
  EXPECT_THAT(take(harness), ElementsAre(Shown{0, 10, 1}));
  harness.advance_processing_time(5);
  EXPECT_THAT(take(harness), ElementsAre(Shown{5, 15, 1}));
}

TEST(ProcessingTimeWindows, SessionsWithAFunction) {
  StreamHarness<Event, std::string> harness([](const Stream<Event>& events) {
    return by_key(events).window(processing_time(session(10ms))).process<std::string>(ShowRows());
  });
  harness.push({"a", 1}, 0);
  harness.advance_processing_time(9);
  harness.push({"a", 2}, 0);
  harness.advance_processing_time(9);
  EXPECT_THAT(harness.take(), IsEmpty());
  harness.advance_processing_time(1);
  EXPECT_THAT(harness.take(), ElementsAre("a[0] 1 2"));
}

// Vector 28: a timer for T fires when T is over, and at once after a restore that comes too late.
TEST(ProcessingTimeWindows, OverdueWindowsFireAfterARestore) {
  Sums::Pipeline pipeline = [](const Stream<Event>& events) {
    return by_key(events).window(processing_time(tumbling(10ms))).sum(&Event::value);
  };
  Sums before(pipeline);
  before.push({"a", 1}, 0);
  const std::string snapshot = before.snapshot();
  Sums after(pipeline);
  after.restore(snapshot);
  after.advance_processing_time(500);
  EXPECT_THAT(take(after), ElementsAre(Shown{0, 10, 1}));
}

// ---- Mistakes ----

TEST(GeneralWindows, MistakesAreFoundBeforeTheJobStarts) {
  const auto expect_refused = [](const Sums::Pipeline& pipeline, const char* message) {
    EXPECT_THAT([&] { Sums harness(pipeline); },
                ::testing::ThrowsMessage<Failure>(HasSubstr(message)));
  };
  expect_refused(
      [](const Stream<Event>& events) { return by_key(events).count_window(0).sum(&Event::value); },
      "count_window of 0 rows");
  expect_refused(
      [](const Stream<Event>& events) {
        return by_key(events).window(processing_time(tumbling(0ms))).sum(&Event::value);
      },
      "the window size is 0 ms");
  expect_refused(
      [](const Stream<Event>& events) {
        return by_key(events)
            .window(tumbling(10ms))
            .trigger(count_trigger(2))
            .allowed_lateness(-1ms)
            .sum(&Event::value);
      },
      "the allowed lateness is -1 ms");
  expect_refused(
      [](const Stream<Event>& events) {
        return by_key(events)
            .window(session(10ms))
            .updating()
            .trigger(count_trigger(2))
            .sum(&Event::value);
      },
      "do not update");
}

}  // namespace
}  // namespace tidemark
