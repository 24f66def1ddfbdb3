// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/expr/kernel.h"

namespace tidemark {

/// A compiled LIKE pattern: % matches any text, _ one character. The usual shapes ('abc%', '%abc%',
/// ...) are comparisons and searches; the others match greedily in linear passes.
class LikePattern {
 public:
  /// `escape` is empty for none, else one character that takes its meaning from the next % or _.
  /// The error says where an escape stands before another character.
  static Result<LikePattern> parse(std::string_view pattern, std::string_view escape);

  bool matches(std::string_view text) const;

 private:
  // What stands between two %: bytes to match, where a wildcard marks one character.
  struct Piece {
    std::string text;
    std::vector<bool> any;  // for each byte of `text`
    bool has_any = false;
  };
  static std::size_t match_at(const Piece& piece, std::string_view text, std::size_t at);
  static std::size_t search(const Piece& piece, std::string_view text, std::size_t from);
  static bool matches_end(const Piece& piece, std::string_view text, std::size_t from);

  std::vector<Piece> pieces_;  // one more than there are runs of %
};

Result<KernelPtr> make_like_kernel(const CallSite& site);

/// The regular expression of a SIMILAR TO pattern.
std::string similar_to_regexp(std::string_view pattern);

}  // namespace tidemark
