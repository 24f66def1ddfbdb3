// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemark/base/result.h"
#include "tidemark/data/value.h"

// The values of SQL's literals. All are NOT NULL. Errors say what is wrong with the text, without
// its place.

namespace tidemark::sql {

/// 1 is an INT, or a BIGINT or DECIMAL when it needs to be; 1.50 is DECIMAL(3, 2); 1e3 is a DOUBLE.
Result<Value> number_literal(std::string_view text, bool negative);

/// DATE, TIME or TIMESTAMP 'text'; a TIMESTAMP has the precision of its digits.
Result<Value> time_literal(std::string_view type, std::string_view text);

/// In the order of their size, largest first.
enum class IntervalField : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
};

/// From a unit in upper case, also in the plural.
std::optional<IntervalField> interval_field(std::string_view word);

/// `from` [TO `to`].
struct IntervalQualifier {
  IntervalField from = IntervalField::kDay;
  IntervalField to = IntervalField::kDay;
  std::uint32_t leading_digits = 0;  // allowed in the first field; 0: any number
};

/// INTERVAL_DAY in milliseconds or INTERVAL_MONTH in months. kUnsupported for a qualifier that
/// SQL does not have (YEAR TO DAY).
Result<Value> interval_literal(std::string_view text, bool negative,
                               const IntervalQualifier& qualifier);

}  // namespace tidemark::sql
