// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

/// Finds the delimiters and line feeds of plain CSV text, 64 bytes a step.
class CsvIndex {
 public:
  /// `special_a` and `special_b` end the plain part (quote, escape); give the line feed for none.
  CsvIndex(char delimiter, char special_a, char special_b)
      : delimiter_(delimiter), special_a_(special_a), special_b_(special_b) {}

  /// Indexes the front of `text`: at most `bytes` of it, up to the first special character, and no
  /// further than needed for `marks_max`. `text` must be readable for 64 bytes past `bytes`.
  /// Requires bytes < 2^32.
  void build(const char* text, std::size_t bytes, std::size_t marks_max);

  /// Positions in ascending order; marks()[-1] is -1, so that field i begins at marks()[i - 1] + 1.
  const std::uint32_t* marks() const noexcept { return marks_.data() + 1; }
  std::size_t count() const noexcept { return count_; }
  /// Whether a special character ended the index.
  bool at_special() const noexcept { return at_special_; }

 private:
  char delimiter_;
  char special_a_;
  char special_b_;
  bool at_special_ = false;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> marks_;
};

}  // namespace tidemark
