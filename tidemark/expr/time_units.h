// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemark/expr/function.h"

namespace tidemark {

/// The units of EXTRACT, FLOOR(x TO unit), TIMESTAMPADD and TIMESTAMPDIFF. The binder hands them
/// over as STRING literals.
enum class TimeUnit : std::uint8_t {
  kNanosecond,
  kMicrosecond,
  kMillisecond,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDayOfWeek,  // 1 is Sunday
  kDayOfYear,
  kIsoDayOfWeek,  // 1 is Monday
  kIsoYear,
  kEpoch,  // seconds since 1970
};

/// Also the plural and SQL_TSI_ spellings; in any case.
std::optional<TimeUnit> parse_time_unit(std::string_view name);

/// FLOOR and CEIL of a DATE, TIME or timestamp to a unit; TIMESTAMP_LTZ in the session time zone.
std::optional<Resolution> resolve_truncation(std::span<const ExpressionPtr> arguments);
Result<KernelPtr> make_truncation(const CallSite& site, bool ceil);

}  // namespace tidemark
