// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tidemark/api/stream_harness.h"
#include "tidemark/base/random.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Reading {
  std::string sensor;
  std::int64_t value = 0;

  friend bool operator==(const Reading&, const Reading&) = default;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor, value))

struct Said {
  std::string sensor;
  std::int64_t number = 0;

  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << said.sensor << ":" << said.number;
  }
};
BOOST_DESCRIBE_STRUCT(Said, (), (sensor, number))

template <typename F, typename... S>
auto processed(F function, const OutputTag<S>&... tags) {
  return [=](Stream<Reading> in) {
    return in.key_by(&Reading::sensor).template process<Said>(function, tags...);
  };
}

struct RunningSum {
  ValueState<std::int64_t> sum{"sum"};
  auto states() { return std::tie(sum); }

  void process(const Reading& row, KeyedContext<std::string>& context, Collector<Said>& out) {
    if (row.value < 0) return sum.clear();
    out.emit({context.key(), sum.modify() += row.value});
  }
};

TEST(ProcessTest, EachKeyHasItsOwnState) {
  StreamHarness<Reading, Said> harness(processed(RunningSum()));
  harness.push_all({{"a", 1}, {"b", 10}, {"a", 2}, {"a", 3}, {"b", 20}});
  EXPECT_THAT(harness.take(),
              ElementsAre(Said{"a", 1}, Said{"b", 10}, Said{"a", 3}, Said{"a", 6}, Said{"b", 30}));
  harness.push_all({{"a", -1}, {"a", 5}});
  EXPECT_THAT(harness.take(), ElementsAre(Said{"a", 5}));
}

// Reports a key that has been silent for 1,000 ms of event time.
struct Silence {
  ValueState<EventTime> last{"last"};
  auto states() { return std::tie(last); }

  void process(const Reading& row, KeyedContext<std::string>& context, Collector<Said>&) {
    if (row.value == 99) context.delete_event_timer(last.value_or(0) + 1000);
    last.set(context.timestamp());
    context.register_event_timer(context.timestamp() + 1000);
  }
  void on_timer(const Timer& timer, KeyedContext<std::string>& context, Collector<Said>& out) {
    if (timer.time == last.value_or(0) + 1000) out.emit({context.key(), context.watermark()});
  }
};

TEST(ProcessTest, AnEventTimeTimerFiresWhenTheWatermarkHasPassedIt) {
  StreamHarness<Reading, Said> harness(processed(Silence()));
  harness.push({"a", 1}, 0);
  harness.push({"b", 1}, 10);
  harness.push({"a", 1}, 500);
  harness.advance_watermark(1010);
  EXPECT_THAT(harness.take(), IsEmpty()) << "a row at 1010 may still come";
  harness.advance_watermark(1011);
  EXPECT_THAT(harness.take(), ElementsAre(Said{"b", 1011}));
  EXPECT_EQ(harness.output_watermark(), 1011);
  harness.finish();
  EXPECT_THAT(harness.take(), ElementsAre(Said{"a", kMaxTime}));
}

TEST(ProcessTest, RowsOfATimerHaveItsTime) {
  OperatorHarness harness([] {
    return std::make_unique<api_detail::KeyedProcessOperator<
        Silence, std::string, std::tuple<api_detail::ProcessRows<Reading>>, Said>>(
        Silence(),
        std::vector<api_detail::KeyColumns>{{{0}, {DataType::string().with_nullable(false)}}});
  });
  harness.push_rows<Reading>({{"a", 1}, {"b", 1}}, {0, 5});
  harness.advance_watermark(5000);
  const auto elements = harness.take_elements();
  ASSERT_EQ(elements.size(), 2u) << "a batch, then the watermark";
  EXPECT_EQ(elements[0].batch->event_times()[0], 1000);
  EXPECT_EQ(elements[0].batch->event_times()[1], 1005);
  EXPECT_EQ(elements[1].watermark, 5000);
}

// Counts rows a key until 100 ms of wall clock after the first.
struct Ticker {
  ValueState<std::int64_t> rows{"rows"};
  auto states() { return std::tie(rows); }

  void process(const Reading&, KeyedContext<std::string>& context, Collector<Said>&) {
    if (rows.modify()++ == 0) context.register_processing_timer(context.now() + 100);
  }
  void on_timer(const Timer& timer, KeyedContext<std::string>& context, Collector<Said>& out) {
    EXPECT_EQ(timer.clock, TimerClock::kProcessingTime);
    out.emit({context.key(), rows.value_or(0)});
    rows.clear();
  }
};

TEST(ProcessTest, AProcessingTimeTimerFiresWhenItsMillisecondIsOver) {
  StreamHarness<Reading, Said> harness(processed(Ticker()));
  harness.push({"a", 1});
  harness.push({"a", 1});
  harness.advance_processing_time(100);
  EXPECT_THAT(harness.take(), IsEmpty());
  harness.advance_processing_time(1);
  EXPECT_THAT(harness.take(), ElementsAre(Said{"a", 2}));
}

TEST(ProcessTest, ProcessingTimeTimersThatAreNotDueAreDroppedAtTheEnd) {
  StreamHarness<Reading, Said> harness(processed(Ticker()));
  harness.push({"a", 1});
  harness.finish();
  EXPECT_THAT(harness.take(), IsEmpty());
}

struct Everything {
  ListState<std::int64_t> list{"list"};
  ReducingState<std::int64_t> sum{"sum"};
  ValueState<std::string> text{"text"};
  struct Span {
    struct Accumulator {
      std::int64_t low = 0, high = 0;
    };
    Accumulator create() const { return {INT64_MAX, INT64_MIN}; }
    void add(Accumulator& acc, const std::int64_t& value) const {
      acc.low = std::min(acc.low, value);
      acc.high = std::max(acc.high, value);
    }
    std::int64_t result(const Accumulator& acc) const { return acc.high - acc.low; }
  };
  AggregatingState<std::int64_t, Span> span{"span"};
  auto states() { return std::tie(list, sum, text, span); }

  void process(const Reading& row, KeyedContext<std::string>&, Collector<Said>& out) {
    EXPECT_EQ(text.get() == nullptr, list.empty());
    list.add(row.value);
    sum.add(row.value);
    span.add(row.value);
    text.modify() += std::to_string(row.value);
    std::string all;
    for (const std::int64_t value : list.get()) all += std::to_string(value);
    EXPECT_EQ(all, *text.get());
    out.emit({"sum", *sum.get()});
    out.emit({"span", *span.get()});
    if (row.value == 3) {
      list.clear();
      text.clear();
    }
  }
};

TEST(ProcessTest, HasStatesOfEveryKind) {
  StreamHarness<Reading, Said> harness(processed(Everything()));
  harness.push_all({{"a", 1}, {"a", 3}});
  harness.push_all({{"a", 7}});
  EXPECT_THAT(harness.take(), ElementsAre(Said{"sum", 1}, Said{"span", 0}, Said{"sum", 4},
                                          Said{"span", 2}, Said{"sum", 11}, Said{"span", 6}));
}

struct Unlisted {
  ValueState<std::int64_t> sum{"total"};
  void process(const Reading& row, KeyedContext<std::string>&, Collector<Said>&) {
    sum.set(row.value);
  }
};

TEST(ProcessTest, AStateThatIsNotListedSaysSo) {
  StreamHarness<Reading, Said> harness(processed(Unlisted()));
  try {
    harness.push({"a", 1});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("state 'total' is used but not listed"));
  }
}

const OutputTag<Reading> kNegative{"negative"};

struct Split {
  void process(const Reading& row, KeyedContext<std::string>&, Collector<Said>& out,
               Collector<Reading>& negative) {
    if (row.value < 0) return negative.emit(row);
    out.emit({row.sensor, row.value});
  }
};

TEST(ProcessTest, SideOutputsAreCollectorsBehindTheFirst) {
  Collected<Reading> negative;
  StreamHarness<Reading, Said> harness([&](Stream<Reading> in) {
    const auto split = in.key_by(&Reading::sensor).process<Said>(Split(), kNegative);
    split.side_output(kNegative).sink_to(negative);
    return split;
  });
  harness.push_all({{"a", 1}, {"a", -2}, {"b", 3}});
  EXPECT_THAT(harness.take(), ElementsAre(Said{"a", 1}, Said{"b", 3}));
  EXPECT_THAT(negative.rows(), ElementsAre(Reading{"a", -2}));
}

// A function that does whatever a row says, beside a map that does the same.
//   0 add to the sum   1 clear it   2 read it   3 set a timer   4 delete a timer
struct Scripted {
  ValueState<std::int64_t> sum{"sum"};
  ValueState<std::string> text{"text"};
  auto states() { return std::tie(sum, text); }

  void process(const Reading& row, KeyedContext<std::string>& context, Collector<Said>& out) {
    const std::int64_t amount = row.value / 10;
    switch (row.value % 10) {
      case 0: sum.modify() += amount, text.modify() += "x"; break;
      case 1: sum.clear(), text.clear(); break;
      case 3: context.register_event_timer(amount); break;
      case 4: context.delete_event_timer(amount); break;
      default:
        out.emit({context.key(), sum.value_or(-1)});
        out.emit({context.key(), static_cast<std::int64_t>(text.value_or("").size())});
    }
  }
  void on_timer(const Timer& timer, KeyedContext<std::string>& context, Collector<Said>& out) {
    out.emit({context.key(), timer.time * 1'000'000 + sum.value_or(-1)});
    if (timer.time % 3 == 0) sum.modify() += 1, text.modify() += "y";
    if (timer.time % 5 == 0) sum.clear(), text.clear();
    if (timer.time % 7 == 0) context.register_event_timer(timer.time + 2);
  }
};

class ScriptModel {
 public:
  void push(const Reading& row) {
    const std::int64_t amount = row.value / 10;
    Value& value = values_[row.sensor];
    switch (row.value % 10) {
      case 0: value.add(amount); break;
      case 1: value = {}; break;
      case 3: timers_.insert({amount, row.sensor}); break;
      case 4: timers_.erase({amount, row.sensor}); break;
      default:
        said.push_back({row.sensor, value.sum.value_or(-1)});
        said.push_back({row.sensor, value.length});
    }
  }
  void advance(EventTime watermark) {
    while (!timers_.empty() && timers_.begin()->first < watermark) {
      const auto [time, sensor] = *timers_.begin();
      timers_.erase(timers_.begin());
      Value& value = values_[sensor];
      said.push_back({sensor, time * 1'000'000 + value.sum.value_or(-1)});
      if (time % 3 == 0) value.add(1);
      if (time % 5 == 0) value = {};
      if (time % 7 == 0) timers_.insert({time + 2, sensor});
    }
  }
  std::vector<Said> said;

 private:
  struct Value {
    std::optional<std::int64_t> sum;
    std::int64_t length = 0;
    void add(std::int64_t amount) { sum = sum.value_or(0) + amount, ++length; }
  };
  std::map<std::string, Value> values_;
  std::set<std::pair<std::int64_t, std::string>> timers_;
};

std::vector<Said> sorted(std::vector<Said> rows) {
  std::sort(rows.begin(), rows.end(), [](const Said& a, const Said& b) {
    return std::tie(a.sensor, a.number) < std::tie(b.sensor, b.number);
  });
  return rows;
}

TEST(ProcessTest, IsAsTheModelWithSnapshotsRestoredAtOtherParallelism) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ScriptModel model;
    const auto make = [&] {
      return std::make_unique<StreamHarness<Reading, Said>>(
          processed(Scripted()),
          StreamHarnessOptions{.parallelism = static_cast<std::uint32_t>(1 + random.below(3))});
    };
    auto harness = make();
    EventTime watermark = 0;
    const std::uint64_t keys = random.one_in(2) ? 3 : 500;
    for (int step = 0; step < 40; ++step) {
      std::vector<Reading> rows;
      for (std::uint64_t i = random.below(700); i > 0; --i) {
        const std::int64_t amount = static_cast<std::int64_t>(random.below(200));
        rows.push_back({"s" + std::to_string(random.below(keys)),
                        10 * amount + static_cast<std::int64_t>(random.below(6))});
      }
      harness->push_all(rows);
      for (const Reading& row : rows) model.push(row);
      watermark += static_cast<EventTime>(1 + random.below(10));
      harness->advance_watermark(watermark);
      model.advance(watermark);
      if (random.one_in(4)) {
        const auto before = harness->take();
        const std::string snapshot = harness->snapshot();
        harness = make();
        harness->restore(snapshot);
        ASSERT_EQ(sorted(before), sorted(std::exchange(model.said, {})));
      }
    }
    harness->finish();
    model.advance(kMaxTime);
    ASSERT_EQ(sorted(harness->take()), sorted(model.said));
  }
}

}  // namespace
}  // namespace tidemark
