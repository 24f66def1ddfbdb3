// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/evaluator.h"

#include <gmock/gmock.h>

#include <limits>

#include "tidemark/expr/expr_test_support.h"

namespace tidemark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kIntMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kLongMin = std::numeric_limits<std::int64_t>::min();

ExpressionPtr case_of(std::vector<ExpressionPtr> arguments) {
  return std::move(case_expression(std::move(arguments))).or_throw();
}
ExpressionPtr coalesce(std::vector<ExpressionPtr> arguments) {
  return std::move(coalesce_expression(std::move(arguments))).or_throw();
}
ExpressionPtr all_of(std::vector<ExpressionPtr> arguments) {
  return std::move(and_expression(std::move(arguments))).or_throw();
}
ExpressionPtr any_of(std::vector<ExpressionPtr> arguments) {
  return std::move(or_expression(std::move(arguments))).or_throw();
}

// CASE and COALESCE take the first match, and evaluate nothing else.
TEST(EvaluatorBranches, CaseTakesTheFirstMatchOfEachRow) {
  const auto batch =
      batch_of({{boolean(true), boolean(false), boolean(false), null(DataType::boolean())},
                {integer(11), integer(12), integer(13), integer(14)},
                {boolean(true), boolean(true), boolean(false), boolean(true)},
                {integer(22), integer(23), integer(24), integer(25)}});
  const auto tree =
      case_of({col(batch, 0), col(batch, 1), col(batch, 2), col(batch, 3), lit(null())});
  EXPECT_THAT(rows_of(tree, batch), ElementsAre("11", "23", "NULL", "25"));
}

TEST(EvaluatorBranches, ABranchNotTakenCannotFail) {
  const auto batch = batch_of({{integer(0), integer(2), integer(5), null(DataType::integer())}});
  const auto d = col(batch, 0);
  const auto tree = case_of(
      {call("<>", {d, lit(integer(0))}), call("/", {lit(integer(10)), d}), lit(integer(-1))});
  EXPECT_THAT(rows_of(tree, batch), ElementsAre("-1", "5", "2", "-1"));
}

TEST(EvaluatorBranches, TryCastAndCoalesceGiveTheDefault) {
  const auto batch = batch_of({{text("123"), text("n/a"), null(DataType::string())}});
  const auto tree = coalesce({cast(col(batch, 0), DataType::big_int(), true), lit(big(-1))});
  EXPECT_THAT(rows_of(tree, batch), ElementsAre("123", "-1", "-1"));
}

TEST(EvaluatorBranches, FoldingDoesNotEvaluateWhatIsNeverTaken) {
  const auto bad = call("/", {lit(integer(2)), lit(integer(0))});
  EXPECT_EQ(constant(coalesce({lit(integer(1)), bad})), "1");
  EXPECT_EQ(constant(case_of({lit(boolean(false)), bad, lit(integer(7))})), "7");
  EXPECT_EQ(constant(case_of({lit(boolean(true)), lit(integer(7)), bad})), "7");
  const auto never = call("=", {bad, lit(integer(1))});
  EXPECT_EQ(constant(all_of({lit(boolean(false)), never})), "FALSE");
  EXPECT_EQ(constant(any_of({lit(boolean(true)), never})), "TRUE");
}

TEST(EvaluatorBranches, NothingMatchesAndNulls) {
  const auto one_is_two = call("=", {lit(integer(1)), lit(integer(2))});
  EXPECT_EQ(constant(case_of({one_is_two, lit(integer(3)), lit(null())})), "NULL");
  EXPECT_EQ(constant(coalesce({lit(null()), lit(null())})), "NULL");
  EXPECT_EQ(constant(call("NULLIF", {lit(integer(1)), lit(null())})), "1");
  EXPECT_EQ(constant(call("NULLIF", {lit(integer(1)), lit(integer(1))})), "NULL");
}

TEST(EvaluatorBranches, AConstantErrorInABranchWaitsForARowThatTakesIt) {
  const auto batch = batch_of({{integer(0), integer(1)}});
  const auto bad = call("/", {lit(integer(3)), lit(integer(0))});
  const auto tree = case_of({call("=", {col(batch, 0), lit(integer(0))}), lit(integer(7)), bad});
  EvaluationContext context;
  EXPECT_THAT(rows_of(tree, batch, context), ElementsAre("7", "NULL"));
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_EQ(context.errors[0].row, 1u);
}

TEST(EvaluatorBranches, AndAndOrEvaluateOnlyUndecidedRows) {
  const auto batch = batch_of({{integer(0), integer(2), integer(20), null(DataType::integer())}});
  const auto d = col(batch, 0);
  const auto quotient = call(">", {call("/", {lit(integer(10)), d}), lit(integer(3))});
  EXPECT_THAT(rows_of(all_of({call("<>", {d, lit(integer(0))}), quotient}), batch),
              ElementsAre("FALSE", "TRUE", "FALSE", "NULL"));
  EXPECT_THAT(rows_of(any_of({call("=", {d, lit(integer(0))}), quotient}), batch),
              ElementsAre("TRUE", "TRUE", "FALSE", "NULL"));
}

// A row that cannot be evaluated is reported by itself, and its neighbours keep their values.
TEST(EvaluatorErrors, DivisionByZeroLeavesTheNeighboursAlone) {
  const auto batch = batch_of({{integer(0), integer(1), integer(5), null(DataType::integer())}});
  const auto tree = call("/", {lit(integer(10)), col(batch, 0)});
  EvaluationContext context;
  EXPECT_THAT(rows_of(tree, batch, context), ElementsAre("NULL", "10", "2", "NULL"));
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_EQ(context.errors[0].row, 0u);
  EXPECT_EQ(context.errors[0].message, "division by zero in 10 / a");
}

TEST(EvaluatorErrors, DecimalDivisionByZeroAndModulo) {
  const auto batch = batch_of({{integer(0), integer(4)}});
  EvaluationContext context;
  EXPECT_THAT(rows_of(call("/", {lit(decimal("10.0", 3, 1)), col(batch, 0)}), batch, context),
              ElementsAre("NULL", "2.500000000000"));
  EXPECT_EQ(context.errors.size(), 1u);
  context.errors.clear();
  EXPECT_THAT(rows_of(call("%", {lit(integer(7)), col(batch, 0)}), batch, context),
              ElementsAre("NULL", "3"));
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_THAT(context.errors[0].message, HasSubstr("division by zero"));
}

TEST(EvaluatorErrors, TheMinimumDividedByMinusOneIsAnErrorOfItsRow) {
  const auto batch = batch_of(
      {{integer(kIntMin), integer(7)}, {integer(-1), integer(-1)}, {big(kLongMin), big(9)}});
  EvaluationContext context;
  EXPECT_THAT(rows_of(call("/", {col(batch, 0), col(batch, 1)}), batch, context),
              ElementsAre("NULL", "-7"));
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_EQ(context.errors[0].message, "INT overflow in a / b");
  context.errors.clear();
  EXPECT_THAT(rows_of(call("/", {col(batch, 2), lit(integer(-1))}), batch, context),
              ElementsAre("NULL", "-9"));
  EXPECT_EQ(context.errors.size(), 1u);
  EXPECT_THAT(rows_of(call("%", {col(batch, 0), col(batch, 1)}), batch), ElementsAre("0", "0"));
  EXPECT_THAT(rows_of(call("%", {col(batch, 2), lit(integer(-1))}), batch), ElementsAre("0", "0"));
}

TEST(EvaluatorErrors, AbsAndNegationOfTheMinimumAreErrors) {
  const auto batch = batch_of({{integer(kIntMin), integer(-7)}});
  for (const char* name : {"ABS", "-"}) {
    EvaluationContext context;
    EXPECT_THAT(rows_of(call(name, {col(batch, 0)}), batch, context), ElementsAre("NULL", "7"));
    EXPECT_EQ(context.errors.size(), 1u);
  }
}

TEST(EvaluatorErrors, ConstantErrorsAreRefusedWhenTheEvaluatorIsMade) {
  const auto bad = call("/", {lit(integer(3)), lit(integer(0))});
  const auto made = make_evaluator(bad);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kEvaluation);
  EXPECT_EQ(made.error().message, "division by zero in 3 / 0");
  const auto pattern = make_evaluator(call("REGEXP", {lit(text("a")), lit(text("("))}));
  ASSERT_FALSE(pattern.ok());
  EXPECT_THAT(pattern.error().message, HasSubstr("regular expression"));
}

TEST(EvaluatorErrors, AFailedPartMakesTheWholeRowNull) {
  const auto batch = batch_of({{integer(0), integer(5)}});
  const auto quotient = call("/", {lit(integer(10)), col(batch, 0)});
  EvaluationContext context;
  EXPECT_THAT(rows_of(coalesce({quotient, lit(integer(-1))}), batch, context),
              ElementsAre("NULL", "2"));
  EXPECT_THAT(rows_of(call("IS NULL", {quotient}), batch, context), ElementsAre("NULL", "FALSE"));
  ASSERT_EQ(context.errors.size(), 1u) << "at most one error a row";
}

TEST(EvaluatorErrors, ErrorsComeInTheOrderOfTheRows) {
  const auto batch = batch_of({{integer(1), integer(0), integer(2), integer(0)},
                               {integer(0), integer(1), integer(2), integer(0)}});
  const auto tree = call("+", {call("/", {lit(integer(1)), col(batch, 1)}),
                               call("/", {lit(integer(1)), col(batch, 0)})});
  EvaluationContext context;
  rows_of(tree, batch, context);
  ASSERT_EQ(context.errors.size(), 3u);
  EXPECT_EQ(context.errors[0].row, 0u);
  EXPECT_EQ(context.errors[1].row, 1u);
  EXPECT_EQ(context.errors[2].row, 3u);
  EXPECT_EQ(context.errors[2].message, "division by zero in 1 / b");
}

TEST(Evaluator, OverflowUnderANullIsNoError) {
  const auto type = DataType::integer();
  ColumnBuilder builder(type);
  builder.append(std::int32_t{std::numeric_limits<std::int32_t>::max()});
  builder.append(std::int32_t{1});
  builder.set_null(0);
  const auto batch = std::make_shared<const Batch>(make_schema({{"a", type}}), 2,
                                                   std::vector<ColumnPtr>{builder.finish()});
  EXPECT_THAT(rows_of(call("+", {col(batch, 0), lit(integer(1))}), batch),
              ElementsAre("NULL", "2"));
}

TEST(Evaluator, OverflowIsFoundAtEveryWidth) {
  const auto batch =
      batch_of({{tiny(127)}, {small(32767)}, {integer(2147483647)}, {big(9223372036854775807)}});
  for (std::size_t i = 0; i < 4; ++i) {
    EvaluationContext context;
    EXPECT_THAT(rows_of(call("+", {col(batch, i), col(batch, i)}), batch, context),
                ElementsAre("NULL"));
    EXPECT_THAT(rows_of(call("*", {col(batch, i), col(batch, i)}), batch, context),
                ElementsAre("NULL"));
    ASSERT_EQ(context.errors.size(), 1u) << "both errors are of row 0";
    EXPECT_THAT(rows_of(call("-", {col(batch, i), col(batch, i)}), batch), ElementsAre("0"));
  }
}

TEST(Evaluator, ColumnsAreShared) {
  const auto batch = batch_of({{integer(1), integer(2)}});
  auto evaluator = std::move(make_evaluator(col(batch, 0))).or_throw();
  EvaluationContext context;
  EXPECT_EQ(evaluator->evaluate(*batch, context), batch->column_ptr(0));
}

TEST(Evaluator, SelectKeepsTheTrueRows) {
  const auto batch = batch_of({{integer(5), null(DataType::integer()), integer(1), integer(9)}});
  auto evaluator =
      std::move(make_evaluator(call(">", {col(batch, 0), lit(integer(4))}))).or_throw();
  EvaluationContext context;
  std::vector<RowIndex> selected = {7};
  evaluator->select(*batch, context, selected);
  EXPECT_THAT(selected, ElementsAre(0u, 3u));
}

TEST(Evaluator, EmptyBatchesAreFine) {
  const auto batch = batch_of({{integer(5)}});
  const auto none = slice(batch, 0, 0);
  const auto tree = case_of({call(">", {col(batch, 0), lit(integer(4))}),
                             cast(col(batch, 0), DataType::string()), lit(text("x"))});
  EXPECT_THAT(rows_of(tree, none), ElementsAre());
}

TEST(Evaluator, CaseOfStringsKeepsTheOrderOfRows) {
  const auto batch = batch_of({{integer(1), integer(2), integer(3), integer(4)},
                               {text("one"), text("two"), null(DataType::string()), text("four")}});
  const auto odd = call("=", {call("%", {col(batch, 0), lit(integer(2))}), lit(integer(1))});
  const auto tree = case_of({odd, call("UPPER", {col(batch, 1)}), lit(text("even"))});
  EXPECT_THAT(rows_of(tree, batch), ElementsAre("ONE", "even", "NULL", "even"));
}

TEST(Evaluator, NestedBranchesSeeTheRightRows) {
  const auto batch = batch_of({{integer(0), integer(1), integer(2), integer(3), integer(4)}});
  const auto a = col(batch, 0);
  const auto inner =
      case_of({call(">", {a, lit(integer(2))}), call("/", {lit(integer(12)), a}), call("-", {a})});
  const auto tree = case_of({call(">", {a, lit(integer(0))}), inner, lit(integer(100))});
  EXPECT_THAT(rows_of(tree, batch), ElementsAre("100", "-1", "-2", "4", "3"));
}

TEST(Evaluator, RandomNumbersDifferByRowAndRepeatBySeed) {
  const auto batch = batch_of({{integer(0), integer(0), integer(0)}});
  EvaluationContext context;
  context.random_seed = 42;
  const auto first = rows_of(call("RAND", {}), batch, context);
  const auto second = rows_of(call("RAND", {}), batch, context);
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[1]);
  context.random_seed = 43;
  EXPECT_NE(rows_of(call("RAND", {}), batch, context), first);
  EXPECT_NE(rows_of(call("UUID", {}), batch, context)[0],
            rows_of(call("UUID", {}), batch, context)[1]);
}

TEST(Evaluator, TheClockAndTheWatermarkComeFromTheContext) {
  const ManualClock clock(978'312'240'123);
  const auto batch = batch_of({{timestamp("2001-01-01 00:00:00")}});
  EvaluationContext context;
  context.clock = &clock;
  context.time_zone = "Asia/Tokyo";
  EXPECT_THAT(rows_of(call("CURRENT_TIMESTAMP", {}), batch, context),
              ElementsAre("2001-01-01 01:24:00.123Z"));
  EXPECT_THAT(rows_of(call("LOCALTIMESTAMP", {}), batch, context),
              ElementsAre("2001-01-01 10:24:00.123"));
  EXPECT_THAT(rows_of(call("CURRENT_DATE", {}), batch, context), ElementsAre("2001-01-01"));
  EXPECT_THAT(rows_of(call("CURRENT_TIME", {}), batch, context), ElementsAre("10:24:00"));
  EXPECT_THAT(rows_of(call("UNIX_TIMESTAMP", {}), batch, context), ElementsAre("978312240"));
  const auto watermark = call("CURRENT_WATERMARK", {col(batch, 0)});
  EXPECT_THAT(rows_of(watermark, batch, context), ElementsAre("NULL"));
  context.watermark = 1001;
  EXPECT_THAT(rows_of(watermark, batch, context), ElementsAre("1970-01-01 00:00:01.000"));
  EXPECT_TRUE(context.errors.empty());
}

TEST(Evaluator, AMissingClockOrAnUnknownZoneIsAnError) {
  const auto batch = batch_of({{timestamp("2001-01-01 00:00:00")}});
  EvaluationContext context;
  rows_of(call("NOW", {}), batch, context);
  ASSERT_EQ(context.errors.size(), 1u);
  context.errors.clear();
  context.time_zone = "Mars/Olympus";
  rows_of(cast(col(batch, 0), DataType::timestamp_ltz(3)), batch, context);
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_THAT(context.errors[0].message, HasSubstr("time zone"));
}

}  // namespace
}  // namespace tidemark::test
