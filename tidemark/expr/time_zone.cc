// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/time_zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <vector>

#include "tidemark/base/options.h"

namespace tidemark {
namespace {

using date::local_seconds;
using date::sys_seconds;
using std::chrono::seconds;

const date::time_zone& zone_of(const void* zone) {
  return *static_cast<const date::time_zone*>(zone);
}

bool digits(std::string_view text, int& value) {
  if (text.empty() || text.size() > 2) return false;
  value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

// [UTC|GMT](+|-)h[h][:mm], Z, UTC, GMT; as seconds east of Greenwich.
std::optional<std::int64_t> parse_offset(std::string_view name) {
  if (name == "Z") return 0;
  if (name.starts_with("UTC") || name.starts_with("GMT")) {
    name.remove_prefix(3);
    if (name.empty()) return 0;
  }
  if (name.empty() || (name.front() != '+' && name.front() != '-')) return std::nullopt;
  const std::int64_t sign = name.front() == '-' ? -1 : 1;
  name.remove_prefix(1);
  const std::size_t colon = name.find(':');
  int hours = 0;
  int minutes = 0;
  if (!digits(name.substr(0, colon), hours) || hours > 18) return std::nullopt;
  if (colon != std::string_view::npos &&
      (!digits(name.substr(colon + 1), minutes) || minutes > 59 || name.size() != colon + 3))
    return std::nullopt;
  return sign * (hours * 3600 + minutes * 60);
}

Error unknown_zone(std::string_view name) {
  std::vector<std::string> names;
  for (const date::time_zone& zone : date::get_tzdb().zones) names.emplace_back(zone.name());
  const std::string near = nearest_name(name, names);
  return Error{
      ErrorCode::kInvalidOption,
      fmt::format("unknown time zone '{}'{}; expected a name such as 'Europe/Berlin' or an "
                  "offset such as 'UTC+8'",
                  name, near.empty() ? "" : ": did you mean '" + near + "'?")};
}

std::int64_t count(std::chrono::seconds value) {
  return value.count();
}

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) {
  TimeZone zone;
  zone.name_ = name;
  if (const auto offset = parse_offset(name)) {
    zone.fixed_offset_ = *offset;
    return zone;
  }
  try {
    zone.zone_ = date::locate_zone(std::string(name));
  } catch (const std::runtime_error&) {
    return unknown_zone(name);
  }
  return zone;
}

std::int64_t TimeZone::to_local(std::int64_t instant, std::int64_t units) const {
  if (instant == kMinTime || instant == kMaxTime) return instant;
  if (zone_ == nullptr) return saturating_add(instant, fixed_offset_ * units);
  const std::int64_t second = floor_div(instant, units);
  if (!instants_.holds(second)) [[unlikely]] {
    const date::sys_info info = zone_of(zone_).get_info(sys_seconds(seconds(second)));
    instants_ = {.begin = count(info.begin.time_since_epoch()),
                 .end = count(info.end.time_since_epoch()),
                 .offset = count(info.offset)};
  }
  return saturating_add(instant, instants_.offset * units);
}

std::int64_t TimeZone::offset_of_local(std::int64_t second, bool window_end) const {
  if (locals_.holds(second)) [[likely]]
    return locals_.offset;
  const date::local_info info = zone_of(zone_).get_info(local_seconds(seconds(second)));
  const std::int64_t first = count(info.first.offset);
  if (info.result == date::local_info::unique) {
    // Within two days of a change a local time may be ambiguous or missing: keep out of there.
    constexpr std::int64_t kMargin = 2 * 86'400;
    locals_ = {.begin = count(info.first.begin.time_since_epoch()) + first + kMargin,
               .end = count(info.first.end.time_since_epoch()) + first - kMargin,
               .offset = first};
    return first;
  }
  const std::int64_t second_offset = count(info.second.offset);
  if (info.result == date::local_info::ambiguous) return window_end ? second_offset : first;
  // In a gap the old offset gives the time moved on by the gap's length.
  return window_end ? second - count(info.first.end.time_since_epoch()) : first;
}

std::int64_t TimeZone::convert_local(std::int64_t local, std::int64_t units,
                                     bool window_end) const {
  if (local == kMinTime || local == kMaxTime) return local;
  if (zone_ == nullptr) return saturating_sub(local, fixed_offset_ * units);
  const std::int64_t second = floor_div(local, units);
  const std::int64_t offset = offset_of_local(second, window_end);
  return saturating_sub(local, offset * units);
}

std::int64_t TimeZone::to_instant(std::int64_t local, std::int64_t units) const {
  return convert_local(local, units, false);
}

std::int64_t TimeZone::window_end_to_instant(std::int64_t local, std::int64_t units) const {
  return convert_local(local, units, true);
}

void TimeZone::to_local(std::span<const std::int64_t> instants, std::int64_t* local,
                        std::int64_t units) const {
  for (std::size_t i = 0; i < instants.size(); ++i) local[i] = to_local(instants[i], units);
}

void TimeZone::to_instant(std::span<const std::int64_t> local, std::int64_t* instants,
                          std::int64_t units) const {
  for (std::size_t i = 0; i < local.size(); ++i) instants[i] = to_instant(local[i], units);
}

}  // namespace tidemark
