// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidemark/data/calendar.h"
#include "tidemark/data/decimal.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/expression.h"

// Short names for the literals and trees of expression tests.

namespace tidemark::test {

inline Value boolean(bool value) {
  return Value::of_integer(DataType::boolean(), value ? 1 : 0);
}
inline Value tiny(int value) {
  return Value::of_integer(DataType::tiny_int(), value);
}
inline Value small(int value) {
  return Value::of_integer(DataType::small_int(), value);
}
inline Value integer(std::int64_t value) {
  return Value::of_integer(DataType::integer(), value);
}
inline Value big(std::int64_t value) {
  return Value::of_integer(DataType::big_int(), value);
}
inline Value real(double value) {
  return Value::of_real(DataType::float64(), value);
}
inline Value single(float value) {
  return Value::of_real(DataType::float32(), value);
}
inline Value text(std::string value) {
  return Value::of_text(DataType::string(), std::move(value));
}
inline Value null(DataType type = DataType::null()) {
  return Value::null(type);
}
inline Value decimal(std::string_view digits, int precision, int scale) {
  return Value::of_integer(
      DataType::decimal(static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale)),
      parse_decimal(digits, precision, scale).value());
}
inline Value date(std::string_view value) {
  return Value::of_integer(DataType::date(), parse_date(value).value());
}
inline Value time(std::string_view value, std::uint8_t precision = 0) {
  return Value::of_integer(DataType::time(precision), parse_time(value).value());
}
inline Value timestamp(std::string_view value, std::uint8_t precision = 3) {
  return Value::of_integer(DataType::timestamp(precision),
                           parse_timestamp(value, precision).value());
}
inline Value instant(std::string_view utc, std::uint8_t precision = 3) {
  return Value::of_integer(DataType::timestamp_ltz(precision),
                           parse_timestamp(utc, precision).value());
}
inline Value days(std::int64_t count) {
  return Value::of_integer(DataType::interval_day(), count * 86'400'000);
}
inline Value millis(std::int64_t count) {
  return Value::of_integer(DataType::interval_day(), count);
}
inline Value months(std::int64_t count) {
  return Value::of_integer(DataType::interval_month(), count);
}

inline ExpressionPtr lit(Value value) {
  return literal_expression(std::move(value));
}

inline ExpressionPtr call(std::string_view name, std::vector<ExpressionPtr> arguments) {
  auto result = call_expression(name, std::move(arguments));
  if (!result.ok()) ADD_FAILURE() << name << ": " << result.error().message;
  return result.ok() ? *result : lit(null());
}

inline ExpressionPtr cast(ExpressionPtr argument, DataType to, bool try_cast = false) {
  auto result = cast_expression(std::move(argument), to, try_cast);
  if (!result.ok()) ADD_FAILURE() << result.error().message;
  return result.ok() ? *result : lit(null());
}

/// A batch of one column a list of values; all values of a list have the type of its first.
inline BatchPtr batch_of(const std::vector<std::vector<Value>>& columns) {
  std::vector<Field> fields;
  std::vector<ColumnPtr> built;
  for (const auto& values : columns) {
    const DataType type = values.front().type.with_nullable(true);
    ColumnBuilder builder(type);
    for (const Value& value : values) append_value(builder, value);
    fields.push_back({std::string(1, static_cast<char>('a' + fields.size())), type});
    built.push_back(builder.finish());
  }
  return std::make_shared<const Batch>(make_schema(std::move(fields)), columns.front().size(),
                                       std::move(built));
}

inline ExpressionPtr col(const BatchPtr& batch, std::size_t index) {
  return column_expression(index, batch->schema().fields[index].type);
}

/// The value of a constant as text, or its error.
inline std::string constant(const ExpressionPtr& expression, const std::string& zone = "UTC") {
  const auto value = evaluate_constant(expression, zone);
  return value.ok() ? to_string(*value) : "error: " + value.error().message;
}

/// The rows of a column as texts.
inline std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> result;
  for (std::size_t row = 0; row < column.size(); ++row)
    result.push_back(to_string(value_at(column, row)));
  return result;
}

inline std::vector<std::string> rows_of(const ExpressionPtr& expression, const BatchPtr& batch,
                                        EvaluationContext& context) {
  auto evaluator = make_evaluator(expression);
  if (!evaluator.ok()) {
    ADD_FAILURE() << evaluator.error().message;
    return {};
  }
  return texts(*(*evaluator)->evaluate(*batch, context));
}

inline std::vector<std::string> rows_of(const ExpressionPtr& expression, const BatchPtr& batch) {
  EvaluationContext context;
  auto rows = rows_of(expression, batch, context);
  for (const RowError& error : context.errors) ADD_FAILURE() << error.message;
  return rows;
}

/// A function of literals, evaluated three times: folded, over columns (with a row of NULLs
/// between), and over columns and literals by turns. All must agree.
inline std::string apply(std::string_view name, const std::vector<Value>& arguments,
                         const std::string& zone = "UTC") {
  std::vector<ExpressionPtr> literals;
  for (const Value& value : arguments) literals.push_back(lit(value));
  const ExpressionPtr folded = call(name, literals);
  const DataType type = folded->type;
  const std::string expected = constant(folded, zone);
  if (arguments.empty() || expected.starts_with("error")) return expected;

  std::vector<std::vector<Value>> columns;
  for (const Value& value : arguments) columns.push_back({value, Value::null(value.type), value});
  const BatchPtr batch = batch_of(columns);
  for (std::size_t shape = 0; shape < 3; ++shape) {
    std::vector<ExpressionPtr> mixed;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      mixed.push_back(shape == 0 || i % 2 == shape - 1 ? col(batch, i) : literals[i]);
    const auto tree = call_expression(name, mixed);
    // Some arguments must be literals, and some types follow from their values.
    if (!tree.ok() || (*tree)->type.kind != type.kind || (*tree)->type.scale != type.scale)
      continue;
    auto evaluator = make_evaluator(*tree);
    if (!evaluator.ok()) continue;
    EvaluationContext context;
    context.time_zone = zone;
    const auto rows = texts(*(*evaluator)->evaluate(*batch, context));
    EXPECT_EQ(rows[0], expected) << name << " over columns, shape " << shape;
    EXPECT_EQ(rows[2], expected) << name << " over columns, shape " << shape;
  }
  return expected;
}

}  // namespace tidemark::test
