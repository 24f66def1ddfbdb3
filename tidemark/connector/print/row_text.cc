// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/print/row_text.h"

#include "tidemark/base/time.h"
#include "tidemark/data/number_text.h"
#include "tidemark/format/text_output.h"

namespace tidemark {
namespace {

constexpr std::string_view kKinds[] = {"+I", "-U", "+U", "-D"};

void append_two_digits(std::string& out, std::int64_t value) {
  out += static_cast<char>('0' + value / 10);
  out += static_cast<char>('0' + value % 10);
}

// java.time.LocalTime.toString: no seconds when they are zero, else a fraction of 0, 3, 6 or 9
// digits. `always_seconds` is how java.time.Instant prints.
void append_local_time(std::string& out, std::int64_t seconds, std::int64_t nanos,
                       bool always_seconds) {
  append_two_digits(out, seconds / 3600);
  out += ':';
  append_two_digits(out, seconds / 60 % 60);
  if (seconds % 60 == 0 && nanos == 0 && !always_seconds) return;
  out += ':';
  append_two_digits(out, seconds % 60);
  if (nanos == 0) return;
  const int digits = nanos % 1'000'000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9;
  std::string text = std::to_string(1'000'000'000 + nanos);
  out += '.';
  out.append(text, 1, static_cast<std::size_t>(digits));
}

void append_date_time(std::string& out, std::int64_t value, std::uint8_t precision,
                      bool is_instant) {
  constexpr std::int64_t kSecondsPerDay = 86'400;
  const std::int64_t units = timestamp_units_per_second(precision);
  const std::int64_t seconds = floor_div(value, units);
  append_date(out, static_cast<std::int32_t>(floor_div(seconds, kSecondsPerDay)));
  out += 'T';
  append_local_time(out, floor_mod(seconds, kSecondsPerDay),
                    floor_mod(value, units) * (1'000'000'000 / units), is_instant);
  if (is_instant) out += 'Z';
}

void append_bytes(std::string& out, std::string_view bytes) {
  out += '[';
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += ", ";
    append_integer(out, static_cast<std::int8_t>(bytes[i]));
  }
  out += ']';
}

void append_value(std::string& out, const Column& column, std::size_t row) {
  if (column.is_null(row)) {
    out += "null";
    return;
  }
  const std::uint8_t precision = column.type().precision;
  switch (column.kind()) {
    case TypeKind::kBytes: return append_bytes(out, column.string(row));
    case TypeKind::kTime: {
      const std::int64_t millis = column.value<std::int32_t>(row);
      return append_local_time(out, millis / 1000, millis % 1000 * 1'000'000, false);
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return append_date_time(out, column.value<std::int64_t>(row), precision,
                              column.kind() == TypeKind::kTimestampLtz);
    default: return append_text(out, column, row, {.separator = 'T', .plain_decimals = false});
  }
}

}  // namespace

void append_row_text(std::string& out, const Batch& batch, std::size_t row) {
  const std::int8_t* kinds = batch.row_kinds();
  out += kKinds[kinds == nullptr ? 0 : kinds[row] & 3];
  out += '[';
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    if (i > 0) out += ", ";
    append_value(out, batch.column(i), row);
  }
  out += ']';
}

}  // namespace tidemark
