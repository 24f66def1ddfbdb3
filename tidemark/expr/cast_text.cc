// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tidemark/data/calendar.h"
#include "tidemark/data/decimal.h"
#include "tidemark/data/number_text.h"
#include "tidemark/expr/cast.h"
#include "tidemark/expr/utf8.h"

// Between STRING and every other type. Texts are trimmed before they are read, as Flink does.

namespace tidemark {
namespace {

template <typename From>
KernelPtr integer_text() {
  return make_row_kernel<Text(From)>([](Row& row, From value) {
    append_integer(row.text, value);
    return Text{};
  });
}

template <typename From>
KernelPtr real_text() {
  return make_row_kernel<Text(From)>([](Row& row, From value) {
    append_real(row.text, value);
    return Text{};
  });
}

// Types whose text data/value.h knows.
template <typename From>
KernelPtr value_text(const DataType& type) {
  return make_row_kernel<Text(From)>([type](Row& row, From value) {
    row.text += to_string(Value::of_integer(type, value));
    return Text{};
  });
}

KernelPtr local_timestamp_text(const DataType& from) {
  return make_row_kernel<Text(std::int64_t)>(
      [precision = from.precision, zone = SessionZone()](Row& row, std::int64_t value) mutable {
        const std::int64_t units = timestamp_units_per_second(precision);
        if (const TimeZone* local = zone.get(row))
          row.text += timestamp_to_string(local->to_local(value, units), precision);
        return Text{};
      });
}

KernelPtr bytes_text() {
  return make_row_kernel<Text(std::string_view)>([](Row& row, std::string_view bytes) {
    if (!is_utf8(bytes)) row.fail("bytes are not UTF-8");
    row.text += bytes;
    return Text{};
  });
}

KernelPtr copied_text() {
  return make_row_kernel<Text(std::string_view)>([](Row& row, std::string_view text) {
    row.text += text;
    return Text{};
  });
}

template <typename To>
KernelPtr parse_integer_as() {
  return make_row_kernel<To(std::string_view)>([](Row& row, std::string_view text) {
    const auto value = parse_integer(trim_space(text));
    if (!value) {
      row.fail("not an integer");
    } else if (*value < std::numeric_limits<To>::min() || *value > std::numeric_limits<To>::max()) {
      row.fail("value out of range");
    }
    return static_cast<To>(value.value_or(0));
  });
}

template <typename To>
KernelPtr parse_real_as() {
  return make_row_kernel<To(std::string_view)>([](Row& row, std::string_view text) {
    const auto value = parse_real(trim_space(text));
    if (!value) row.fail("not a number");
    return static_cast<To>(value.value_or(0));
  });
}

KernelPtr parse_boolean_text() {
  return make_row_kernel<std::uint8_t(std::string_view)>([](Row& row, std::string_view text) {
    const auto value = parse_boolean(trim_space(text));
    if (!value) row.fail("not a truth value");
    return static_cast<std::uint8_t>(value.value_or(false) ? 1 : 0);
  });
}

KernelPtr parse_decimal_text(const DataType& to) {
  return make_row_kernel<Int128(std::string_view)>(
      [precision = to.precision, scale = to.scale](Row& row, std::string_view text) {
        const auto value = parse_decimal(trim_space(text), precision, scale);
        if (!value) row.fail("not a number of this precision");
        return value.value_or(0);
      });
}

KernelPtr parse_date_text() {
  return make_row_kernel<std::int32_t(std::string_view)>([](Row& row, std::string_view text) {
    text = trim_space(text);
    auto days = parse_date(text);
    // The date of a timestamp's text.
    if (!days && text.size() > 10 && parse_timestamp(text, 3))
      days = parse_date(text.substr(0, 10));
    if (!days) row.fail("not a date (yyyy-MM-dd)");
    return days.value_or(0);
  });
}

KernelPtr parse_time_text() {
  return make_row_kernel<std::int32_t(std::string_view)>([](Row& row, std::string_view text) {
    const auto millis = parse_time(trim_space(text));
    if (!millis) row.fail("not a time (HH:mm:ss)");
    return millis.value_or(0);
  });
}

KernelPtr parse_timestamp_text(std::uint8_t precision) {
  return make_row_kernel<std::int64_t(std::string_view)>(
      [precision](Row& row, std::string_view text) {
        const auto value = parse_timestamp(trim_space(text), precision);
        if (!value) row.fail("not a timestamp (yyyy-MM-dd HH:mm:ss)");
        return value.value_or(0);
      });
}

KernelPtr parse_local_timestamp_text(std::uint8_t precision) {
  return make_row_kernel<std::int64_t(std::string_view)>(
      [precision, zone = SessionZone()](Row& row, std::string_view text) mutable {
        const auto value = parse_timestamp(trim_space(text), precision);
        if (!value) row.fail("not a timestamp (yyyy-MM-dd HH:mm:ss)");
        const TimeZone* local = zone.get(row);
        if (!value || local == nullptr) return std::int64_t{0};
        return local->to_instant(*value, timestamp_units_per_second(precision));
      });
}

}  // namespace

KernelPtr make_text_cast(const DataType& from) {
  switch (from.kind) {
    case TypeKind::kTinyInt: return integer_text<std::int8_t>();
    case TypeKind::kSmallInt: return integer_text<std::int16_t>();
    case TypeKind::kInt: return integer_text<std::int32_t>();
    case TypeKind::kBigInt: return integer_text<std::int64_t>();
    case TypeKind::kFloat: return real_text<float>();
    case TypeKind::kDouble: return real_text<double>();
    case TypeKind::kString: return copied_text();
    case TypeKind::kBytes: return bytes_text();
    case TypeKind::kTimestampLtz: return local_timestamp_text(from);
    case TypeKind::kBoolean: return value_text<std::uint8_t>(from);
    case TypeKind::kDecimal: return value_text<Int128>(from);
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kIntervalMonth: return value_text<std::int32_t>(from);
    default: return value_text<std::int64_t>(from);
  }
}

KernelPtr make_parsing_cast(const DataType& to) {
  switch (to.kind) {
    case TypeKind::kBoolean: return parse_boolean_text();
    case TypeKind::kTinyInt: return parse_integer_as<std::int8_t>();
    case TypeKind::kSmallInt: return parse_integer_as<std::int16_t>();
    case TypeKind::kInt:
    case TypeKind::kIntervalMonth: return parse_integer_as<std::int32_t>();
    case TypeKind::kFloat: return parse_real_as<float>();
    case TypeKind::kDouble: return parse_real_as<double>();
    case TypeKind::kDecimal: return parse_decimal_text(to);
    case TypeKind::kDate: return parse_date_text();
    case TypeKind::kTime: return parse_time_text();
    case TypeKind::kTimestamp: return parse_timestamp_text(to.precision);
    case TypeKind::kTimestampLtz: return parse_local_timestamp_text(to.precision);
    case TypeKind::kBytes: return copied_text();
    default: return parse_integer_as<std::int64_t>();
  }
}

}  // namespace tidemark
