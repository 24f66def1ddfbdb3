// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;

struct Reading {
  std::string sensor;
  double value = 0;
  std::int64_t at = 0;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor, value, at))

struct Totals {
  double sum = 0;
  std::int64_t count = 0;
  friend bool operator==(const Totals&, const Totals&) = default;
};
BOOST_DESCRIBE_STRUCT(Totals, (), (sum, count))

using SensorWindow = WindowResult<std::string, Totals>;
using Harness = StreamHarness<Reading, SensorWindow>;

// 10 s windows, 3 s out-of-orderness.
Harness make_harness(StreamHarnessOptions options = {}) {
  return Harness(
      [](const Stream<Reading>& readings) {
        return readings.key_by(&Reading::sensor)
            .window(tumbling(10s))
            .aggregate(combine<Totals>(sum(&Reading::value), count()));
      },
      &Reading::at, bounded_out_of_orderness(3s), options);
}

void expect_window(const std::vector<SensorWindow>& fired, Totals totals) {
  ASSERT_EQ(fired.size(), 1u);
  EXPECT_EQ(fired[0].key, "sensor_1");
  EXPECT_EQ(fired[0].window.start, 0);
  EXPECT_EQ(fired[0].window.end, 10'000);
  EXPECT_EQ(fired[0].result, totals);
}

TEST(WindowHarness, OutOfOrderEventsFireAtTheWatermarkAndALateOneIsRejected) {
  Harness harness = make_harness();
  harness.push({"sensor_1", 10, 1000});
  EXPECT_EQ(harness.watermark(), -2000);
  harness.push({"sensor_1", 20, 4000});
  EXPECT_EQ(harness.watermark(), 1000);
  harness.push({"sensor_1", 30, 2000});
  EXPECT_EQ(harness.watermark(), 1000);
  EXPECT_TRUE(harness.take().empty());

  harness.push({"sensor_1", 40, 13'500});
  EXPECT_EQ(harness.watermark(), 10'500);
  expect_window(harness.take(), {60, 3});
  EXPECT_EQ(harness.late_rows(), 0u);

  harness.push({"sensor_1", 50, 5000});
  EXPECT_TRUE(harness.take().empty());
  EXPECT_EQ(harness.late_rows(), 1u);
}

TEST(WindowHarness, ARestoredInstanceGoesOnWithTheSameResult) {
  std::string snapshot;
  {
    Harness harness = make_harness();
    harness.push({"sensor_1", 10, 1000});
    harness.push({"sensor_1", 20, 4000});
    EXPECT_EQ(harness.watermark(), 1000);
    EXPECT_EQ(harness.max_event_time(), 4000);
    snapshot = harness.snapshot();
  }
  // What the snapshot holds shows in an instance whose input ends there.
  Harness witness = make_harness();
  witness.restore(snapshot);
  EXPECT_EQ(witness.watermark(), 1000);
  EXPECT_EQ(witness.max_event_time(), 4000);
  witness.finish();
  expect_window(witness.take(), {30, 2});

  Harness restored = make_harness();
  restored.restore(snapshot);
  restored.push({"sensor_1", 30, 2000});
  EXPECT_EQ(restored.watermark(), 1000);
  EXPECT_TRUE(restored.take().empty());
  restored.push({"sensor_1", 40, 13'500});
  EXPECT_EQ(restored.watermark(), 10'500);
  expect_window(restored.take(), {60, 3});
  restored.push({"sensor_1", 50, 5000});
  EXPECT_EQ(restored.late_rows(), 1u);
}

TEST(WindowHarness, ASnapshotRestoresIntoAnyNumberOfSubtasks) {
  const auto window_sums = [](Harness& harness) {
    std::vector<std::pair<std::string, double>> sums;
    for (const SensorWindow& fired : harness.take()) sums.emplace_back(fired.key, fired.result.sum);
    std::sort(sums.begin(), sums.end());
    return sums;
  };
  const auto push_round = [](Harness& harness, double value) {
    for (int sensor = 0; sensor < 50; ++sensor)
      harness.push({"sensor_" + std::to_string(sensor), value, 1000 + sensor});
  };
  Harness whole = make_harness();
  push_round(whole, 1);
  push_round(whole, 2);
  whole.finish();
  const auto expected = window_sums(whole);
  ASSERT_EQ(expected.size(), 50u);

  for (const std::uint32_t before : {1u, 3u}) {
    for (const std::uint32_t after : {1u, 2u, 5u}) {
      Harness first = make_harness({.parallelism = before});
      push_round(first, 1);
      Harness second = make_harness({.parallelism = after});
      second.restore(first.snapshot());
      push_round(second, 2);
      second.finish();
      EXPECT_EQ(window_sums(second), expected) << before << " to " << after;
    }
  }
}

TEST(WindowHarness, ASnapshotOfAnotherPipelineIsRefused) {
  Harness harness = make_harness();
  const std::string snapshot = harness.snapshot();
  StreamHarness<Reading, SensorWindow> other(
      [](const Stream<Reading>& readings) {
        return readings.filter([](const Reading& r) { return r.value > 0; })
            .key_by(&Reading::sensor)
            .window(tumbling(10s))
            .aggregate(combine<Totals>(sum(&Reading::value), count()));
      },
      &Reading::at, bounded_out_of_orderness(3s));
  EXPECT_THROW(other.restore(snapshot), Failure);
}

}  // namespace
}  // namespace tidemark
