// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/date_pattern.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "tidemark/base/time.h"
#include "tidemark/data/calendar.h"
#include "tidemark/data/number_text.h"

namespace tidemark {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosPerDay = 86'400 * kNanosPerSecond;
constexpr std::string_view kLetters = "yuMLdDEaHkKhmsSn";

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

std::string_view name_of(std::string_view name, int width) {
  return width >= 4 ? name : name.substr(0, 3);
}

// The calendar fields of a time.
struct Fields {
  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
  std::int64_t day_of_year = 0;  // 0: not given
  std::int64_t hour = 0;
  std::int64_t half_day_hour = -1;  // 0..11
  bool afternoon = false;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t nanos = 0;
};

Fields fields_of(const WallTime& time) {
  const CivilDate date = civil_from_days(static_cast<std::int32_t>(time.days));
  const std::int64_t seconds = time.nanos_of_day / kNanosPerSecond;
  Fields fields;
  fields.year = date.year;
  fields.month = date.month;
  fields.day = date.day;
  fields.day_of_year = time.days - days_from_civil(date.year, 1, 1) + 1;
  fields.hour = seconds / 3600;
  fields.half_day_hour = fields.hour % 12;
  fields.afternoon = fields.hour >= 12;
  fields.minute = seconds / 60 % 60;
  fields.second = seconds % 60;
  fields.nanos = time.nanos_of_day % kNanosPerSecond;
  return fields;
}

std::int64_t number_of(const Fields& fields, char letter) {
  switch (letter) {
    case 'y':
    case 'u': return fields.year;
    case 'M':
    case 'L': return fields.month;
    case 'd': return fields.day;
    case 'D': return fields.day_of_year;
    case 'H': return fields.hour;
    case 'k': return fields.hour == 0 ? 24 : fields.hour;
    case 'K': return fields.half_day_hour;
    case 'h': return fields.half_day_hour == 0 ? 12 : fields.half_day_hour;
    case 'm': return fields.minute;
    case 's': return fields.second;
    default: return fields.nanos;
  }
}

void set_number(Fields& fields, char letter, std::int64_t value) {
  switch (letter) {
    case 'y':
    case 'u': fields.year = value; break;
    case 'M':
    case 'L': fields.month = value; break;
    case 'd': fields.day = value; break;
    case 'D': fields.day_of_year = value; break;
    case 'H': fields.hour = value; break;
    case 'k': fields.hour = value == 24 ? 0 : value == 0 ? 24 : value; break;
    case 'K': fields.half_day_hour = value; break;
    case 'h': fields.half_day_hour = value == 12 ? 0 : value == 0 ? 12 : value; break;
    case 'm': fields.minute = value; break;
    case 's': fields.second = value; break;
    default: fields.nanos = value; break;
  }
}

// The fraction's first `width` digits.
std::int64_t fraction_of(std::int64_t nanos, int width) {
  for (int i = width; i < 9; ++i) nanos /= 10;
  return nanos;
}

int digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : -1;
}

// From `width` to `most` digits at `at`, which moves past them; -1 when there are fewer.
std::int64_t read_number(std::string_view text, std::size_t& at, int width, int most) {
  std::int64_t value = 0;
  int count = 0;
  for (; count < most && digit_at(text, at) >= 0; ++count)
    value = value * 10 + digit_at(text, at++);
  return count < width ? -1 : value;
}

// Which name stands at `at`, which moves past it; -1 for none.
template <std::size_t kCount>
int read_name(const std::array<std::string_view, kCount>& names, int width, std::string_view text,
              std::size_t& at) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string_view name = name_of(names[i], width);
    if (!text.substr(at).starts_with(name)) continue;
    at += name.size();
    return static_cast<int>(i);
  }
  return -1;
}

std::optional<WallTime> to_wall_time(Fields fields) {
  if (fields.half_day_hour >= 0) {
    if (fields.half_day_hour > 11) return std::nullopt;
    fields.hour = fields.half_day_hour + (fields.afternoon ? 12 : 0);
  }
  if (fields.month < 1 || fields.month > 12 || fields.hour > 23 || fields.minute > 59 ||
      fields.second > 59)
    return std::nullopt;
  const auto year = static_cast<std::int32_t>(fields.year);
  WallTime time;
  if (fields.day_of_year > 0) {
    time.days = days_from_civil(year, 1, 1) + fields.day_of_year - 1;
    if (civil_from_days(static_cast<std::int32_t>(time.days)).year != year) return std::nullopt;
  } else {
    const auto month = static_cast<std::int32_t>(fields.month);
    if (fields.day < 1 || fields.day > 31) return std::nullopt;
    time.days = days_from_civil(year, month, static_cast<std::int32_t>(fields.day));
    if (civil_from_days(static_cast<std::int32_t>(time.days)).month != month) return std::nullopt;
  }
  time.nanos_of_day =
      (fields.hour * 3600 + fields.minute * 60 + fields.second) * kNanosPerSecond + fields.nanos;
  return time;
}

bool read_item(char letter, int width, std::string_view text, std::size_t& at, Fields& fields) {
  switch (letter) {
    case 'E': return read_name(kWeekdays, width, text, at) >= 0;
    case 'a': {
      constexpr std::array<std::string_view, 2> kHalves = {"AM", "PM"};
      const int half = read_name(kHalves, 4, text, at);
      fields.afternoon = half == 1;
      if (fields.half_day_hour < 0) fields.half_day_hour = 0;
      return half >= 0;
    }
    case 'S': {
      std::int64_t value = read_number(text, at, width, width);
      if (value < 0) return false;
      for (int i = width; i < 9; ++i) value *= 10;
      fields.nanos = value;
      return true;
    }
    case 'M':
    case 'L':
      if (width >= 3) {
        const int month = read_name(kMonths, width, text, at);
        fields.month = month + 1;
        return month >= 0;
      }
      break;
    default: break;
  }
  const bool year = letter == 'y' || letter == 'u';
  const int most = width > 1 ? width : year ? 4 : letter == 'n' ? 9 : letter == 'D' ? 3 : 2;
  std::int64_t value = read_number(text, at, width, most);
  if (value < 0) return false;
  if (year && width == 2) value += 2000;
  set_number(fields, letter, value);
  return true;
}

}  // namespace

WallTime WallTime::of(std::int64_t value, std::int64_t units_per_second) {
  const std::int64_t day = units_per_second * 86'400;
  return {.days = floor_div(value, day),
          .nanos_of_day = floor_mod(value, day) * (kNanosPerSecond / units_per_second)};
}

std::optional<std::int64_t> WallTime::to_units(std::int64_t units_per_second) const {
  std::int64_t value = 0;
  if (__builtin_mul_overflow(days, units_per_second * 86'400, &value)) return std::nullopt;
  const std::int64_t rest = nanos_of_day / (kNanosPerSecond / units_per_second);
  if (__builtin_add_overflow(value, rest, &value)) return std::nullopt;
  return value;
}

Result<DatePattern> DatePattern::parse(std::string_view pattern) {
  DatePattern result;
  const auto literal = [&result](char c) {
    if (result.items_.empty() || result.items_.back().letter != 0)
      result.items_.push_back({0, 0, {}});
    result.items_.back().text += c;
  };
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '\'') {
      const std::size_t end = pattern.find('\'', i + 1);
      if (end == std::string_view::npos)
        return Error{ErrorCode::kInvalidSql,
                     fmt::format("the quote in the date pattern '{}' is not closed", pattern)};
      if (end == i + 1) literal('\'');
      for (const char quoted : pattern.substr(i + 1, end - i - 1)) literal(quoted);
      i = end + 1;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (kLetters.find(c) == std::string_view::npos)
        return Error{ErrorCode::kInvalidSql,
                     fmt::format("the letter '{}' of the date pattern '{}' is not one of {}", c,
                                 pattern, kLetters)};
      std::size_t end = i;
      while (end < pattern.size() && pattern[end] == c) ++end;
      const auto width = static_cast<int>(end - i);
      if (width > 9)
        return Error{ErrorCode::kInvalidSql,
                     fmt::format("the date pattern '{}' repeats '{}' too often", pattern, c)};
      result.items_.push_back({c, width, {}});
      i = end;
    } else {
      literal(c);
      ++i;
    }
  }
  return result;
}

void DatePattern::print(std::string& out, const WallTime& time) const {
  const Fields fields = fields_of(time);
  for (const Item& item : items_) {
    std::int64_t value = number_of(fields, item.letter);
    switch (item.letter) {
      case 0: out += item.text; continue;
      case 'E':
        out +=
            name_of(kWeekdays[static_cast<std::size_t>(floor_mod(time.days + 4, 7))], item.width);
        continue;
      case 'a': out += fields.afternoon ? "PM" : "AM"; continue;
      case 'S': value = fraction_of(fields.nanos, item.width); break;
      case 'M':
      case 'L':
        if (item.width < 3) break;
        out += name_of(kMonths[static_cast<std::size_t>(fields.month - 1)], item.width);
        continue;
      case 'y':
      case 'u':
        if (item.width == 2) value = floor_mod(value, 100);
        break;
      default: break;
    }
    fmt::format_to(std::back_inserter(out), "{:0{}}", value, item.width);
  }
}

std::optional<WallTime> DatePattern::read(std::string_view text) const {
  Fields fields;
  std::size_t at = 0;
  for (const Item& item : items_) {
    if (item.letter == 0) {
      if (!text.substr(at).starts_with(item.text)) return std::nullopt;
      at += item.text.size();
    } else if (!read_item(item.letter, item.width, text, at, fields)) {
      return std::nullopt;
    }
  }
  if (at != text.size()) return std::nullopt;
  return to_wall_time(fields);
}

const DatePattern* DatePatternCache::get(Row& row, std::string_view pattern) {
  if (!ready_ || pattern != pattern_) {
    pattern_ = pattern;
    auto parsed = DatePattern::parse(pattern);
    valid_ = parsed.ok();
    if (valid_) compiled_ = std::move(*parsed);
    ready_ = true;
  }
  if (!valid_) row.fail("not a date pattern");
  return valid_ ? &compiled_ : nullptr;
}

}  // namespace tidemark
