// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BatchPtr batch_of(DataType type, const std::vector<std::optional<std::int64_t>>& values) {
  ColumnBuilder builder(type);
  for (const auto& value : values)
    append_value(builder, value ? Value::of_integer(type, *value) : Value::null(type));
  return std::make_shared<const Batch>(make_schema({{"ts", type}}), values.size(),
                                       std::vector{builder.finish()});
}

std::vector<EventTime> observe(WatermarkGenerator& generator, const Batch& batch) {
  std::vector<EventTime> watermarks(batch.rows());
  generator.observe(batch, watermarks);
  return watermarks;
}

ExpressionPtr two_seconds_before(DataType type) {
  return call_expression("-", {column_expression(0, type), literal_expression(Value::of_integer(
                                                               DataType::interval_day(), 2000))})
      .or_throw();
}

// As in Flink, ts - INTERVAL '2' SECOND fires [0, 10000) at the first row >= 11999.
TEST(ExpressionWatermarkTest, IsTheValuePlusOne) {
  const DataType type = DataType::timestamp(3);
  const auto generator = expression_watermark(two_seconds_before(type)).make_generator();
  EXPECT_EQ(generator->current(), kMinTime);
  EXPECT_THAT(observe(*generator, *batch_of(type, {11998, 5000, std::nullopt, 11999})),
              ElementsAre(9999, 9999, 9999, 10000));
  EXPECT_EQ(generator->current(), 10000);
}

TEST(ExpressionWatermarkTest, ByTheBatchGivesTheSame) {
  const DataType type = DataType::timestamp_ltz(3);
  const auto generator = expression_watermark(column_expression(0, type)).make_generator();
  generator->observe(*batch_of(type, {7, 3}), {});
  EXPECT_EQ(generator->current(), 8);
}

TEST(ExpressionWatermarkTest, FinerTimesAreRoundedDown) {
  const DataType type = DataType::timestamp(6);
  const auto generator = expression_watermark(column_expression(0, type)).make_generator();
  EXPECT_THAT(observe(*generator, *batch_of(type, {-1, 1999, 2000})), ElementsAre(0, 2, 3));
}

TEST(ExpressionWatermarkTest, NeverSaysTheEndOfTime) {
  const DataType type = DataType::big_int();
  const auto generator = expression_watermark(column_expression(0, type)).make_generator();
  EXPECT_THAT(observe(*generator, *batch_of(type, {kMaxTime, kMinTime, 5, kMaxTime - 1})),
              ElementsAre(kMinTime, kMinTime, 6, kMaxTime - 1));
}

TEST(ExpressionWatermarkTest, GoesOnFromItsSnapshot) {
  const DataType type = DataType::big_int();
  const WatermarkStrategy strategy = expression_watermark(column_expression(0, type));
  const auto generator = strategy.make_generator();
  observe(*generator, *batch_of(type, {50}));
  ByteWriter bytes;
  generator->snapshot(bytes);
  const auto other = strategy.make_generator();
  ByteReader in(bytes.view());
  other->restore(in);
  EXPECT_THAT(observe(*other, *batch_of(type, {20, 60})), ElementsAre(51, 61));
}

TEST(ExpressionWatermarkTest, ARowThatCannotBeEvaluatedIsAFailure) {
  const DataType type = DataType::big_int();
  const auto generator =
      expression_watermark(call_expression("+", {column_expression(0, type),
                                                 literal_expression(Value::of_integer(type, 1))})
                               .or_throw())
          .make_generator();
  try {
    observe(*generator, *batch_of(type, {kMaxTime}));
    FAIL() << "evaluated";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kEvaluation);
    EXPECT_THAT(failure.what(), HasSubstr("WATERMARK"));
  }
}

}  // namespace
}  // namespace tidemark
