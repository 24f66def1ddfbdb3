// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/base/time.h"

namespace tidemark {

using OptionMap = std::map<std::string, std::string, std::less<>>;

/// "10 s", "500ms", "1 min", "2 h", "1 d" -> milliseconds; a bare number counts milliseconds, as in
/// Flink. The error names `option`, what it takes and what it got.
Result<Millis> parse_duration(std::string_view option, std::string_view text);
/// "64 mb", "1gb", "100" (bytes).
Result<std::uint64_t> parse_memory_size(std::string_view option, std::string_view text);

/// Reads a table's WITH options or the job's SET options: each getter marks the option as known,
/// and `finish` then refuses the ones nobody asked for, with the nearest known name.
class OptionReader {
 public:
  /// `owner` starts every message: "table 'flights'".
  OptionReader(std::string owner, const OptionMap& options);

  Result<std::string> required(std::string_view name);
  std::string optional(std::string_view name, std::string_view default_value);
  Result<bool> boolean(std::string_view name, bool default_value);
  Result<std::int64_t> integer(std::string_view name, std::int64_t default_value,
                               std::int64_t minimum, std::int64_t maximum);
  Result<double> real(std::string_view name, double default_value, double minimum, double maximum);
  Result<Millis> duration(std::string_view name, Millis default_value);
  Result<std::uint64_t> memory_size(std::string_view name, std::uint64_t default_value);
  /// One of `choices`; an error lists them.
  Result<std::string> choice(std::string_view name, std::vector<std::string_view> choices,
                             std::string_view default_value);
  bool has(std::string_view name) const;
  /// Options that start with `prefix` are known.
  void allow_prefix(std::string_view prefix);
  void allow(std::string_view name);

  /// An error for the first option that no getter asked for.
  Status finish() const;

  /// An error in the words of the getters', for a value that they cannot check: "table 'flights':
  /// option 'csv.quote-character' takes one character, got 'ab'".
  Error wrong(std::string_view name, std::string_view takes, std::string_view got) const;
  const std::string& owner() const noexcept { return owner_; }

 private:
  const std::string* find(std::string_view name);
  template <typename T>
  Result<T> with_owner(Result<T> parsed) const {
    if (parsed.ok()) return parsed;
    return Error{parsed.error().code, owner_ + ": " + parsed.error().message};
  }

  std::string owner_;
  const OptionMap& options_;
  std::vector<std::string> known_;
  std::vector<std::string> known_prefixes_;
};

/// The candidate with the smallest edit distance to `name`, ignoring case; empty when none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tidemark
