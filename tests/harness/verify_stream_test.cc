// SPDX-License-Identifier: Apache-2.0
// The operators of the typed front end, and the watermark assigner, run in every way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/verify_operator.h"
#include "tidemark/api/general_windows.h"
#include "tidemark/api/stream.h"
#include "tidemark/base/random.h"
#include "tidemark/operator/watermark_assigner.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

struct Event {
  std::string key;
  std::int64_t value = 0;
  std::optional<double> weight;
};
BOOST_DESCRIBE_STRUCT(Event, (), (key, value, weight))

Event random_event(Random& random) {
  const auto value = static_cast<std::int64_t>(random.below(100));
  Event event{"key " + std::to_string(random.below(9)) + " of nine, and long", value, {}};
  if (value % 3 != 0) event.weight = 0.5 * static_cast<double>(value);
  return event;
}

// Batches of 40 rows up to 400 ms out of order, each followed by a watermark 20 ms behind: some
// rows are late for windows of 100 ms.
std::vector<VerifyStep> make_steps() {
  Random random(7);
  std::vector<VerifyStep> steps;
  EventTime highest = 0;
  for (int batch = 0; batch < 6; ++batch) {
    RecordWriter<Event> writer;
    std::vector<EventTime> times;
    for (int row = 0; row < 40; ++row) {
      writer.append(random_event(random));
      times.push_back(batch * 200 + static_cast<EventTime>(random.below(400)) - 200);
      highest = std::max(highest, times.back());
    }
    steps.push_back(VerifyRows{writer.finish(make_time_column(times.data(), times.size()))});
    steps.push_back(VerifyWatermark{highest - 20});
  }
  return steps;
}

using Pipeline = std::function<api_detail::StreamHandle(Stream<Event>)>;

// The factory of the operator that `build` adds `back` nodes before the last.
OperatorHarness::Factory factory_of(const Pipeline& build, std::size_t back = 0) {
  auto graph = std::make_shared<api_detail::StreamGraph>();
  api_detail::StreamNode source;
  source.kind = api_detail::StreamNode::Kind::kSource;
  source.name = "events";
  source.output = schema_of<Event>();
  const auto id = graph->add(std::move(source));
  api_detail::StreamNodeId node = build(Stream<Event>({graph, id})).node;
  for (; back > 0; --back) node = graph->node(node).inputs[0].from;
  EXPECT_FALSE(graph->error());
  return graph->node(node).make_operator;
}

VerifiedRows verify(const Pipeline& build, OutputIndex outputs = 1, std::size_t back = 0) {
  return verify_operator(factory_of(build, back), make_steps(),
                         {.harness = {}, .outputs = outputs});
}

TEST(VerifyStream, Map) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events.map([](const Event& event) { return event.key + "!"; }).handle();
  });
  EXPECT_THAT(rows[0], SizeIs(240));
}

TEST(VerifyStream, Filter) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events.filter([](const Event& event) { return event.value < 50; }).handle();
  });
  EXPECT_LT(rows[0].size(), 200u);
  EXPECT_GT(rows[0].size(), 50u);
}

TEST(VerifyStream, FlatMapThatFillsItsOutput) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events
        .flat_map<std::int64_t>([](const Event& event, Collector<std::int64_t>& out) {
          for (std::int64_t i = 0; i < event.value; ++i) out.emit(i);
        })
        .handle();
  });
  EXPECT_GT(rows[0].size(), 8 * kDefaultBatchRows);
}

TEST(VerifyStream, ProcessWithASideOutput) {
  const auto split = [](const Event& event, Collector<std::int64_t>& out,
                        Collector<std::string>& side) {
    if (event.weight) out.emit(event.value);
    if (event.value % 2 == 0) side.emit(event.key);
  };
  const auto rows = verify(
      [&](const Stream<Event>& events) {
        return events.process<std::int64_t>(split, OutputTag<std::string>{"even"}).handle();
      },
      2);
  EXPECT_GT(rows[0].size(), 100u);
  EXPECT_GT(rows[1].size(), 60u);
}

TEST(VerifyStream, KeyOfAFunction) {
  const auto rows = verify(
      [](const Stream<Event>& events) {
        return events.key_by([](const Event& event) { return event.value % 5; })
            .window(tumbling(100ms))
            .count()
            .handle();
      },
      1, /*back=*/1);
  EXPECT_THAT(rows[0], SizeIs(240));
}

template <typename Aggregate>
VerifiedRows verify_window(const Aggregate& aggregate, bool late_rows) {
  return verify(
      [&](const Stream<Event>& events) {
        const auto windows =
            events.key_by(&Event::key).window(tumbling(100ms)).aggregate(aggregate);
        if (late_rows) windows.late_rows();
        return windows.handle();
      },
      2);
}

TEST(VerifyStream, WindowWithPlainAccumulators) {
  const auto rows = verify_window(combine(count(), sum(&Event::value), avg(&Event::weight)), false);
  EXPECT_GT(rows[0].size(), 40u);
  EXPECT_THAT(rows[1], SizeIs(0));
}

TEST(VerifyStream, WindowWithAccumulatorsThatOwnMemory) {
  const auto rows = verify_window(combine(min(&Event::key), max(&Event::weight)), true);
  EXPECT_GT(rows[0].size(), 40u);
  EXPECT_GT(rows[1].size(), 5u);
}

TEST(VerifyStream, SessionsWithLateRows) {
  const auto rows = verify(
      [](const Stream<Event>& events) {
        const auto sessions = events.key_by(&Event::key)
                                  .window(session(15ms))
                                  .aggregate(combine(min(&Event::key), count()));
        sessions.late_rows();
        return sessions.handle();
      },
      2);
  EXPECT_GT(rows[0].size(), 60u);
  EXPECT_GT(rows[1].size(), 5u);
}

TEST(VerifyStream, SessionsWithGapsOfTheirRows) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events.key_by(&Event::key)
        .window(session(
            [](const Event& event) { return std::chrono::milliseconds(1 + event.value / 2); }))
        .sum(&Event::value)
        .handle();
  });
  EXPECT_GT(rows[0].size(), 40u);
}

TEST(VerifyStream, WindowsThatFireByTheRow) {
  const auto rows = verify(
      [](const Stream<Event>& events) {
        const auto windows = events.key_by(&Event::key)
                                 .window(tumbling(100ms))
                                 .allowed_lateness(50ms)
                                 .trigger(purging(count_trigger(2)))
                                 .aggregate(combine(count(), max(&Event::weight)));
        windows.late_rows();
        return windows.handle();
      },
      2);
  EXPECT_GT(rows[0].size(), 60u);
  EXPECT_GT(rows[1].size(), 5u);
}

TEST(VerifyStream, WindowsOfRows) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events.key_by(&Event::key).count_window(4, 3).sum(&Event::value).handle();
  });
  EXPECT_GT(rows[0].size(), 60u);
}

// Merging windows whose rows a function sees, several rows out for each.
TEST(VerifyStream, SessionsWithAFunction) {
  const auto rows = verify([](const Stream<Event>& events) {
    return events.key_by(&Event::key)
        .window(session(15ms))
        .allowed_lateness(40ms)
        .process<std::string>([](const std::string& key, const WindowContext& context,
                                 const std::vector<Event>& seen, Collector<std::string>& out) {
          std::int64_t sum = 0;
          for (const Event& event : seen) sum += event.value;
          const std::string start = std::to_string(context.window().start);
          for (std::size_t i = 0; i < 40; ++i) out.emit(key + start + " " + std::to_string(sum));
        })
        .handle();
  });
  EXPECT_GT(rows[0].size(), 2 * kDefaultBatchRows);
}

TEST(VerifyStream, Timestamps) {
  const auto rows = verify(
      [](const Stream<Event>& events) {
        return events.assign_timestamps(&Event::value, monotonous_timestamps()).handle();
      },
      1, /*back=*/1);
  EXPECT_THAT(rows[0], SizeIs(240));
}

TEST(VerifyStream, WatermarkAssigner) {
  for (const WatermarkEmission emission :
       {WatermarkEmission::kPerBatch, WatermarkEmission::kPerEvent}) {
    WatermarkStrategy strategy = bounded_out_of_orderness(50ms);
    strategy.emission = emission;
    const auto rows = verify_operator(
        [&] { return make_watermark_assigner({.strategy = strategy}); }, make_steps());
    EXPECT_THAT(rows[0], SizeIs(240));
  }
}

}  // namespace
}  // namespace tidemark
