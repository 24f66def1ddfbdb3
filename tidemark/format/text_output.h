// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/data/column.h"
#include "tidemark/data/decimal.h"
#include "tidemark/format/text_value.h"

namespace tidemark {

// Values as text that reads back as the same value. Everything appends. Integers, FLOAT and DOUBLE
// are in data/number_text.h.

/// As java.math.BigDecimal.toString: scientific below 1e-6 unless `plain`.
void append_decimal(std::string& out, Int128 unscaled, int scale, bool plain);
/// yyyy-MM-dd.
void append_date(std::string& out, std::int32_t days);
/// HH:mm:ss and `precision` digits of a fraction, as a CAST to STRING prints it.
void append_time(std::string& out, std::int32_t millis, std::uint8_t precision);
/// Date, `separator`, time as above.
void append_timestamp(std::string& out, std::int64_t value, std::uint8_t precision, char separator);

/// How a text format writes the values that are not strings.
struct TextStyle {
  char separator = ' ';  // between date and time
  bool plain_decimals = false;
};
/// Appends a value that is neither NULL nor STRING; TIMESTAMP_LTZ in UTC with a Z, BYTES in
/// base 64.
void append_text(std::string& out, const Column& column, std::size_t row, const TextStyle& style);

}  // namespace tidemark
