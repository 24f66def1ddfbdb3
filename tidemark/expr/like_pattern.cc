// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/like_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/utf8.h"

namespace tidemark {
namespace {

constexpr std::size_t kNoMatch = std::string_view::npos;

Error bad_escape(std::string_view pattern) {
  return Error{
      ErrorCode::kInvalidSql,
      fmt::format("in the LIKE pattern '{}' the escape character must stand before %, _ or itself",
                  pattern)};
}

// Compiles a pattern when it changes from one row to the next.
class LikeCache {
 public:
  const LikePattern* get(Row& row, std::string_view pattern, std::string_view escape) {
    if (!ready_ || pattern != pattern_ || escape != escape_) {
      pattern_ = pattern;
      escape_ = escape;
      auto parsed = LikePattern::parse(pattern, escape);
      valid_ = parsed.ok();
      if (valid_) compiled_ = std::move(*parsed);
      ready_ = true;
    }
    if (!valid_) row.fail("wrong escape in the pattern");
    return valid_ ? &compiled_ : nullptr;
  }

 private:
  bool ready_ = false;
  bool valid_ = false;
  std::string pattern_;
  std::string escape_;
  LikePattern compiled_;
};

}  // namespace

Result<LikePattern> LikePattern::parse(std::string_view pattern, std::string_view escape) {
  if (utf8_length(escape) > 1)
    return Error{ErrorCode::kInvalidSql,
                 fmt::format("ESCAPE takes one character, got '{}'", escape)};
  LikePattern result;
  result.pieces_.emplace_back();
  bool after_percent = false;
  for (std::size_t i = 0; i < pattern.size();) {
    std::size_t bytes = utf8_character_bytes(pattern, i);
    std::string_view character = pattern.substr(i, bytes);
    i += bytes;
    bool literal = false;
    if (!escape.empty() && character == escape) {
      if (i >= pattern.size()) return bad_escape(pattern);
      bytes = utf8_character_bytes(pattern, i);
      character = pattern.substr(i, bytes);
      i += bytes;
      if (character != "%" && character != "_" && character != escape) return bad_escape(pattern);
      literal = true;
    }
    if (!literal && character == "%") {
      if (!after_percent) result.pieces_.emplace_back();
      after_percent = true;
      continue;
    }
    after_percent = false;
    Piece& piece = result.pieces_.back();
    const bool any = !literal && character == "_";
    piece.has_any = piece.has_any || any;
    piece.text += character;
    piece.any.resize(piece.text.size(), any);
  }
  return result;
}

// Where the piece ends when it starts at `at`.
std::size_t LikePattern::match_at(const Piece& piece, std::string_view text, std::size_t at) {
  if (!piece.has_any)
    return text.substr(at).starts_with(piece.text) ? at + piece.text.size() : kNoMatch;
  for (std::size_t k = 0; k < piece.text.size(); ++k) {
    if (at >= text.size()) return kNoMatch;
    if (piece.any[k]) {
      at += utf8_character_bytes(text, at);
    } else if (text[at] == piece.text[k]) {
      ++at;
    } else {
      return kNoMatch;
    }
  }
  return at;
}

// Where the first occurrence from `from` on ends.
std::size_t LikePattern::search(const Piece& piece, std::string_view text, std::size_t from) {
  if (!piece.has_any) {
    const std::size_t found = text.find(piece.text, from);
    return found == kNoMatch ? kNoMatch : found + piece.text.size();
  }
  for (std::size_t at = from; at < text.size(); at += utf8_character_bytes(text, at))
    if (const std::size_t end = match_at(piece, text, at); end != kNoMatch) return end;
  return kNoMatch;
}

// Whether the piece matches the very end, starting at `from` or later.
bool LikePattern::matches_end(const Piece& piece, std::string_view text, std::size_t from) {
  if (!piece.has_any) return text.size() - from >= piece.text.size() && text.ends_with(piece.text);
  for (std::size_t at = from; at < text.size(); at += utf8_character_bytes(text, at))
    if (match_at(piece, text, at) == text.size()) return true;
  return false;
}

bool LikePattern::matches(std::string_view text) const {
  std::size_t at = match_at(pieces_.front(), text, 0);
  if (pieces_.size() == 1) return at == text.size();
  // Between two % the leftmost place of a piece is as good as any.
  for (std::size_t i = 1; i + 1 < pieces_.size() && at != kNoMatch; ++i)
    at = search(pieces_[i], text, at);
  return at != kNoMatch && matches_end(pieces_.back(), text, at);
}

Result<KernelPtr> make_like_kernel(const CallSite& site) {
  using View = std::string_view;
  const bool with_escape = site.arguments.size() == 3;
  const std::string* pattern = site.text(1);
  const std::string* escape = with_escape ? site.text(2) : nullptr;
  if (pattern != nullptr && (!with_escape || escape != nullptr)) {
    auto parsed = LikePattern::parse(*pattern, escape == nullptr ? "" : *escape);
    if (!parsed.ok()) return parsed.error();
  }
  auto match = [cache = LikeCache()](Row& row, View text, View like, View mark) mutable {
    const LikePattern* compiled = cache.get(row, like, mark);
    return static_cast<std::uint8_t>(compiled != nullptr && compiled->matches(text) ? 1 : 0);
  };
  if (with_escape) return make_row_kernel<std::uint8_t(View, View, View)>(match);
  return make_row_kernel<std::uint8_t(View, View)>(
      [match](Row& row, View text, View like) mutable { return match(row, text, like, {}); });
}

std::string similar_to_regexp(std::string_view pattern) {
  std::string result = "(?s)";
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      result += c;
      result += pattern[++i];
    } else if (in_class) {
      in_class = c != ']';
      result += c;
    } else if (c == '%') {
      result += ".*";
    } else if (c == '_') {
      result += '.';
    } else {
      if (std::strchr(".^$", c) != nullptr) result += '\\';
      in_class = c == '[';
      result += c;
    }
  }
  return result;
}

}  // namespace tidemark
