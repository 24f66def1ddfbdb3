// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "tidemark/sql/parser.h"
#include "tidemark/sql/parser_level.h"

// GROUP BY, with GROUPING SETS, ROLLUP and CUBE written out as the sets that they stand for.

namespace tidemark::sql {
namespace {

// Each set makes a row of every row.
constexpr std::size_t kMostSets = 256;

}  // namespace

bool Parser::at_grouping_sets() const {
  return at_words({"GROUPING", "SETS"}) ||
         ((peek().is_word("ROLLUP") || peek().is_word("CUBE")) && peek(1).is_symbol("("));
}

Status Parser::parse_group_by(ast::Select& select) {
  if (!peek().is_word("GROUP")) return {};
  const Span begin = advance().span;
  TIDEMARK_TRY(expect("BY"));
  select.group_span = cover(begin, last_span());
  do {
    if (peek().is_symbol("(") && peek(1).is_symbol(")"))
      return source_.unsupported(cover(peek().span, peek(1).span),
                                 "GROUP BY () is not supported; group by window_start, window_end");
    const Span first = peek().span;
    if (at_grouping_sets()) {
      ast::GroupingSets sets;
      TIDEMARK_ASSIGN_OR_RETURN(sets.sets, parse_grouping_element(select));
      sets.span = cover(first, last_span());
      if (sets.sets.size() > kMostSets)
        return source_.error(sets.span, fmt::format("these are {} grouping sets; {} are the most",
                                                    sets.sets.size(), kMostSets));
      select.grouping_sets.push_back(std::move(sets));
    } else {
      TIDEMARK_TRY(parse_key(select));
    }
  } while (accept_symbol(","));
  return {};
}

Result<std::size_t> Parser::parse_key(ast::Select& select) {
  TIDEMARK_ASSIGN_OR_RETURN(ast::ExprPtr key, parse_expression());
  select.group_by.push_back(std::move(key));
  return select.group_by.size() - 1;
}

/// (), (a, b) or a.
Result<std::vector<std::size_t>> Parser::parse_key_set(ast::Select& select) {
  std::vector<std::size_t> keys;
  if (!accept_symbol("(")) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::size_t key, parse_key(select));
    return std::vector{key};
  }
  if (accept_symbol(")")) return keys;
  do {
    TIDEMARK_ASSIGN_OR_RETURN(const std::size_t key, parse_key(select));
    keys.push_back(key);
  } while (accept_symbol(","));
  TIDEMARK_TRY(expect_symbol(")"));
  return keys;
}

Result<Parser::KeySets> Parser::parse_grouping_element(ast::Select& select) {
  const Level level(*this);
  TIDEMARK_TRY(check_nesting());
  if (at_words({"GROUPING", "SETS"})) return parse_grouping_set_list(select);
  if (at_grouping_sets()) return parse_rollup_or_cube(select);
  TIDEMARK_ASSIGN_OR_RETURN(std::vector<std::size_t> keys, parse_key_set(select));
  return KeySets{std::move(keys)};
}

Result<Parser::KeySets> Parser::parse_grouping_set_list(ast::Select& select) {
  advance();
  advance();
  TIDEMARK_TRY(expect_symbol("("));
  KeySets all;
  do {
    TIDEMARK_ASSIGN_OR_RETURN(KeySets sets, parse_grouping_element(select));
    all.insert(all.end(), std::make_move_iterator(sets.begin()),
               std::make_move_iterator(sets.end()));
  } while (accept_symbol(","));
  TIDEMARK_TRY(expect_symbol(")"));
  return all;
}

/// ROLLUP (a, b) is (a, b), (a), (); CUBE (a, b) is (a, b), (a), (b), ().
Result<Parser::KeySets> Parser::parse_rollup_or_cube(ast::Select& select) {
  const Token& word = advance();
  const bool cube = word.is_word("CUBE");
  TIDEMARK_TRY(expect_symbol("("));
  KeySets items;
  do {
    TIDEMARK_ASSIGN_OR_RETURN(std::vector<std::size_t> keys, parse_key_set(select));
    items.push_back(std::move(keys));
  } while (accept_symbol(","));
  TIDEMARK_TRY(expect_symbol(")"));
  if (cube && items.size() > 8)
    return source_.error(cover(word.span, last_span()),
                         fmt::format("CUBE of {} items stands for more than {} grouping sets",
                                     items.size(), kMostSets));
  const std::size_t count = cube ? std::size_t{1} << items.size() : items.size() + 1;
  KeySets sets;
  for (std::size_t left_out = 0; left_out < count; ++left_out) {
    std::vector<std::size_t>& set = sets.emplace_back();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool taken =
          cube ? (left_out >> (items.size() - 1 - i) & 1) == 0 : i + left_out < items.size();
      if (taken) set.insert(set.end(), items[i].begin(), items[i].end());
    }
  }
  return sets;
}

}  // namespace tidemark::sql
