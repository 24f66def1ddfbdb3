// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace tidemark {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Error invalid(std::string_view option, std::string_view takes, std::string_view got) {
  return {ErrorCode::kInvalidOption,
          fmt::format("option '{}' takes {}, got '{}'", option, takes, got)};
}

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// "<digits> <unit>" as a multiple of the unit's factor; a bare number counts `default_factor`.
template <std::size_t N>
Result<std::uint64_t> parse_quantity(std::string_view option, std::string_view text,
                                     const std::array<Unit, N>& units, std::uint64_t default_factor,
                                     std::string_view takes) {
  const std::string_view trimmed = trim(text);
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (error != std::errc()) return invalid(option, takes, text);
  const std::string unit =
      lower(trim({end, static_cast<std::size_t>(trimmed.data() + trimmed.size() - end)}));
  std::uint64_t factor = default_factor;
  if (!unit.empty()) {
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const Unit& candidate) { return candidate.name == unit; });
    if (found == units.end()) return invalid(option, takes, text);
    factor = found->factor;
  }
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(number, factor, &product) ||
      product > static_cast<std::uint64_t>(kMaxTime))
    return invalid(option, takes, text);
  return product;
}

constexpr std::array<Unit, 22> kDurationUnits = {
    {{"ms", 1},          {"milli", 1},        {"millis", 1},
     {"millisecond", 1}, {"milliseconds", 1}, {"s", 1'000},
     {"sec", 1'000},     {"secs", 1'000},     {"second", 1'000},
     {"seconds", 1'000}, {"m", 60'000},       {"min", 60'000},
     {"mins", 60'000},   {"minute", 60'000},  {"minutes", 60'000},
     {"h", 3'600'000},   {"hour", 3'600'000}, {"hours", 3'600'000},
     {"d", 86'400'000},  {"day", 86'400'000}, {"days", 86'400'000},
     {"w", 604'800'000}}};

constexpr std::array<Unit, 13> kMemoryUnits = {{{"b", 1},
                                                {"bytes", 1},
                                                {"k", 1ull << 10},
                                                {"kb", 1ull << 10},
                                                {"kibibytes", 1ull << 10},
                                                {"m", 1ull << 20},
                                                {"mb", 1ull << 20},
                                                {"mebibytes", 1ull << 20},
                                                {"g", 1ull << 30},
                                                {"gb", 1ull << 30},
                                                {"gibibytes", 1ull << 30},
                                                {"t", 1ull << 40},
                                                {"tb", 1ull << 40}}};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

Result<Millis> parse_duration(std::string_view option, std::string_view text) {
  auto parsed = parse_quantity(option, text, kDurationUnits, 1,
                               "a duration such as '500 ms', '10 s', '5 min', '1 h' or '1 d'");
  if (!parsed.ok()) return parsed.error();
  return static_cast<Millis>(*parsed);
}

Result<std::uint64_t> parse_memory_size(std::string_view option, std::string_view text) {
  return parse_quantity(option, text, kMemoryUnits, 1,
                        "a memory size such as '64 kb', '128 mb' or '1 gb'");
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = lower(name);
  std::string best;
  // A name with much more than a third of its letters wrong is not what was meant.
  std::size_t best_distance = wanted.size() <= 3 ? 2 : wanted.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

OptionReader::OptionReader(std::string owner, const OptionMap& options)
    : owner_(std::move(owner)), options_(options) {}

void OptionReader::allow(std::string_view name) {
  known_.emplace_back(name);
}

void OptionReader::allow_prefix(std::string_view prefix) {
  known_prefixes_.emplace_back(prefix);
}

bool OptionReader::has(std::string_view name) const {
  return options_.find(name) != options_.end();
}

const std::string* OptionReader::find(std::string_view name) {
  allow(name);
  const auto found = options_.find(name);
  return found == options_.end() ? nullptr : &found->second;
}

Error OptionReader::wrong(std::string_view name, std::string_view takes,
                          std::string_view got) const {
  Error error = invalid(name, takes, got);
  error.message = fmt::format("{}: {}", owner_, error.message);
  return error;
}

Result<std::string> OptionReader::required(std::string_view name) {
  if (const std::string* text = find(name)) return *text;
  std::string message = fmt::format("{}: option '{}' is required", owner_, name);
  // An option that is read later may be alike, so only a slip of two letters counts.
  for (const auto& [given, value] : options_)
    if (edit_distance(given, name) <= 2) message += fmt::format("; is '{}' meant for it?", given);
  return Error{ErrorCode::kInvalidOption, std::move(message)};
}

std::string OptionReader::optional(std::string_view name, std::string_view default_value) {
  const std::string* text = find(name);
  return text ? *text : std::string(default_value);
}

Result<bool> OptionReader::boolean(std::string_view name, bool default_value) {
  const std::string* text = find(name);
  if (!text) return default_value;
  const std::string value = lower(trim(*text));
  if (value == "true") return true;
  if (value == "false") return false;
  return wrong(name, "'true' or 'false'", *text);
}

Result<std::int64_t> OptionReader::integer(std::string_view name, std::int64_t default_value,
                                           std::int64_t minimum, std::int64_t maximum) {
  const std::string* text = find(name);
  if (!text) return default_value;
  const std::string_view digits = trim(*text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < minimum ||
      value > maximum)
    return wrong(name, fmt::format("a whole number from {} to {}", minimum, maximum), *text);
  return value;
}

Result<double> OptionReader::real(std::string_view name, double default_value, double minimum,
                                  double maximum) {
  const std::string* text = find(name);
  if (!text) return default_value;
  const std::string_view digits = trim(*text);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || std::isnan(value) ||
      value < minimum || value > maximum)
    return wrong(name, fmt::format("a number from {} to {}", minimum, maximum), *text);
  return value;
}

Result<Millis> OptionReader::duration(std::string_view name, Millis default_value) {
  const std::string* text = find(name);
  if (!text) return default_value;
  return with_owner(parse_duration(name, *text));
}

Result<std::uint64_t> OptionReader::memory_size(std::string_view name,
                                                std::uint64_t default_value) {
  const std::string* text = find(name);
  if (!text) return default_value;
  return with_owner(parse_memory_size(name, *text));
}

Result<std::string> OptionReader::choice(std::string_view name,
                                         std::vector<std::string_view> choices,
                                         std::string_view default_value) {
  const std::string* text = find(name);
  if (!text) return std::string(default_value);
  const std::string value = lower(trim(*text));
  for (std::string_view candidate : choices)
    if (value == lower(candidate)) return std::string(candidate);
  return wrong(name, fmt::format("one of '{}'", fmt::join(choices, "', '")), *text);
}

Status OptionReader::finish() const {
  for (const auto& [name, value] : options_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const auto has_prefix = [&name = name](const std::string& prefix) {
      return name.starts_with(prefix);
    };
    if (std::any_of(known_prefixes_.begin(), known_prefixes_.end(), has_prefix)) continue;
    const std::string near = nearest_name(name, known_);
    return Error{ErrorCode::kInvalidOption,
                 near.empty() ? fmt::format("{}: unknown option '{}'", owner_, name)
                              : fmt::format("{}: unknown option '{}'; did you mean '{}'?", owner_,
                                            name, near)};
  }
  return {};
}

}  // namespace tidemark
