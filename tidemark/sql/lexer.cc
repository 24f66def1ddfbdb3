// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/lexer.h"

#include <fmt/format.h>

#include <array>

#include "tidemark/sql/keywords.h"

namespace tidemark::sql {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
/// Letters, underscore and every byte of a non-ASCII character.
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) {
  return starts_word(c) || is_digit(c) || c == '$';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(const SourceText& source) : source_(source), text_(source.text()) {}

  Result<std::vector<Token>> run() {
    skip_byte_order_mark();
    while (true) {
      TIDEMARK_TRY(skip_blanks());
      if (at_ == text_.size()) break;
      TIDEMARK_TRY(next());
    }
    add(Token::Kind::kEnd, at_, {});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Span span_from(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  void add(Token::Kind kind, std::size_t begin, std::string text) {
    std::string upper = kind == Token::Kind::kWord ? to_upper(text) : std::string();
    tokens_.push_back({kind, span_from(begin), std::move(text), std::move(upper)});
  }

  void skip_byte_order_mark() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

  Status skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(peek())) {
        ++at_;
      } else if (peek() == '-' && peek(1) == '-') {
        while (at_ < text_.size() && peek() != '\n') ++at_;
      } else if (peek() == '/' && peek(1) == '*') {
        TIDEMARK_TRY(skip_block_comment());
      } else {
        break;
      }
    }
    return {};
  }

  Status skip_block_comment() {
    const std::size_t begin = at_;
    if (peek(2) == '+') {
      at_ += 3;
      return source_.unsupported(span_from(begin),
                                 "hints /*+ ... */ are not supported; set options in the WITH "
                                 "clause of the table");
    }
    const std::size_t close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) {
      at_ += 2;
      return source_.error(span_from(begin), "this comment has no closing */");
    }
    at_ = close + 2;
    return {};
  }

  Status next() {
    const char c = peek();
    if (c == '\'') return quoted(Token::Kind::kString);
    if (c == '`') return quoted(Token::Kind::kQuotedName);
    if ((c == 'x' || c == 'X') && peek(1) == '\'') return bytes();
    if (starts_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    return symbol();
  }

  Status word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_word(peek())) ++at_;
    add(Token::Kind::kWord, begin, std::string(text_.substr(begin, at_ - begin)));
    return {};
  }

  /// 'text' or `name`; the quote itself is written twice inside.
  Status quoted(Token::Kind kind) {
    const std::size_t begin = at_;
    const char quote = peek();
    std::string content;
    for (++at_; at_ < text_.size(); ++at_) {
      if (peek() == quote) {
        if (peek(1) != quote) {
          ++at_;
          if (content.empty() && kind == Token::Kind::kQuotedName)
            return source_.error(span_from(begin), "a name cannot be empty");
          add(kind, begin, std::move(content));
          return {};
        }
        ++at_;
      }
      content += peek();
    }
    at_ = begin + 1;
    return source_.error(span_from(begin), kind == Token::Kind::kString
                                               ? "this string has no closing '"
                                               : "this name has no closing `");
  }

  Status bytes() {
    const std::size_t begin = at_++;
    TIDEMARK_TRY(quoted(Token::Kind::kString));
    const std::string digits = std::move(tokens_.back().text);
    tokens_.pop_back();
    std::string value;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const int high = hex_digit(digits[i]);
      const int low = hex_digit(digits[i + 1]);
      if (high < 0 || low < 0) return bad_bytes(begin);
      value += static_cast<char>(high * 16 + low);
    }
    if (digits.size() % 2 != 0) return bad_bytes(begin);
    add(Token::Kind::kBytes, begin, std::move(value));
    return {};
  }

  Error bad_bytes(std::size_t begin) const {
    return source_.error(span_from(begin), "a binary string takes pairs of hexadecimal digits");
  }

  Status number() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.') {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
    if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || signed_exponent)) {
      at_ += 2;
      while (is_digit(peek())) ++at_;
    }
    Token::Kind kind = Token::Kind::kNumber;
    for (; at_ < text_.size() && continues_word(peek()); ++at_) kind = Token::Kind::kMixed;
    add(kind, begin, std::string(text_.substr(begin, at_ - begin)));
    return {};
  }

  Status symbol() {
    static constexpr auto kSymbols = std::to_array<std::string_view>(
        {"<>", "<=", ">=", "!=", "||", "=>", "(", ")", ",", ";", ".",
         "+",  "-",  "*",  "/",  "%",  "<",  ">", "=", "[", "]", ":"});
    const std::size_t begin = at_;
    for (const std::string_view candidate : kSymbols) {
      if (text_.substr(at_, candidate.size()) == candidate) {
        at_ += candidate.size();
        add(Token::Kind::kSymbol, begin, std::string(candidate));
        return {};
      }
    }
    ++at_;
    if (text_[begin] == '"')
      return source_.error(span_from(begin),
                           "double quotes mean nothing in Flink SQL: a name is written in "
                           "backquotes, a string in single quotes");
    const auto byte = static_cast<unsigned char>(text_[begin]);
    return source_.error(span_from(begin),
                         byte < 0x20 || byte == 0x7F
                             ? fmt::format("a control character (0x{:02X}) has no place here", byte)
                             : fmt::format("SQL has no use for '{}'", text_[begin]));
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const SourceText& source) {
  return Lexer(source).run();
}

}  // namespace tidemark::sql
