// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/text_value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "tidemark/base/time.h"
#include "tidemark/data/calendar.h"
#include "tidemark/data/decimal.h"
#include "tidemark/format/base64.h"

namespace tidemark {
namespace {

constexpr std::size_t kDateSize = 10;     // 2001-01-01
constexpr std::size_t kSecondsSize = 19;  // 2001-01-01 01:24:00

bool equal_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower[i]) return false;
  return true;
}

// HH:mm:ss as seconds, or -1.
std::int64_t parse_clock(const char* text) noexcept {
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, text, sizeof(chunk));
  chunk ^= 0x30303a30303a3030ull;  // digits become 0..9, the colons 0
  const std::uint64_t over_nine = (chunk + 0x0606060606060606ull) | chunk;
  if ((over_nine & 0xf0f0f0f0f0f0f0f0ull) != 0 || (chunk & 0x0000ff0000ff0000ull) != 0) return -1;
  const auto pair = [&](int shift) {
    return static_cast<std::int64_t>((chunk >> shift & 0xff) * 10 + (chunk >> (shift + 8) & 0xff));
  };
  const std::int64_t hours = pair(0);
  const std::int64_t minutes = pair(24);
  const std::int64_t seconds = pair(48);
  if (hours > 23 || minutes > 59 || seconds > 59) return -1;
  return hours * 3600 + minutes * 60 + seconds;
}

int two_digits(std::string_view text, std::size_t at) noexcept {
  const int tens = text[at] - '0';
  const int ones = text[at + 1] - '0';
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

// Z, +hh:mm, -hh:mm or +hhmm as seconds east of Greenwich.
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

template <typename T>
TextError parse_real(std::string_view text, T& value) noexcept {
  text = trim_text(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return TextError::kMalformed;
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return TextError::kMalformed;
  if (error == std::errc()) return TextError::kNone;
  // from_chars does not tell too large from too small.
  const double wide = std::strtod(std::string(text).c_str(), nullptr);
  if (std::fabs(wide) > 1) return TextError::kOutOfRange;
  value = static_cast<T>(wide);
  return TextError::kNone;
}

template <typename T>
TextError append_integer(ColumnBuilder& column, std::string_view text) {
  std::int64_t value = 0;
  const TextError error = read_integer(text, value);
  if (error != TextError::kNone) return error;
  if (value != static_cast<T>(value)) return TextError::kOutOfRange;
  column.append(static_cast<T>(value));
  return TextError::kNone;
}

template <typename Stored, typename T>
TextError append_parsed(ColumnBuilder& column, std::string_view text,
                        TextError (*parse)(std::string_view, T&) noexcept) {
  T value{};
  const TextError error = parse(text, value);
  if (error == TextError::kNone) column.append(static_cast<Stored>(value));
  return error;
}

TextError append_decimal(ColumnBuilder& column, const DataType& type, std::string_view text) {
  text = trim_text(text);
  const std::optional<Int128> value = parse_decimal(text, type.precision, type.scale);
  if (value) {
    column.append(*value);
    return TextError::kNone;
  }
  double approximate = 0;
  const TextError error = read_double(text, approximate);
  const bool is_number =
      error == TextError::kOutOfRange || (error == TextError::kNone && std::isfinite(approximate));
  return is_number ? TextError::kOutOfRange : TextError::kMalformed;
}

template <typename T>
TextError append_optional(ColumnBuilder& column, const std::optional<T>& value) {
  if (!value) return TextError::kMalformed;
  column.append(*value);
  return TextError::kNone;
}

}  // namespace

TextError read_integer(std::string_view text, std::int64_t& value) noexcept {
  text = trim_text(text);
  if (text.empty()) return TextError::kMalformed;
  if (parse_short_integer(text.data(), text.size(), value)) return TextError::kNone;
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) return TextError::kMalformed;
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return TextError::kMalformed;
  return error == std::errc() ? TextError::kNone : TextError::kOutOfRange;
}

TextError read_double(std::string_view text, double& value) noexcept {
  return parse_real(text, value);
}

TextError read_float(std::string_view text, float& value) noexcept {
  return parse_real(text, value);
}

TextError read_boolean(std::string_view text, bool& value) noexcept {
  text = trim_text(text);
  value = equal_ignoring_case(text, "true");
  return value || equal_ignoring_case(text, "false") ? TextError::kNone : TextError::kMalformed;
}

TimestampReader::TimestampReader(std::uint8_t precision, TimestampStandard standard)
    : units_per_second_(timestamp_units_per_second(precision)),
      precision_(precision),
      separator_(standard == TimestampStandard::kAny   ? '\0'
                 : standard == TimestampStandard::kSql ? ' '
                                                       : 'T') {
  std::int64_t units = units_per_second_;
  for (std::int64_t& of_digit : units_of_digit_) {
    of_digit = units;
    units /= 10;
  }
}

TextError TimestampReader::parse(std::string_view text, std::int64_t& value) noexcept {
  std::int64_t fraction = 0;
  if (text.size() != kSecondsSize) {
    const bool has_fraction = text.size() > kSecondsSize + 1 && text[kSecondsSize] == '.' &&
                              parse_fraction(text.substr(kSecondsSize + 1), fraction);
    if (!has_fraction) return parse_slowly(text, value);
  }
  const char separator = text[kDateSize];
  if (separator != separator_ && (separator_ != 0 || (separator != ' ' && separator != 'T')))
    return TextError::kMalformed;
  std::uint64_t head = 0;
  std::uint16_t tail = 0;
  std::memcpy(&head, text.data(), sizeof(head));
  std::memcpy(&tail, text.data() + sizeof(head), sizeof(tail));
  if (head != date_head_ || tail != date_tail_) {
    const std::optional<std::int32_t> days = parse_date(text.substr(0, kDateSize));
    if (!days) return TextError::kMalformed;
    date_head_ = head;
    date_tail_ = tail;
    date_seconds_ = std::int64_t{*days} * 86'400;
  }
  const std::int64_t clock = parse_clock(text.data() + kDateSize + 1);
  if (clock < 0) return TextError::kMalformed;
  if (__builtin_mul_overflow(date_seconds_ + clock, units_per_second_, &value) ||
      __builtin_add_overflow(value, fraction, &value))
    return TextError::kOutOfRange;
  return TextError::kNone;
}

// The digits behind the point in units of the timestamp, those beyond its precision cut. False for
// what is no fraction and for more digits than a word holds.
bool TimestampReader::parse_fraction(std::string_view text, std::int64_t& fraction) const noexcept {
  const std::size_t count = text.size();
  if (count > 8) return false;
  std::uint64_t digits = 0;
  if (!parse_digits8(text.data(), count, digits)) return false;
  std::size_t kept = count;
  for (; kept > precision_; --kept) digits /= 10;
  fraction = static_cast<std::int64_t>(digits) * units_of_digit_[kept];
  return true;
}

TextError TimestampReader::parse_slowly(std::string_view text, std::int64_t& value) const noexcept {
  text = trim_text(text);
  if (separator_ != 0 && text.size() > kDateSize && text[kDateSize] != separator_)
    return TextError::kMalformed;
  if (const auto parsed = parse_timestamp(text, precision_)) {
    value = *parsed;
    return TextError::kNone;
  }
  return parse_timestamp(text, 0) ? TextError::kOutOfRange : TextError::kMalformed;
}

TextReader::TextReader(const DataType& type, TimestampStandard standard, TimeZone zone)
    : type_(type), timestamps_(type.precision, standard), zone_(std::move(zone)) {}

TextError TextReader::append(ColumnBuilder& column, std::string_view text) {
  switch (type_.kind) {
    case TypeKind::kBoolean: return append_parsed<std::uint8_t>(column, text, &read_boolean);
    case TypeKind::kTinyInt: return append_integer<std::int8_t>(column, text);
    case TypeKind::kSmallInt: return append_integer<std::int16_t>(column, text);
    case TypeKind::kInt: return append_integer<std::int32_t>(column, text);
    case TypeKind::kBigInt: return append_integer<std::int64_t>(column, text);
    case TypeKind::kFloat: return append_parsed<float>(column, text, &read_float);
    case TypeKind::kDouble: return append_parsed<double>(column, text, &read_double);
    case TypeKind::kDecimal: return append_decimal(column, type_, text);
    case TypeKind::kString: column.append_string(text); return TextError::kNone;
    case TypeKind::kBytes:
      scratch_.clear();
      if (!decode_base64(text, scratch_)) return TextError::kMalformed;
      column.append_string(scratch_);
      return TextError::kNone;
    case TypeKind::kDate: return append_optional(column, parse_date(trim_text(text)));
    case TypeKind::kTime: return append_optional(column, parse_time(trim_text(text)));
    case TypeKind::kTimestamp: return append_parsed_timestamp(column, text);
    case TypeKind::kTimestampLtz: return append_timestamp_ltz(column, text);
    case TypeKind::kNull:
    case TypeKind::kIntervalDay:
    case TypeKind::kIntervalMonth: break;
  }
  return TextError::kMalformed;
}

TextError TextReader::append_parsed_timestamp(ColumnBuilder& column, std::string_view text) {
  std::int64_t value = 0;
  const TextError error = timestamps_.parse(text, value);
  if (error == TextError::kNone) column.append(value);
  return error;
}

TextError TextReader::append_timestamp_ltz(ColumnBuilder& column, std::string_view text) {
  text = trim_text(text);
  std::int64_t east = 0;
  bool has_offset = false;
  for (const std::size_t size : {std::size_t{1}, std::size_t{6}, std::size_t{5}}) {
    // A date alone ends in "-01-01" and has no offset.
    if (has_offset || text.size() < kDateSize + size) continue;
    if (!parse_zone_offset(text.substr(text.size() - size), east)) continue;
    has_offset = true;
    text.remove_suffix(size);
  }
  std::int64_t value = 0;
  const TextError error = timestamps_.parse(text, value);
  if (error != TextError::kNone) return error;
  const std::int64_t units = timestamp_units_per_second(type_.precision);
  const std::int64_t seconds = floor_div(value, units);
  const std::int64_t utc = has_offset ? seconds - east : zone_.to_instant(seconds, 1);
  if (__builtin_sub_overflow(value, (seconds - utc) * units, &value)) return TextError::kOutOfRange;
  column.append(value);
  return TextError::kNone;
}

std::string quote_for_message(std::string_view text) {
  constexpr std::size_t kBytesMax = 60;
  std::string out = "'";
  std::size_t size = std::min(text.size(), kBytesMax);
  if (size < text.size())
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  for (const char c : text.substr(0, size)) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += size < text.size() ? "...'" : "'";
  return out;
}

std::string describe(const Field& field) {
  return fmt::format("column '{}' ({})", field.name, to_string(field.type));
}

namespace {

std::string_view expectation_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBoolean: return "is not true or false";
    case TypeKind::kDate: return "is not a date (yyyy-MM-dd)";
    case TypeKind::kTime: return "is not a time (HH:mm:ss)";
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return "is not a timestamp (yyyy-MM-dd HH:mm:ss)";
    case TypeKind::kBytes: return "is not base 64";
    default: return "is not a number";
  }
}

}  // namespace

std::string describe(const Field& field, std::string_view text, TextError error) {
  std::string_view what = expectation_of(field.type.kind);
  if (error == TextError::kOutOfRange) what = "is out of range";
  if (error == TextError::kFraction) what = "is not a whole number";
  return fmt::format("{}: {} {}", describe(field), quote_for_message(text), what);
}

}  // namespace tidemark
