// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/error.h"

namespace tidemark::sql {

/// Bytes [begin, end) of a SQL text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// From the start of `first` to the end of `last`.
inline Span cover(Span first, Span last) {
  return {first.begin, last.end};
}

/// A SQL file and what is needed to point into it. Views the text; immutable.
class SourceText {
 public:
  SourceText(std::string_view text, std::string_view file);

  std::string_view text() const noexcept { return text_; }
  std::string_view slice(Span span) const;

  /// An error whose message begins with "file:line:column: " and ends with the source line and a
  /// caret under `span`. Lines and columns count from 1, columns in characters.
  Error error(Span span, std::string_view message, ErrorCode code = ErrorCode::kInvalidSql) const;
  /// The same for something valid in Flink that this version does not do.
  Error unsupported(Span span, std::string_view message) const {
    return error(span, message, ErrorCode::kUnsupported);
  }

 private:
  std::string_view text_;
  std::string_view file_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace tidemark::sql
