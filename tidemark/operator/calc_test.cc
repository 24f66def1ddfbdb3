// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/calc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tidemark/operator/metrics.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Collected final : public Output {
 public:
  void emit(BatchPtr batch) override { main.push_back(std::move(batch)); }
  void emit_side(OutputIndex side, BatchPtr batch) override {
    sides[side].push_back(std::move(batch));
  }
  void emit_watermark(EventTime watermark) override { watermarks.push_back(watermark); }
  bool ready() const override { return true; }

  std::vector<BatchPtr> main;
  std::map<OutputIndex, std::vector<BatchPtr>> sides;
  std::vector<EventTime> watermarks;
};

std::vector<std::string> rows_of(const Batch& batch) {
  std::vector<std::string> result;
  for (const auto& row : to_rows(batch)) {
    std::string text;
    for (const Value& value : row) text += (text.empty() ? "" : "|") + to_string(value);
    result.push_back(text);
  }
  return result;
}

class CalcTest : public ::testing::Test {
 protected:
  CalcTest() {
    description_.input = make_schema({{"name", DataType::string()}, {"x", DataType::integer()}});
    description_.output = make_schema({{"y", DataType::integer()}, {"name", DataType::string()}});
    name_ = column_expression(0, DataType::string());
    x_ = column_expression(1, DataType::integer());
    description_.projection = {quotient(), name_};
  }

  static ExpressionPtr number(int value) {
    return literal_expression(Value::of_integer(DataType::integer(), value));
  }
  static ExpressionPtr call(std::string_view function, std::vector<ExpressionPtr> arguments) {
    return call_expression(function, std::move(arguments)).or_throw();
  }
  ExpressionPtr quotient() const { return call("/", {number(10), x_}); }

  BatchPtr input() const {
    ColumnBuilder names(DataType::string());
    ColumnBuilder numbers(DataType::integer());
    ColumnBuilder times(DataType::big_int());
    ColumnBuilder kinds(DataType::tiny_int());
    const char* letters[] = {"a", "b", "c", "d"};
    const std::int32_t values[] = {0, 1, 5, 20};
    for (std::size_t i = 0; i < 4; ++i) {
      names.append_string(letters[i]);
      numbers.append(values[i]);
      times.append(static_cast<std::int64_t>(100 * i));
      kinds.append(static_cast<std::int8_t>(i % 2));
    }
    return std::make_shared<const Batch>(description_.input, 4,
                                         std::vector<ColumnPtr>{names.finish(), numbers.finish()},
                                         times.finish(), kinds.finish());
  }

  std::unique_ptr<Operator> open() {
    auto made = make_calc_operator(description_).or_throw();
    context_.metrics = &metrics_;
    made->open(context_);
    return made;
  }
  void run() { open()->process(input(), 0, out_); }

  CalcDescription description_;
  ExpressionPtr name_;
  ExpressionPtr x_;
  OperatorContext context_;
  OperatorMetrics metrics_;
  Collected out_;
};

TEST_F(CalcTest, FiltersAndProjects) {
  description_.filter = call(">", {x_, number(0)});
  run();
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_THAT(rows_of(*out_.main[0]), ElementsAre("10|b", "2|c", "0|d"));
  EXPECT_EQ(metrics_.filtered.get(), 1u);
  EXPECT_EQ(metrics_.rejected_skipped.get(), 0u);
}

TEST_F(CalcTest, EventTimesAndRowKindsFollowTheirRows) {
  description_.filter = call(">", {x_, number(4)});
  run();
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_EQ(out_.main[0]->event_times()[0], 200);
  EXPECT_EQ(out_.main[0]->event_times()[1], 300);
  EXPECT_EQ(out_.main[0]->row_kinds()[0], 0);
  EXPECT_EQ(out_.main[0]->row_kinds()[1], 1);
}

TEST_F(CalcTest, ColumnsAreSharedWhenEveryRowPasses) {
  description_.projection = {x_, name_};
  description_.filter = call(">=", {x_, number(0)});
  const BatchPtr batch = input();
  open()->process(batch, 0, out_);
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_EQ(out_.main[0]->column_ptr(0), batch->column_ptr(1));
  EXPECT_EQ(out_.main[0]->column_ptr(1), batch->column_ptr(0));
  EXPECT_EQ(out_.main[0]->event_times_ptr(), batch->event_times_ptr());
}

TEST_F(CalcTest, NothingIsEmittedWhenNothingPasses) {
  description_.filter = call("<", {x_, number(0)});
  run();
  EXPECT_TRUE(out_.main.empty());
  EXPECT_EQ(metrics_.filtered.get(), 4u);
}

TEST_F(CalcTest, ANullFilterDoesNotPass) {
  const auto null = literal_expression(Value::null(DataType::integer()));
  description_.filter = call("=", {x_, null});
  run();
  EXPECT_TRUE(out_.main.empty());
  EXPECT_EQ(metrics_.filtered.get(), 4u);
}

// The failure names the expression and the row, and a restart would not help.
TEST_F(CalcTest, FailsWithTheExpressionAndTheRow) {
  try {
    run();
    FAIL() << "10 / 0 passed";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kEvaluation);
    EXPECT_FALSE(failure.retryable());
    EXPECT_THAT(failure.what(), HasSubstr("division by zero in 10 / x"));
    EXPECT_THAT(failure.what(), HasSubstr("name=a, x=0"));
  }
}

TEST_F(CalcTest, SkipMakesTheValueNullAndCounts) {
  description_.errors = RecordErrorPolicy::kSkip;
  run();
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_THAT(rows_of(*out_.main[0]), ElementsAre("NULL|a", "10|b", "2|c", "0|d"));
  EXPECT_EQ(metrics_.nulled.get(), 1u);
  EXPECT_EQ(metrics_.rejected_skipped.get(), 0u) << "the row was emitted";
}

TEST_F(CalcTest, SkipDropsARowWhoseFilterFails) {
  description_.errors = RecordErrorPolicy::kSkip;
  description_.filter = call(">", {quotient(), number(1)});
  run();
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_THAT(rows_of(*out_.main[0]), ElementsAre("10|b", "2|c"));
  EXPECT_EQ(metrics_.rejected_skipped.get(), 1u);
  EXPECT_EQ(metrics_.filtered.get(), 1u) << "4 rows = 2 emitted + 1 filtered + 1 rejected";
}

TEST_F(CalcTest, DeadLettersKeepTheInputRow) {
  description_.errors = RecordErrorPolicy::kDeadLetter;
  description_.filter = call("<", {x_, number(10)});
  run();
  ASSERT_EQ(out_.main.size(), 1u);
  EXPECT_THAT(rows_of(*out_.main[0]), ElementsAre("10|b", "2|c"));
  EXPECT_EQ(out_.main[0]->event_times()[0], 100);
  ASSERT_EQ(out_.sides[kRejectedOutput].size(), 1u);
  EXPECT_THAT(rows_of(*out_.sides[kRejectedOutput][0]), ElementsAre("a|0"));
  EXPECT_EQ(metrics_.rejected_dead_letter.get(), 1u);
  EXPECT_EQ(metrics_.filtered.get(), 1u);
}

TEST_F(CalcTest, WatermarksPassAndAreKnownToExpressions) {
  const auto time =
      call("TO_TIMESTAMP",
           {literal_expression(Value::of_text(DataType::string(), "2001-01-01 00:00:00"))});
  description_.output = make_schema({{"w", DataType::timestamp(3)}});
  description_.projection = {call("CURRENT_WATERMARK", {time})};
  auto calc = open();
  calc->process(input(), 0, out_);
  calc->on_watermark(1001, out_);
  calc->process(input(), 0, out_);
  EXPECT_THAT(out_.watermarks, ElementsAre(1001));
  EXPECT_EQ(rows_of(*out_.main[0])[0], "NULL");
  EXPECT_EQ(rows_of(*out_.main[1])[3], "1970-01-01 00:00:01.000");
}

TEST_F(CalcTest, ConstantErrorsAreRefusedWhenTheOperatorIsMade) {
  description_.projection = {call("/", {number(3), number(0)}), name_};
  const auto made = make_calc_operator(description_);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("division by zero"));
  description_.projection = {quotient(), name_};
  description_.filter = x_;
  EXPECT_FALSE(make_calc_operator(description_).ok()) << "a filter of INT";
}

}  // namespace
}  // namespace tidemark
