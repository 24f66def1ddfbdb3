// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/expand.h"

#include <gmock/gmock.h>

#include "tidemark/base/check.h"
#include "tidemark/expr/expression.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;

const DataType kKey = DataType::big_int();

class Rows final : public Output {
 public:
  void emit(BatchPtr batch) override {
    for (const std::vector<Value>& row : to_rows(*batch))
      rows.push_back(to_string(row[0]) + " " + to_string(row[1]) + " at " +
                     std::to_string(batch->event_times()[0]));
  }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return is_ready; }

  std::vector<std::string> rows;
  bool is_ready = true;
};

Result<std::unique_ptr<Operator>> expand(std::vector<std::vector<ExpressionPtr>> projections) {
  ExpandDescription description;
  description.input = make_schema({{"a", kKey}});
  description.output = make_schema({{"a", kKey}, {"set", kKey}});
  description.projections = std::move(projections);
  return make_expand_operator(std::move(description));
}

std::vector<std::vector<ExpressionPtr>> with_and_without() {
  const auto number = [](std::int64_t value) {
    return literal_expression(Value::of_integer(kKey, value));
  };
  return {{column_expression(0, kKey), number(0)},
          {literal_expression(Value::null(kKey)), number(1)}};
}

BatchPtr one_row(std::int64_t a) {
  ColumnBuilder column(kKey), time(DataType::big_int().with_nullable(false));
  column.append(a);
  time.append(EventTime{7});
  return std::make_shared<const Batch>(make_schema({{"a", kKey}}), 1, std::vector{column.finish()},
                                       time.finish());
}

TEST(ExpandTest, MakesARowForEachProjection) {
  const auto made = expand(with_and_without()).or_throw();
  Rows out;
  EXPECT_EQ(made->process(one_row(5), 0, out), Step::kDone);
  EXPECT_THAT(out.rows, ElementsAre("5 0 at 7", "NULL 1 at 7"));
}

TEST(ExpandTest, StopsWhereTheOutputIsFull) {
  const auto made = expand(with_and_without()).or_throw();
  Rows out;
  out.is_ready = false;
  EXPECT_EQ(made->process(one_row(5), 0, out), Step::kMore);
  EXPECT_THAT(out.rows, ElementsAre("5 0 at 7"));
  EXPECT_EQ(made->resume(out), Step::kDone);
  EXPECT_EQ(out.rows.size(), 2u);
}

TEST(ExpandTest, TakesColumnsAndLiterals) {
  const auto sum =
      call_expression("+", {column_expression(0, kKey), column_expression(0, kKey)}).or_throw();
  const auto made = expand({{sum, sum}});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace tidemark
