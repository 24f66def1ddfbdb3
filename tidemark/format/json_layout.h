// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/data/column.h"
#include "tidemark/format/json_columns.h"

namespace tidemark {

/// Reads lines that are laid out like the last one: the same keys in the same order with the same
/// white space, flat, no escapes. What it accepts is valid JSON with one meaning; anything else it
/// leaves to the real parser, so it changes the speed only. One thread.
class JsonLayout {
 public:
  /// Learns the layout of a line that the real parser accepted.
  void learn(std::string_view line, const JsonColumns& columns);

  /// Appends the row of the line at the front of `input` and returns the line's length with its
  /// line feed. 0: the builders hold a part of it, the layout is another, or the line is not all
  /// there.
  std::size_t decode(std::string_view input, bool at_end, JsonColumns& columns,
                     std::span<ColumnBuilder> builders);

  /// Whether trying pays: after misses in a row it waits for some lines before it learns again.
  bool worth_trying() noexcept;
  bool worth_learning() const noexcept { return pause_ == 0; }

 private:
  struct Entry {
    std::string before;  // the bytes between the last value and this one: ',"name":'
    std::size_t column;
  };

  bool decode_line(const char*& at, const char* end, JsonColumns& columns,
                   std::span<ColumnBuilder> builders);
  bool decode_value(const char*& at, const char* end, std::size_t column, JsonColumns& columns,
                    std::span<ColumnBuilder> builders);
  bool scan(std::string_view line, const JsonColumns& columns);

  std::vector<Entry> entries_;  // empty: none learnt
  std::vector<std::size_t> missing_;
  std::string tail_;  // the bytes after the last value
  std::uint32_t misses_ = 0;
  std::uint32_t pause_ = 0;
};

}  // namespace tidemark
