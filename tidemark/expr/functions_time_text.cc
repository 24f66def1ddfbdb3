// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/calendar.h"
#include "tidemark/data/number_text.h"
#include "tidemark/expr/cast.h"
#include "tidemark/expr/date_pattern.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/signature.h"
#include "tidemark/expr/type_rules.h"

// Dates and times to and from text, and to and from numbers. What does not read as the pattern is
// NULL, as in Flink; CAST is the way to make it an error.

namespace tidemark {
namespace {

using View = std::string_view;
constexpr View kDefaultPattern = "yyyy-MM-dd HH:mm:ss";
constexpr std::int64_t kMillis = 1000;

Status check_pattern(const CallSite& site, std::size_t argument) {
  const std::string* pattern = site.text(argument);
  if (pattern == nullptr) return {};
  auto parsed = DatePattern::parse(*pattern);
  if (!parsed.ok()) return parsed.error();
  return {};
}

std::optional<Resolution> resolve_format(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 2) return std::nullopt;
  const auto pattern = taken_type(arguments[1]->type, Take::kString);
  auto time = taken_type(arguments[0]->type, Take::kTimestamp);
  if (arguments[0]->type.kind == TypeKind::kTimestampLtz) time = arguments[0]->type;
  if (!pattern || !time) return std::nullopt;
  return Resolution{.arguments = {*time, *pattern}, .result = DataType::string()};
}

Result<KernelPtr> make_format(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  const std::int64_t units = timestamp_units_per_second(site.arguments[0].precision);
  const bool instant = site.arguments[0].kind == TypeKind::kTimestampLtz;
  return make_row_kernel<Text(std::int64_t, View)>(
      [units, instant, patterns = DatePatternCache(), zone = SessionZone()](
          Row& row, std::int64_t value, View pattern) mutable {
        const DatePattern* compiled = patterns.get(row, pattern);
        if (instant) {
          const TimeZone* local = zone.get(row);
          if (local == nullptr) return Text{};
          value = local->to_local(value, units);
        }
        if (compiled != nullptr) compiled->print(row.text, WallTime::of(value, units));
        return Text{};
      });
}

// What a text says: in the pattern, or as SQL writes dates and times.
std::optional<std::int64_t> read_millis(Row& row, DatePatternCache& patterns, View text,
                                        View pattern) {
  if (pattern == kDefaultPattern)
    if (const auto value = parse_timestamp(trim_space(text), 3)) return value;
  const DatePattern* compiled = patterns.get(row, pattern);
  const auto time = compiled == nullptr ? std::nullopt : compiled->read(text);
  return time ? time->to_units(kMillis) : std::nullopt;
}

Result<KernelPtr> make_to_timestamp(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  auto read = [patterns = DatePatternCache()](Row& row, View text, View pattern) mutable {
    const auto millis = read_millis(row, patterns, text, pattern);
    if (!millis) row.null();
    return millis.value_or(0);
  };
  if (site.arguments.size() == 2) return make_row_kernel<std::int64_t(View, View)>(read);
  return make_row_kernel<std::int64_t(View)>(
      [read](Row& row, View text) mutable { return read(row, text, kDefaultPattern); });
}

Result<KernelPtr> make_to_date(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  if (site.arguments.size() == 1)
    return make_row_kernel<std::int32_t(View)>([](Row& row, View text) {
      const auto days = parse_date(trim_space(text));
      if (!days) row.null();
      return days.value_or(0);
    });
  return make_row_kernel<std::int32_t(View, View)>(
      [patterns = DatePatternCache()](Row& row, View text, View pattern) mutable {
        const DatePattern* compiled = patterns.get(row, pattern);
        const auto time = compiled == nullptr ? std::nullopt : compiled->read(text);
        if (!time) row.null();
        return static_cast<std::int32_t>(time ? time->days : 0);
      });
}

// Seconds (precision 0) or milliseconds (precision 3) since 1970.
std::optional<Resolution> resolve_to_ltz(std::span<const ExpressionPtr> arguments) {
  if (arguments.empty() || arguments.size() > 2) return std::nullopt;
  const auto number = taken_type(arguments[0]->type, Take::kInteger);
  if (!number) return std::nullopt;
  Resolution resolution{.arguments = {*number}, .result = DataType::timestamp_ltz(3)};
  if (arguments.size() == 2) {
    const auto precision = taken_type(arguments[1]->type, Take::kInteger);
    if (!precision) return std::nullopt;
    resolution.arguments.push_back(*precision);
  }
  return resolution;
}

std::int64_t instant_of(Row& row, std::int64_t number, std::int64_t precision) {
  if (precision == 3) return number;
  if (precision != 0) {
    row.fail("the precision of TO_TIMESTAMP_LTZ must be 0 or 3");
    return 0;
  }
  std::int64_t millis = 0;
  if (__builtin_mul_overflow(number, kMillis, &millis)) row.fail("date or time out of range");
  return millis;
}

Result<KernelPtr> make_to_ltz(const CallSite& site) {
  if (site.arguments.size() == 1)
    return make_row_kernel<std::int64_t(std::int64_t)>(
        [](Row&, std::int64_t millis) { return millis; });
  return make_row_kernel<std::int64_t(std::int64_t, std::int64_t)>(instant_of);
}

// FROM_UNIXTIME prints in the session time zone.
Result<KernelPtr> make_from_unixtime(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  auto print = [patterns = DatePatternCache(), zone = SessionZone()](Row& row, std::int64_t seconds,
                                                                     View pattern) mutable {
    const DatePattern* compiled = patterns.get(row, pattern);
    const TimeZone* local = zone.get(row);
    if (compiled != nullptr && local != nullptr)
      compiled->print(row.text, WallTime::of(local->to_local(seconds, 1), 1));
    return Text{};
  };
  if (site.arguments.size() == 2) return make_row_kernel<Text(std::int64_t, View)>(print);
  return make_row_kernel<Text(std::int64_t)>([print](Row& row, std::int64_t seconds) mutable {
    return print(row, seconds, kDefaultPattern);
  });
}

Result<KernelPtr> make_unix_timestamp(const CallSite& site) {
  if (site.arguments.empty())
    return make_row_kernel<std::int64_t()>([](Row& row) {
      if (row.context->clock == nullptr) row.fail("no clock here");
      return row.context->clock == nullptr ? 0 : floor_div(row.context->clock->now(), kMillis);
    });
  TIDEMARK_TRY(check_pattern(site, 1));
  auto read = [patterns = DatePatternCache(), zone = SessionZone()](Row& row, View text,
                                                                    View pattern) mutable {
    const auto millis = read_millis(row, patterns, text, pattern);
    const TimeZone* local = zone.get(row);
    if (!millis) row.null();
    if (!millis || local == nullptr) return std::int64_t{0};
    return floor_div(local->to_instant(*millis), kMillis);
  };
  if (site.arguments.size() == 2) return make_row_kernel<std::int64_t(View, View)>(read);
  return make_row_kernel<std::int64_t(View)>(
      [read](Row& row, View text) mutable { return read(row, text, kDefaultPattern); });
}

// Looks a zone up when its name changes from one row to the next.
class ZoneCache {
 public:
  const TimeZone* get(View name) {
    if (!ready_ || name != name_) {
      name_ = name;
      auto zone = TimeZone::find(name);
      valid_ = zone.ok();
      if (valid_) zone_ = *zone;
      ready_ = true;
    }
    return valid_ ? &zone_ : nullptr;
  }

 private:
  bool ready_ = false;
  bool valid_ = false;
  std::string name_;
  TimeZone zone_;
};

Result<KernelPtr> make_convert(const CallSite& site) {
  for (std::size_t i = 1; i < 3; ++i) {
    const std::string* name = site.text(i);
    if (name == nullptr) continue;
    auto zone = TimeZone::find(*name);
    if (!zone.ok()) return zone.error();
  }
  return make_row_kernel<Text(View, View, View)>(
      [from = ZoneCache(), to = ZoneCache()](Row& row, View text, View from_name,
                                             View to_name) mutable {
        const auto value = parse_timestamp(trim_space(text), 3);
        const TimeZone* source = from.get(from_name);
        const TimeZone* target = to.get(to_name);
        if (source == nullptr || target == nullptr) row.fail("unknown time zone");
        if (!value) row.null();
        if (value && source != nullptr && target != nullptr)
          row.text += timestamp_to_string(target->to_local(source->to_instant(*value)), 0);
        return Text{};
      });
}

}  // namespace

void add_time_text_functions(FunctionTable& table) {
  const std::vector<Take> text_and_pattern = {Take::kString, Take::kString};
  table.topic("Dates and times as text and numbers");
  table.add(
      {.name = "DATE_FORMAT",
       .signature = "DATE_FORMAT(time, pattern)",
       .summary = "The time in the letters of Java's SimpleDateFormat: yyyy-MM-dd HH:mm:ss.SSS.",
       .resolve = resolve_format,
       .make = make_format,
       .purity = Purity::kTimeZone});
  table.add({.name = "TO_DATE",
             .signature = "TO_DATE(text [, pattern])",
             .summary = "The date in the text (yyyy-MM-dd); NULL when there is none.",
             .resolve = takes(text_and_pattern, DataType::date(), 1, false, ResultNulls::kAlways),
             .make = make_to_date});
  table.add(
      {.name = "TO_TIMESTAMP",
       .signature = "TO_TIMESTAMP(text [, pattern])",
       .summary = "The TIMESTAMP(3) in the text (yyyy-MM-dd HH:mm:ss); NULL when there is none.",
       .resolve = takes(text_and_pattern, DataType::timestamp(3), 1, false, ResultNulls::kAlways),
       .make = make_to_timestamp});
  table.add({.name = "TO_TIMESTAMP_LTZ",
             .signature = "TO_TIMESTAMP_LTZ(number [, precision])",
             .summary = "The instant so many milliseconds (precision 3) or seconds (0) after 1970.",
             .resolve = resolve_to_ltz,
             .make = make_to_ltz});
  table.add({.name = "FROM_UNIXTIME",
             .signature = "FROM_UNIXTIME(seconds [, pattern])",
             .summary = "The instant as text in the session time zone.",
             .resolve = takes({Take::kInteger, Take::kString}, DataType::string(), 1),
             .make = make_from_unixtime,
             .purity = Purity::kTimeZone});
  table.add(
      {.name = "UNIX_TIMESTAMP",
       .signature = "UNIX_TIMESTAMP([text [, pattern]])",
       .summary = "Seconds from 1970 to now, or to the time in the text in the session time zone "
                  "(NULL when there is none).",
       .resolve = takes(text_and_pattern, DataType::big_int(), 0, false, ResultNulls::kAlways),
       .make = make_unix_timestamp,
       .purity = Purity::kBatch});
  table.add(
      {.name = "CONVERT_TZ",
       .signature = "CONVERT_TZ(text, from_zone, to_zone)",
       .summary = "The time of one zone's clocks on those of another; NULL when the text is none.",
       .resolve = takes({Take::kString, Take::kString, Take::kString}, DataType::string(),
                        ResultNulls::kAlways),
       .make = make_convert});
}

}  // namespace tidemark
