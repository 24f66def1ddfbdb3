// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/local_time_zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <chrono>

namespace tidemark {
namespace {

class FixedOffset final : public LocalTimeZone {
 public:
  explicit FixedOffset(std::int64_t seconds) : seconds_(seconds) {}
  std::int64_t to_utc(std::int64_t local_seconds) const override {
    return local_seconds - seconds_;
  }

 private:
  std::int64_t seconds_;
};

class NamedZone final : public LocalTimeZone {
 public:
  explicit NamedZone(const date::time_zone* zone) : zone_(zone) {}
  std::int64_t to_utc(std::int64_t local_seconds) const override {
    const date::local_seconds local{std::chrono::seconds(local_seconds)};
    // In a gap the offset before it moves the time forward by the gap, as java.time does; of two
    // instants `first` is the earlier.
    return local_seconds - zone_->get_info(local).first.offset.count();
  }

 private:
  const date::time_zone* zone_;
};

int two_digits(std::string_view text, std::size_t at) noexcept {
  const int tens = text[at] - '0';
  const int ones = text[at + 1] - '0';
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

}  // namespace

bool parse_zone_offset(std::string_view text, std::int64_t& seconds) noexcept {
  seconds = 0;
  if (text == "Z") return true;
  if (text.size() != 5 && text.size() != 6) return false;
  if (text[0] != '+' && text[0] != '-') return false;
  if (text.size() == 6 && text[3] != ':') return false;
  const int hours = two_digits(text, 1);
  const int minutes = two_digits(text, text.size() - 2);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return false;
  seconds = std::int64_t{hours} * 3600 + minutes * 60;
  if (text[0] == '-') seconds = -seconds;
  return true;
}

Result<std::shared_ptr<const LocalTimeZone>> find_local_time_zone(const std::string& name) {
  std::int64_t offset = 0;
  std::shared_ptr<const LocalTimeZone> zone;
  if (name == "UTC" || parse_zone_offset(name, offset)) {
    zone = std::make_shared<FixedOffset>(offset);
    return zone;
  }
  try {
    zone = std::make_shared<NamedZone>(date::locate_zone(name));
    return zone;
  } catch (const std::runtime_error&) {
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("'{}' is no time zone; it takes a name such as 'Europe/Berlin', 'UTC' "
                             "or an offset such as '+02:00'",
                             name)};
  }
}

}  // namespace tidemark
