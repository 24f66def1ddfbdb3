// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/calendar.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <limits>

#include "tidemark/base/time.h"

namespace tidemark {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr int kMaxFractionDigits = 9;

struct WideDate {
  std::int64_t year;
  std::int32_t month;
  std::int32_t day;
};

// Days are counted in eras of 400 years that begin on 1 March, so that the leap day is the last of
// its year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
WideDate wide_civil_from_days(std::int64_t days) noexcept {
  constexpr std::int64_t kDaysPerEra = 146'097;
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_div(shifted, kDaysPerEra);
  const auto day_of_era = static_cast<std::uint32_t>(shifted - era * kDaysPerEra);
  const std::uint32_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint32_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint32_t march_month = (5 * day_of_year + 2) / 153;
  const std::uint32_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const std::uint32_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  const std::int64_t year = std::int64_t{year_of_era} + era * 400 + (month <= 2 ? 1 : 0);
  return {year, static_cast<std::int32_t>(month), static_cast<std::int32_t>(day)};
}

bool is_leap(std::int32_t year) noexcept {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::int32_t days_in_month(std::int32_t year, std::int32_t month) noexcept {
  constexpr std::array<std::int32_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && is_leap(year)) return 29;
  return kDays[static_cast<std::size_t>(month - 1)];
}

// Consumes text from the front; after the first mismatch everything fails.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const noexcept { return at_ == end_; }
  bool accept(char c) noexcept {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  // Exactly `count` digits, or -1.
  std::int32_t digits(int count) noexcept {
    if (end_ - at_ < count) return -1;
    std::int32_t value = 0;
    for (int i = 0; i < count; ++i) {
      const auto digit = static_cast<std::uint32_t>(at_[i] - '0');
      if (digit > 9) return -1;
      value = value * 10 + static_cast<std::int32_t>(digit);
    }
    at_ += count;
    return value;
  }
  // One or more digits as nanoseconds, those after the ninth cut; or -1.
  std::int32_t fraction() noexcept {
    std::int32_t value = 0;
    int count = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_, ++count)
      if (count < kMaxFractionDigits) value = value * 10 + (*at_ - '0');
    if (count == 0) return -1;
    for (; count < kMaxFractionDigits; ++count) value *= 10;
    return value;
  }

 private:
  const char* at_;
  const char* end_;
};

struct TimeOfDay {
  std::int32_t seconds = 0;
  std::int32_t nanos = 0;
};

std::optional<std::int32_t> read_date(Cursor& in) noexcept {
  const std::int32_t year = in.digits(4);
  if (year < 0 || !in.accept('-')) return std::nullopt;
  const std::int32_t month = in.digits(2);
  if (month < 1 || month > 12 || !in.accept('-')) return std::nullopt;
  const std::int32_t day = in.digits(2);
  if (day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_from_civil(year, month, day);
}

std::optional<TimeOfDay> read_time(Cursor& in) noexcept {
  const std::int32_t hour = in.digits(2);
  if (hour < 0 || hour > 23 || !in.accept(':')) return std::nullopt;
  const std::int32_t minute = in.digits(2);
  if (minute < 0 || minute > 59) return std::nullopt;
  TimeOfDay time{.seconds = hour * 3600 + minute * 60};
  if (!in.accept(':')) return time;
  const std::int32_t second = in.digits(2);
  if (second < 0 || second > 59) return std::nullopt;
  time.seconds += second;
  if (!in.accept('.')) return time;
  time.nanos = in.fraction();
  if (time.nanos < 0) return std::nullopt;
  return time;
}

constexpr std::array<std::int32_t, 10> kPowersOfTen = {
    1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

std::int32_t cut_nanos(std::int32_t nanos, std::uint8_t precision) noexcept {
  const std::int32_t unit = kPowersOfTen[static_cast<std::size_t>(kMaxFractionDigits - precision)];
  return nanos - nanos % unit;
}

void append_date(std::string& out, std::int64_t days) {
  const WideDate date = wide_civil_from_days(days);
  // ISO 8601 asks for a sign outside the four-digit years.
  const char* format = date.year > 9999 ? "+{}-{:02}-{:02}" : "{:04}-{:02}-{:02}";
  if (date.year < 0) format = "{:05}-{:02}-{:02}";
  fmt::format_to(std::back_inserter(out), fmt::runtime(format), date.year, date.month, date.day);
}

void append_time(std::string& out, std::int32_t seconds, std::int32_t nanos,
                 std::uint8_t precision) {
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
  if (precision == 0) return;
  const std::int32_t unit = kPowersOfTen[static_cast<std::size_t>(kMaxFractionDigits - precision)];
  fmt::format_to(std::back_inserter(out), ".{:0{}}", nanos / unit, static_cast<int>(precision));
}

}  // namespace

CivilDate civil_from_days(std::int32_t days_since_epoch) noexcept {
  const WideDate date = wide_civil_from_days(days_since_epoch);
  return {static_cast<std::int32_t>(date.year), date.month, date.day};
}

std::int32_t days_from_civil(std::int32_t year, std::int32_t month, std::int32_t day) noexcept {
  const std::int64_t shifted = std::int64_t{year} - (month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(shifted, 400);
  const std::int64_t year_of_era = shifted - era * 400;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return static_cast<std::int32_t>(era * 146'097 + day_of_era - 719'468);
}

std::optional<std::int32_t> parse_date(std::string_view text) noexcept {
  Cursor in(text);
  const std::optional<std::int32_t> days = read_date(in);
  if (!in.at_end()) return std::nullopt;
  return days;
}

std::optional<std::int32_t> parse_time(std::string_view text) noexcept {
  Cursor in(text);
  const std::optional<TimeOfDay> time = read_time(in);
  if (!time || !in.at_end()) return std::nullopt;
  return time->seconds * 1000 + time->nanos / 1'000'000;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text,
                                            std::uint8_t precision) noexcept {
  Cursor in(text);
  const std::optional<std::int32_t> days = read_date(in);
  if (!days) return std::nullopt;
  TimeOfDay time;
  if (!in.at_end()) {
    if (!in.accept(' ') && !in.accept('T')) return std::nullopt;
    const std::optional<TimeOfDay> parsed = read_time(in);
    if (!parsed || !in.at_end()) return std::nullopt;
    time = *parsed;
  }
  const std::int64_t units = timestamp_units_per_second(precision);
  const std::int64_t seconds = *days * kSecondsPerDay + time.seconds;
  const std::int64_t fraction = cut_nanos(time.nanos, precision) / (1'000'000'000 / units);
  std::int64_t value = 0;
  if (__builtin_mul_overflow(seconds, units, &value)) return std::nullopt;
  if (__builtin_add_overflow(value, fraction, &value)) return std::nullopt;
  return value;
}

std::string date_to_string(std::int32_t days) {
  std::string out;
  append_date(out, days);
  return out;
}

std::string time_to_string(std::int32_t millis, std::uint8_t precision) {
  std::string out;
  append_time(out, millis / 1000, millis % 1000 * 1'000'000, precision);
  return out;
}

std::string timestamp_to_string(std::int64_t value, std::uint8_t precision) {
  const std::int64_t units = timestamp_units_per_second(precision);
  const std::int64_t seconds = floor_div(value, units);
  const std::int64_t fraction = floor_mod(value, units);
  std::string out;
  append_date(out, floor_div(seconds, kSecondsPerDay));
  out += ' ';
  append_time(out, static_cast<std::int32_t>(floor_mod(seconds, kSecondsPerDay)),
              static_cast<std::int32_t>(fraction * (1'000'000'000 / units)), precision);
  return out;
}

std::string event_time_to_string(std::int64_t millis) {
  if (millis == kMinTime) return "-inf";
  if (millis == kMaxTime) return "+inf";
  return timestamp_to_string(millis, 3);
}

}  // namespace tidemark
