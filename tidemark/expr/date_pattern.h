// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/expr/row_kernel.h"

namespace tidemark {

/// A wall-clock time in two parts that never overflow.
struct WallTime {
  std::int64_t days = 0;          // since 1970-01-01
  std::int64_t nanos_of_day = 0;  // [0, 86400000000000)

  static WallTime of(std::int64_t value, std::int64_t units_per_second);
  /// nullopt when it does not fit the units.
  std::optional<std::int64_t> to_units(std::int64_t units_per_second) const;
};

/// A pattern in the letters of Java's SimpleDateFormat: y M d D E a H k K h m s S n, text in
/// 'quotes', everything else as it stands. One letter of a number prints it without leading zeros
/// and reads one digit or more; n letters print and read n digits. MMM and EEE are names in
/// English.
class DatePattern {
 public:
  static Result<DatePattern> parse(std::string_view pattern);

  void print(std::string& out, const WallTime& time) const;
  /// nullopt when the text does not match whole, or names no time. Fields that the pattern does not
  /// have are those of 1970-01-01 00:00:00.
  std::optional<WallTime> read(std::string_view text) const;

 private:
  struct Item {
    char letter;  // 0: literal text
    int width;
    std::string text;
  };
  std::vector<Item> items_;
};

/// Compiles a pattern when it changes from one row to the next: once for a literal.
class DatePatternCache {
 public:
  /// nullptr, and the row fails, when the pattern is none.
  const DatePattern* get(Row& row, std::string_view pattern);

 private:
  bool ready_ = false;
  bool valid_ = false;
  std::string pattern_;
  DatePattern compiled_;
};

}  // namespace tidemark
