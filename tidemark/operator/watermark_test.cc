// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/watermark.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;

BatchPtr batch_at(const std::vector<EventTime>& times) {
  ColumnBuilder builder(DataType::big_int().with_nullable(false));
  for (const EventTime time : times) builder.append(time);
  const ColumnPtr column = builder.finish();
  return std::make_shared<const Batch>(make_schema({}), times.size(), std::vector<ColumnPtr>{},
                                       column);
}

std::vector<EventTime> observe(WatermarkGenerator& generator, const std::vector<EventTime>& times) {
  std::vector<EventTime> watermarks(times.size());
  generator.observe(*batch_at(times), watermarks);
  return watermarks;
}

// The harness test of the window operator: 3 s out of order.
TEST(WatermarkGeneratorTest, IsTheNewestTimeLessTheBound) {
  const auto generator = bounded_out_of_orderness(3000).make_generator();
  EXPECT_EQ(generator->current(), kMinTime);
  EXPECT_THAT(observe(*generator, {1000, 4000, 2000, 13500}),
              ElementsAre(-2000, 1000, 1000, 10500));
  EXPECT_EQ(generator->current(), 10500);
}

TEST(WatermarkGeneratorTest, WithoutABoundEqualTimesAreNotLate) {
  const auto generator = monotonous_timestamps().make_generator();
  EXPECT_THAT(observe(*generator, {5, 5, 3, 6}), ElementsAre(5, 5, 5, 6));
}

TEST(WatermarkGeneratorTest, ByTheBatchGivesTheSame) {
  const auto generator = bounded_out_of_orderness(10).make_generator();
  generator->observe(*batch_at({3, 50, 7}), {});
  EXPECT_EQ(generator->current(), 40);
  generator->observe(*batch_at({}), {});
  EXPECT_EQ(generator->current(), 40);
}

TEST(WatermarkGeneratorTest, TimesThatAreNoneMoveNothing) {
  const auto generator = bounded_out_of_orderness(10).make_generator();
  EXPECT_THAT(observe(*generator, {kMinTime, kMaxTime, 30, kMaxTime, kMinTime}),
              ElementsAre(kMinTime, kMinTime, 20, 20, 20));
  EXPECT_THAT(observe(*generator, {kMinTime + 3}), ElementsAre(20));
}

TEST(WatermarkGeneratorTest, SaturatesAtTheBeginningOfTime) {
  const auto generator = bounded_out_of_orderness(10).make_generator();
  EXPECT_THAT(observe(*generator, {kMinTime + 3, kMinTime + 12}),
              ElementsAre(kMinTime, kMinTime + 2));
}

TEST(WatermarkGeneratorTest, GoesOnFromItsSnapshot) {
  const auto generator = bounded_out_of_orderness(10).make_generator();
  observe(*generator, {100});
  ByteWriter bytes;
  generator->snapshot(bytes);
  const auto other = bounded_out_of_orderness(10).make_generator();
  ByteReader in(bytes.view());
  other->restore(in);
  EXPECT_EQ(other->current(), 90);
  EXPECT_THAT(observe(*other, {50, 101}), ElementsAre(90, 91));
}

TEST(WatermarkGeneratorTest, RowsWithoutTimesAreAFailure) {
  ColumnBuilder builder(DataType::big_int());
  builder.append_null();
  const Batch batch(make_schema({{"a", DataType::big_int()}}), 1, {builder.finish()});
  const auto generator = monotonous_timestamps().make_generator();
  EXPECT_THROW(generator->observe(batch, {}), Failure);
}

TEST(WatermarkCombinerTest, WaitsForEveryActiveInput) {
  WatermarkCombiner combiner(2);
  EXPECT_FALSE(combiner.on_watermark(0, 11));
  EXPECT_EQ(combiner.watermark(), kMinTime);
  EXPECT_TRUE(combiner.on_status(1, false));
  EXPECT_EQ(combiner.watermark(), 11);
  EXPECT_FALSE(combiner.on_watermark(1, 6)) << "an input that wakes up does not pull it back";
  EXPECT_EQ(combiner.watermark(), 11);
  EXPECT_FALSE(combiner.on_watermark(0, 21)) << "but holds it until it has caught up";
  EXPECT_TRUE(combiner.on_watermark(1, 15));
  EXPECT_EQ(combiner.watermark(), 15);
}

TEST(WatermarkCombinerTest, WhenAllAreIdleTheNewestCounts) {
  WatermarkCombiner combiner(2);
  combiner.on_watermark(0, 11);
  combiner.on_watermark(1, 8);
  EXPECT_EQ(combiner.watermark(), 8);
  combiner.on_status(0, false);
  EXPECT_EQ(combiner.watermark(), 8);
  EXPECT_FALSE(combiner.idle());
  EXPECT_TRUE(combiner.on_status(1, false));
  EXPECT_EQ(combiner.watermark(), 11);
  EXPECT_TRUE(combiner.idle());
  EXPECT_TRUE(combiner.on_status(1, true));
  EXPECT_FALSE(combiner.idle());
  EXPECT_EQ(combiner.watermark(), 11) << "never falls";
}

// No inputs are idle, and an input that comes later does not pull the promise back.
TEST(WatermarkCombinerTest, AMinimumOverNothingIsNothing) {
  WatermarkCombiner none(0);
  EXPECT_TRUE(none.idle());
  EXPECT_EQ(none.watermark(), kMinTime);

  WatermarkCombiner combiner(3);
  combiner.on_watermark(0, 2000);
  combiner.on_watermark(1, 2500);
  combiner.on_status(2, false);
  EXPECT_EQ(combiner.watermark(), 2000);
  combiner.on_watermark(2, 1200);
  EXPECT_EQ(combiner.watermark(), 2000);
  for (std::size_t input = 0; input < 3; ++input) combiner.on_watermark(input, 12000);
  EXPECT_EQ(combiner.watermark(), 12000);
}

TEST(WatermarkCombinerTest, TheSlowerInputCounts) {
  WatermarkCombiner combiner(2);
  combiner.on_watermark(0, 90'001);
  combiner.on_watermark(1, 19'001);
  EXPECT_EQ(combiner.watermark(), 19'001);
}

TEST(WatermarkCombinerTest, AnEndedInputHoldsNobodyBackAndEndsNothing) {
  WatermarkCombiner combiner(3);
  combiner.on_watermark(0, 10);
  combiner.on_watermark(1, 20);
  combiner.on_end(2);
  EXPECT_EQ(combiner.watermark(), 10);
  combiner.on_status(0, false);
  combiner.on_status(1, false);
  EXPECT_EQ(combiner.watermark(), 20) << "idle inputs may still speak";
  EXPECT_TRUE(combiner.idle());
  combiner.on_end(0);
  EXPECT_EQ(combiner.watermark(), 20);
  EXPECT_TRUE(combiner.on_end(1));
  EXPECT_EQ(combiner.watermark(), kMaxTime);
  EXPECT_FALSE(combiner.idle());
}

TEST(WatermarkCombinerTest, ASplitFoundLaterHoldsThePromise) {
  WatermarkCombiner combiner(1);
  combiner.on_watermark(0, 10);
  const std::size_t late = combiner.add_input();
  EXPECT_FALSE(combiner.on_watermark(0, 20));
  EXPECT_EQ(combiner.watermark(), 10);
  combiner.on_watermark(late, 15);
  EXPECT_EQ(combiner.watermark(), 15);
  EXPECT_EQ(combiner.input_watermark(late), 15);
}

}  // namespace
}  // namespace tidemark
