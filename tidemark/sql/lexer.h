// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/sql/source_text.h"

namespace tidemark::sql {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,        // a keyword or an unquoted name; `upper` is it in upper case
    kQuotedName,  // `name`, without its backquotes
    kString,      // 'text', without its quotes
    kBytes,       // X'0aff', as its bytes
    kNumber,      // as written
    kMixed,       // 10s: neither a number nor a name, but the value of a SET without quotes
    kSymbol,      // an operator or a mark of punctuation
    kEnd,         // after the last token
  };
  Kind kind = Kind::kEnd;
  Span span;
  std::string text;
  std::string upper;

  bool is_word(std::string_view keyword) const { return kind == Kind::kWord && upper == keyword; }
  bool is_symbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

/// The tokens of a text, the last of kind kEnd. Comments (-- and /* */) and white space are left
/// out. An error for an unclosed quote or comment, a hint, or a character that SQL does not use.
Result<std::vector<Token>> tokenize(const SourceText& source);

}  // namespace tidemark::sql
