// SPDX-License-Identifier: Apache-2.0
// Four readings of one sensor in 10 s windows, 3 s out of order, watermark by watermark; the same
// with the program replaced after the second reading.
#include <gmock/gmock.h>

#include <memory>

#include "tests/reference/window_pipeline.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kSensor1 = 1;

std::unique_ptr<WindowPipeline> sensor_pipeline() {
  WindowPipeline::Shape shape;
  shape.window = tumbling(10'000);
  shape.watermarks = bounded_out_of_orderness(3'000);
  shape.watermarks.emission = WatermarkEmission::kPerEvent;
  return std::make_unique<WindowPipeline>(shape);
}

void finish_and_check(WindowPipeline& pipeline) {
  pipeline.process({{kSensor1, 30, 2'000}});
  EXPECT_THAT(pipeline.take_results(), IsEmpty());
  pipeline.process({{kSensor1, 40, 13'500}});
  EXPECT_THAT(pipeline.take_results(), ElementsAre(TestResult{{0, 10'000}, kSensor1, 60, 3}));
  EXPECT_EQ(pipeline.watermarks().back(), 10'500);
  EXPECT_EQ(pipeline.late(), 0u);
  pipeline.process({{kSensor1, 50, 5'000}});
  EXPECT_THAT(pipeline.take_results(), IsEmpty());
  EXPECT_EQ(pipeline.late(), 1u);
}

TEST(SensorTest, FiresAtTheFourthEventAndCountsTheLateOne) {
  const auto pipeline = sensor_pipeline();
  pipeline->process({{kSensor1, 10, 1'000}});
  EXPECT_THAT(pipeline->watermarks(), ElementsAre(-2'000));
  pipeline->process({{kSensor1, 20, 4'000}});
  EXPECT_THAT(pipeline->watermarks(), ElementsAre(-2'000, 1'000));
  finish_and_check(*pipeline);
  EXPECT_THAT(pipeline->watermarks(), ElementsAre(-2'000, 1'000, 10'500));
}

TEST(SensorTest, ARestoredInstanceGivesTheSame) {
  auto pipeline = sensor_pipeline();
  pipeline->process({{kSensor1, 10, 1'000}});
  pipeline->process({{kSensor1, 20, 4'000}});
  const MemorySnapshot snapshot = pipeline->snapshot();
  pipeline = sensor_pipeline();
  pipeline->restore(snapshot);
  finish_and_check(*pipeline);
}

// All at once: the batch is split where the watermark rises.
TEST(SensorTest, OneBatchGivesTheSame) {
  const auto pipeline = sensor_pipeline();
  pipeline->process({{kSensor1, 10, 1'000},
                     {kSensor1, 20, 4'000},
                     {kSensor1, 30, 2'000},
                     {kSensor1, 40, 13'500},
                     {kSensor1, 50, 5'000}});
  EXPECT_THAT(pipeline->take_results(), ElementsAre(TestResult{{0, 10'000}, kSensor1, 60, 3}));
  EXPECT_THAT(pipeline->watermarks(), ElementsAre(-2'000, 1'000, 10'500));
  EXPECT_EQ(pipeline->late(), 1u);
}

}  // namespace
}  // namespace tidemark
