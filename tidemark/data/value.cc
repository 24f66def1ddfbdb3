// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/value.h"

#include <fmt/format.h>

#include <cmath>

#include "tidemark/data/calendar.h"
#include "tidemark/data/decimal.h"
#include "tidemark/data/number_text.h"

namespace tidemark {
namespace {

// Calls `with` with a zero of the C++ type that holds integers of `kind`.
template <typename With>
void with_integer_storage(TypeKind kind, With with) {
  switch (kind) {
    case TypeKind::kNull:
    case TypeKind::kTinyInt: return with(std::int8_t{0});
    case TypeKind::kBoolean: return with(std::uint8_t{0});
    case TypeKind::kSmallInt: return with(std::int16_t{0});
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kIntervalMonth: return with(std::int32_t{0});
    case TypeKind::kBigInt:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
    case TypeKind::kIntervalDay: return with(std::int64_t{0});
    case TypeKind::kDecimal: return with(Int128{0});
    default: TIDEMARK_CHECK(false, "a type stored as an integer");
  }
}

std::string real_to_string(double value, bool single) {
  std::string text;
  if (single) {
    append_real(text, static_cast<float>(value));
  } else {
    append_real(text, value);
  }
  return text;
}

std::string interval_to_string(std::int64_t millis) {
  const bool negative = millis < 0;
  const std::uint64_t absolute =
      negative ? 0 - static_cast<std::uint64_t>(millis) : static_cast<std::uint64_t>(millis);
  const std::uint64_t seconds = absolute / 1000;
  return fmt::format("{}{} {:02}:{:02}:{:02}.{:03}", negative ? "-" : "+", seconds / 86400,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, absolute % 1000);
}

std::string integer_to_string(const Value& value) {
  const auto number = static_cast<std::int64_t>(value.integer);
  switch (value.type.kind) {
    case TypeKind::kBoolean: return number ? "TRUE" : "FALSE";
    case TypeKind::kDecimal: return decimal_to_string(value.integer, value.type.scale);
    case TypeKind::kDate: return date_to_string(static_cast<std::int32_t>(number));
    case TypeKind::kTime:
      return time_to_string(static_cast<std::int32_t>(number), value.type.precision);
    case TypeKind::kTimestamp: return timestamp_to_string(number, value.type.precision);
    case TypeKind::kTimestampLtz: return timestamp_to_string(number, value.type.precision) + "Z";
    case TypeKind::kIntervalDay: return interval_to_string(number);
    case TypeKind::kIntervalMonth:
      return fmt::format("{}{}-{:02}", number < 0 ? "-" : "+", std::abs(number) / 12,
                         std::abs(number) % 12);
    default: return fmt::format("{}", number);
  }
}

}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.type.kind != b.type.kind || a.is_null != b.is_null) return false;
  if (a.is_null) return true;
  if (is_floating(a.type.kind))
    return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
  if (is_variable_width(a.type.kind)) return a.text == b.text;
  return a.integer == b.integer && a.type.scale == b.type.scale;
}

Value value_at(const Column& column, std::size_t row) {
  if (column.is_null(row)) return Value::null(column.type());
  switch (column.kind()) {
    case TypeKind::kString:
    case TypeKind::kBytes: return Value::of_text(column.type(), std::string(column.string(row)));
    case TypeKind::kFloat: return Value::of_real(column.type(), column.value<float>(row));
    case TypeKind::kDouble: return Value::of_real(column.type(), column.value<double>(row));
    default: break;
  }
  Value value = Value::of_integer(column.type(), 0);
  with_integer_storage(column.kind(),
                       [&](auto zero) { value.integer = column.value<decltype(zero)>(row); });
  return value;
}

void append_value(ColumnBuilder& builder, const Value& value) {
  if (value.is_null) return builder.append_null();
  switch (builder.type().kind) {
    case TypeKind::kString:
    case TypeKind::kBytes: return builder.append_string(value.text);
    case TypeKind::kFloat: return builder.append(static_cast<float>(value.real));
    case TypeKind::kDouble: return builder.append(value.real);
    default: break;
  }
  with_integer_storage(builder.type().kind, [&](auto zero) {
    builder.append(static_cast<decltype(zero)>(value.integer));
  });
}

ColumnPtr repeat(const Value& value, std::size_t rows) {
  ColumnBuilder builder(value.type);
  builder.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) append_value(builder, value);
  return builder.finish();
}

std::string to_string(const Value& value) {
  if (value.is_null) return "NULL";
  switch (value.type.kind) {
    case TypeKind::kString: return value.text;
    case TypeKind::kBytes: {
      std::string text = "x'";
      for (const char c : value.text) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
      return text + "'";
    }
    case TypeKind::kFloat: return real_to_string(value.real, true);
    case TypeKind::kDouble: return real_to_string(value.real, false);
    default: return integer_to_string(value);
  }
}

std::vector<std::vector<Value>> to_rows(const Batch& batch) {
  std::vector<std::vector<Value>> rows(batch.rows());
  for (std::size_t row = 0; row < batch.rows(); ++row)
    for (const ColumnPtr& column : batch.columns()) rows[row].push_back(value_at(*column, row));
  return rows;
}

}  // namespace tidemark
