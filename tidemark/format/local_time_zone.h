// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tidemark/base/result.h"

namespace tidemark {

/// Says which instant a wall-clock time of a zone is, by java.time's rules: of two instants (the
/// hour that comes twice in autumn) the earlier, and a time that the clocks skip moves forward by
/// what they skip. Immutable; any thread.
class LocalTimeZone {
 public:
  virtual ~LocalTimeZone() = default;

  /// Seconds since the epoch in UTC, of seconds since 1970-01-01 00:00:00 on the zone's clocks.
  virtual std::int64_t to_utc(std::int64_t local_seconds) const = 0;
};

/// "UTC", "Europe/Berlin", "+02:00". An error names what is no zone.
Result<std::shared_ptr<const LocalTimeZone>> find_local_time_zone(const std::string& name);

/// Parses "Z", "+hh:mm", "-hh:mm" or "+hhmm" into seconds east of Greenwich; false for anything
/// else.
bool parse_zone_offset(std::string_view text, std::int64_t& seconds) noexcept;

}  // namespace tidemark
