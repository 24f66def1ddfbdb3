// SPDX-License-Identifier: Apache-2.0
// Unit tests of a pipeline, without threads, sleeps or files. The job's pipeline is a function from
// a stream to a stream; the test gives it to a StreamHarness, pushes one event after the other, and
// looks at the watermark and at what fired. Teaches StreamHarness, snapshots included.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/api/stream_harness.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Reading {
  std::string sensor;
  double value = 0;
  std::int64_t at = 0;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor, value, at))

struct Totals {
  double sum = 0;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Totals, (), (sum, count))

using SensorWindow = WindowResult<std::string, Totals>;

// What is tested: the same function builds the job.
Stream<SensorWindow> sensor_totals(const Stream<Reading>& readings) {
  return readings.key_by(&Reading::sensor)
      .window(tumbling(10s))
      .aggregate(combine<Totals>(sum(&Reading::value), count()));
}

class SensorTotals : public ::testing::Test {
 protected:
  using Harness = StreamHarness<Reading, SensorWindow>;
  static Harness make_harness() {
    return Harness(sensor_totals, &Reading::at, bounded_out_of_orderness(3s));
  }

  static void expect_one(const std::vector<SensorWindow>& fired, double sum, std::int64_t count) {
    ASSERT_EQ(fired.size(), 1u);
    EXPECT_EQ(fired[0].key, "sensor_1");
    EXPECT_EQ(fired[0].window.start, 0);
    EXPECT_EQ(fired[0].window.end, 10'000);
    EXPECT_EQ(fired[0].result.sum, sum);
    EXPECT_EQ(fired[0].result.count, count);
  }
};

TEST_F(SensorTotals, FireWhenTheWatermarkPassesTheWindow) {
  Harness harness = make_harness();
  harness.push({"sensor_1", 10, 1'000});
  EXPECT_EQ(harness.watermark(), -2'000);
  harness.push({"sensor_1", 20, 4'000});
  EXPECT_EQ(harness.watermark(), 1'000);
  harness.push({"sensor_1", 30, 2'000});
  EXPECT_EQ(harness.watermark(), 1'000);
  EXPECT_TRUE(harness.take().empty());

  harness.push({"sensor_1", 40, 13'500});
  EXPECT_EQ(harness.watermark(), 10'500);
  expect_one(harness.take(), 60, 3);

  harness.push({"sensor_1", 50, 5'000});  // its window has fired
  EXPECT_TRUE(harness.take().empty());
  EXPECT_EQ(harness.late_rows(), 1u);
}

TEST_F(SensorTotals, SurviveARestart) {
  std::string snapshot;
  {
    Harness harness = make_harness();
    harness.push({"sensor_1", 10, 1'000});
    harness.push({"sensor_1", 20, 4'000});
    snapshot = harness.snapshot();
  }
  Harness restored = make_harness();
  restored.restore(snapshot);
  EXPECT_EQ(restored.watermark(), 1'000);
  EXPECT_EQ(restored.max_event_time(), 4'000);
  restored.push({"sensor_1", 30, 2'000});
  restored.push({"sensor_1", 40, 13'500});
  expect_one(restored.take(), 60, 3);
}
