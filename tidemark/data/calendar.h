// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/data/type.h"

// Dates and times as text and as calendar fields, in the proleptic Gregorian calendar without leap
// seconds. Zones are in expr/time_zone.h.

namespace tidemark {

struct CivilDate {
  std::int32_t year;
  std::int32_t month;  // 1..12
  std::int32_t day;    // 1..31
};

CivilDate civil_from_days(std::int32_t days_since_epoch) noexcept;
std::int32_t days_from_civil(std::int32_t year, std::int32_t month, std::int32_t day) noexcept;

/// "yyyy-MM-dd"; nullopt for anything else, 2001-02-30 included.
std::optional<std::int32_t> parse_date(std::string_view text) noexcept;
/// "HH:mm[:ss[.fraction]]" as milliseconds of the day.
std::optional<std::int32_t> parse_time(std::string_view text) noexcept;
/// "yyyy-MM-dd[( |T)HH:mm[:ss[.fraction]]]" in units of TIMESTAMP(precision); digits beyond the
/// precision are cut. nullopt for anything else and for what the storage cannot hold.
std::optional<std::int64_t> parse_timestamp(std::string_view text, std::uint8_t precision) noexcept;

std::string date_to_string(std::int32_t days);
std::string time_to_string(std::int32_t millis, std::uint8_t precision);
/// "2001-01-01 01:24:00.000" with `precision` digits of fraction (none and no point for 0).
std::string timestamp_to_string(std::int64_t value, std::uint8_t precision);
/// Event time as "2001-01-01 01:24:00.000"; "-inf" and "+inf" for kMinTime and kMaxTime.
std::string event_time_to_string(std::int64_t millis);

}  // namespace tidemark
