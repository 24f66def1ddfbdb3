// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/expression.h"

#include <gmock/gmock.h>

#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark::test {
namespace {

using ::testing::HasSubstr;

ExpressionPtr column(DataType type, std::size_t index = 0) {
  return column_expression(index, type);
}

std::string type_of(std::string_view name, std::vector<ExpressionPtr> arguments) {
  return to_string(call(name, std::move(arguments))->type);
}

std::string error_of(std::string_view name, std::vector<ExpressionPtr> arguments) {
  const auto result = call_expression(name, std::move(arguments));
  return result.ok() ? "no error" : result.error().message;
}

std::string arithmetic(char operation, DataType a, DataType b) {
  return type_of(std::string(1, operation), {column(a), column(b, 1)});
}

TEST(ExpressionTypes, IntegersArePromotedToTheWider) {
  const auto i = DataType::integer();
  EXPECT_EQ(arithmetic('+', DataType::tiny_int(), DataType::small_int()), "SMALLINT");
  EXPECT_EQ(arithmetic('+', i, i), "INT");
  EXPECT_EQ(arithmetic('/', i, DataType::big_int()), "BIGINT");
  EXPECT_EQ(arithmetic('*', i, DataType::float32()), "FLOAT");
  EXPECT_EQ(arithmetic('*', DataType::float32(), DataType::float64()), "DOUBLE");
  EXPECT_EQ(arithmetic('-', DataType::decimal(5, 2), DataType::float32()), "DOUBLE");
}

TEST(ExpressionTypes, DecimalResultsAreFlinks) {
  const auto d = [](int p, int s) {
    return DataType::decimal(static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(s));
  };
  EXPECT_EQ(arithmetic('+', d(10, 2), d(5, 4)), "DECIMAL(13, 4)");
  EXPECT_EQ(arithmetic('*', d(10, 2), d(5, 4)), "DECIMAL(16, 6)");
  EXPECT_EQ(arithmetic('/', d(10, 2), d(5, 4)), "DECIMAL(20, 8)");
  EXPECT_EQ(arithmetic('%', d(10, 2), d(5, 4)), "DECIMAL(5, 4)");
  EXPECT_EQ(arithmetic('+', d(10, 2), DataType::integer()), "DECIMAL(13, 2)");
  EXPECT_EQ(arithmetic('*', d(10, 2), DataType::big_int()), "DECIMAL(30, 2)");
  // Beyond 38 digits the scale gives way, down to 6.
  EXPECT_EQ(arithmetic('*', d(38, 10), d(38, 10)), "DECIMAL(38, 6)");
  EXPECT_EQ(arithmetic('+', d(38, 10), d(38, 2)), "DECIMAL(38, 6)");
  EXPECT_EQ(arithmetic('/', d(38, 20), d(38, 20)), "DECIMAL(38, 6)");
}

TEST(ExpressionTypes, CommonTypes) {
  const auto merged = [](DataType a, DataType b) {
    const auto type = common_type(a, b);
    return type.ok() ? to_string(*type) : type.error().message;
  };
  EXPECT_EQ(merged(DataType::null(), DataType::date()), "DATE");
  EXPECT_EQ(merged(DataType::date(), DataType::timestamp(3)), "TIMESTAMP(3)");
  EXPECT_EQ(merged(DataType::timestamp(0), DataType::timestamp_ltz(6)), "TIMESTAMP_LTZ(6)");
  EXPECT_EQ(merged(DataType::decimal(5, 2), DataType::big_int()), "DECIMAL(21, 2)");
  EXPECT_EQ(merged(DataType::string(), DataType::integer()), "STRING and INT have no common type");
  EXPECT_EQ(
      merged(DataType::boolean().with_nullable(false), DataType::boolean().with_nullable(false)),
      "BOOLEAN NOT NULL");
}

TEST(ExpressionTypes, NullabilityFollowsTheArguments) {
  const auto sure = DataType::integer().with_nullable(false);
  EXPECT_EQ(type_of("+", {column(sure), lit(integer(1))}), "INT NOT NULL");
  EXPECT_EQ(type_of("+", {column(sure), column(DataType::integer(), 1)}), "INT");
  EXPECT_EQ(type_of("IS NULL", {column(DataType::integer())}), "BOOLEAN NOT NULL");
  EXPECT_EQ(to_string(cast(column(sure), DataType::string(), true)->type), "STRING");
}

TEST(ExpressionTypes, DatesAndIntervals) {
  EXPECT_EQ(type_of("+", {column(DataType::date()), lit(days(1))}), "DATE");
  EXPECT_EQ(type_of("+", {column(DataType::date()), lit(millis(1))}), "TIMESTAMP(3)");
  EXPECT_EQ(type_of("-", {column(DataType::timestamp(3)), lit(months(1))}), "TIMESTAMP(3)");
  EXPECT_EQ(type_of("+", {lit(days(1)), column(DataType::timestamp_ltz(6))}), "TIMESTAMP_LTZ(6)");
  EXPECT_EQ(type_of("-", {column(DataType::timestamp(3)), column(DataType::date(), 1)}),
            "INTERVAL DAY TO SECOND");
  EXPECT_THAT(error_of("-", {lit(days(1)), column(DataType::date())}),
              HasSubstr("wrong arguments"));
}

TEST(ExpressionComparison, ALiteralTakesTheColumnsType) {
  const auto delay = column(DataType::small_int());
  const Schema schema{{{"delay", DataType::small_int()}}};
  EXPECT_EQ(to_string(*call(">", {delay, lit(integer(15))}), schema), "delay > 15");
  EXPECT_EQ(call(">", {delay, lit(integer(15))})->arguments[1]->type.kind, TypeKind::kSmallInt);
  // 70000 is no SMALLINT: then the column is widened.
  EXPECT_EQ(to_string(*call(">", {delay, lit(integer(70'000))}), schema),
            "CAST(delay AS INT) > 70000");
}

TEST(ExpressionComparison, AStringIsReadAsTheOtherType) {
  const Schema schema{{{"d", DataType::date()}, {"t", DataType::timestamp(3)}}};
  EXPECT_EQ(to_string(*call("=", {column(DataType::date()), lit(text("2001-01-01"))}), schema),
            "d = DATE '2001-01-01'");
  const auto t = column(DataType::timestamp(3), 1);
  EXPECT_EQ(to_string(*call("<", {lit(text("2001-01-01 00:00:00.0005")), t}), schema),
            "TIMESTAMP '2001-01-01 00:00:00.0005' < CAST(t AS TIMESTAMP(4))");
  EXPECT_EQ(constant(call("=", {lit(text("12")), lit(integer(12))})), "TRUE");
}

TEST(ExpressionErrors, NameTheFunctionAndWhatItTakes) {
  const auto unknown = call_expression("UPER", {lit(text("a"))});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message, "there is no function 'UPER'; did you mean UPPER?");
  EXPECT_EQ(
      error_of("SUBSTRING", {lit(integer(1)), lit(integer(2))}),
      "wrong arguments for SUBSTRING: it is SUBSTRING(text, start [, length]), and got (INT, INT)");
  EXPECT_EQ(error_of("+", {lit(boolean(true)), lit(integer(1))}),
            "wrong arguments for +: it is a + b, and got (BOOLEAN, INT)");
  EXPECT_THAT(error_of("UPPER", {}), HasSubstr("UPPER(text)"));
}

TEST(ExpressionErrors, CastsThatDoNotExistSayWhatDoes) {
  const auto bad = cast_expression(lit(integer(1)), DataType::timestamp(3));
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message,
            "INT cannot be cast to TIMESTAMP(3): use TO_TIMESTAMP_LTZ(number, 0 or 3)");
  EXPECT_FALSE(cast_expression(lit(boolean(true)), DataType::date()).ok());
}

TEST(ExpressionErrors, BranchesNeedACommonType) {
  const auto bad = case_expression({lit(boolean(true)), lit(integer(1)), lit(text("a"))});
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr("INT and STRING"));
  EXPECT_FALSE(case_expression({lit(boolean(true)), lit(integer(1))}).ok());
  EXPECT_FALSE(and_expression({lit(integer(1))}).ok());
}

TEST(ExpressionText, IsReadable) {
  const Schema schema{{{"a", DataType::integer()}, {"s", DataType::string()}}};
  const auto a = column(DataType::integer());
  const auto s = column(DataType::string(), 1);
  const auto sum = call("+", {a, lit(integer(1))});
  EXPECT_EQ(to_string(*call("*", {sum, a}), schema), "(a + 1) * a");
  EXPECT_EQ(to_string(*call("IS NOT NULL", {sum}), schema), "(a + 1) IS NOT NULL");
  EXPECT_EQ(to_string(*call("IN", {a, lit(integer(1)), lit(integer(2))}), schema), "a IN (1, 2)");
  EXPECT_EQ(to_string(*call("LIKE", {s, lit(text("it's%"))}), schema), "s LIKE 'it''s%'");
  EXPECT_EQ(to_string(*call("IF", {call(">", {a, lit(integer(0))}), s, lit(null())}), schema),
            "CASE WHEN a > 0 THEN s ELSE NULL END");
  const auto both =
      and_expression({call(">", {a, lit(integer(0))}), call("=", {s, lit(text("x"))})});
  EXPECT_EQ(to_string(**both, schema), "(a > 0) AND (s = 'x')");
  EXPECT_EQ(to_string(*call("-", {a}), schema), "-a");
}

TEST(Expression, SameAndConstantAndDeterministic) {
  const auto a = column(DataType::integer());
  const auto sum = call("+", {a, lit(integer(1))});
  EXPECT_TRUE(same_expression(*sum, *call("+", {a, lit(integer(1))})));
  EXPECT_FALSE(same_expression(*sum, *call("+", {a, lit(integer(2))})));
  EXPECT_FALSE(same_expression(*sum, *call("-", {a, lit(integer(1))})));
  EXPECT_FALSE(is_constant(*sum));
  EXPECT_TRUE(is_constant(*call("RAND", {})));
  EXPECT_FALSE(is_deterministic(*call("+", {call("RAND", {}), lit(integer(1))})));
  EXPECT_FALSE(is_deterministic(*call("NOW", {})));
  EXPECT_TRUE(is_deterministic(*sum));
}

TEST(Expression, NestedConnectivesAreOneList) {
  const auto t = lit(boolean(true));
  const auto inner = *and_expression({t, t});
  EXPECT_EQ((*and_expression({inner, t}))->arguments.size(), 3u);
  EXPECT_EQ((*or_expression({inner, t}))->arguments.size(), 2u);
}

}  // namespace
}  // namespace tidemark::test
