// SPDX-License-Identifier: Apache-2.0
// Conformance vectors of aligned windows behind a watermark generator: at which row a window fires.
// Watermarks are half-open here, W = Flink's + 1.
#include <gmock/gmock.h>

#include "tests/reference/window_pipeline.h"

namespace tidemark {
namespace {

WindowPipeline::Shape behind(Millis disorder, WindowDescription window) {
  WindowPipeline::Shape shape;
  shape.window = tumbling(window.size);
  shape.window.window = window;
  shape.watermarks = bounded_out_of_orderness(disorder);
  shape.watermarks.emission = WatermarkEmission::kPerEvent;
  return shape;
}

/// The time of the row, of rows of one key, after which the first window has fired.
EventTime fires_at(WindowPipeline& pipeline, const std::vector<EventTime>& times) {
  for (const EventTime time : times) {
    pipeline.process({{1, 1, time}});
    if (!pipeline.take_results().empty()) return time;
  }
  return kMinTime;
}

// Vectors 1 and 2: with disorder d the window [s, e) fires at the first row at or after e + d,
// whatever it is made of.
TEST(Conformance, VectorsOneAndTwoAWindowFiresAtItsEnd) {
  const WindowDescription windows[] = {{10'000, 10'000, 0, 0},
                                       {10'000, 10'000, 0, 0, WindowShape::kCumulating}};
  for (const WindowDescription& window : windows) {
    WindowPipeline at_once(behind(0, window));
    EXPECT_EQ(fires_at(at_once, {0, 9'999, 10'000}), 10'000);
    WindowPipeline later(behind(2'000, window));
    EXPECT_EQ(fires_at(later, {0, 9'999, 11'999, 12'000}), 12'000);
  }
  // The first window of these to hold the row at 0 ends at 2000.
  for (const WindowShape shape : {WindowShape::kSliding, WindowShape::kCumulating}) {
    WindowPipeline later(behind(500, {10'000, 2'000, 0, 0, shape}));
    EXPECT_EQ(fires_at(later, {0, 1'999, 2'499, 2'500}), 2'500);
  }
}

// Vector 29: at the end of a bounded input every open window fires.
TEST(Conformance, VectorTwentyNineTheEndOfInputFiresOpenWindows) {
  for (const Merging merging : kEveryMerging) {
    WindowPipeline::Shape shape = behind(0, {20, 5, 0, 0});
    shape.merging = merging;
    WindowPipeline pipeline(shape);
    pipeline.process({{1, 1, 7}});
    pipeline.end_of_input();
    EXPECT_EQ(pipeline.take_results().size(), 4u);
  }
}

// Vectors 8 to 10 for windows of several slices: what is late, what fires again, and when state
// goes.
TEST(Conformance, VectorsEightToTenForSlidingWindows) {
  for (const Merging merging : kEveryMerging) {
    WindowOperatorDescription description = tumbling(10'000, 0, 5'000);
    description.window.slide = 5'000;
    TestSubtask window = window_subtask(description, 0, 1, merging);
    window.process({{1, 1, 6'000}});
    window.watermark(19'999);
    EXPECT_EQ(window.take_results().size(), 2u);  // [0, 10000) and [5000, 15000)
    window.process({{1, 1, 7'000}});              // its last window lives until 20000
    EXPECT_EQ(window.take_results().size(), 1u);
    EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
    window.watermark(20'000);
    window.process({{1, 1, 7'000}});
    EXPECT_EQ(window.metrics.late_dropped.get(), 1u);
    MemorySnapshot snapshot;
    window.snapshot(snapshot);
    EXPECT_TRUE(snapshot.find("window-slices")->blocks.empty());
  }
}

}  // namespace
}  // namespace tidemark
