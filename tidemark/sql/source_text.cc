// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/source_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::sql {
namespace {

constexpr std::size_t kShownCharacters = 120;

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

std::size_t count_characters(std::string_view bytes) {
  return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), starts_character));
}

/// As many blanks as `bytes` has characters; tabs stay tabs, so that the caret stays in its column.
std::string blanks(std::string_view bytes) {
  std::string result;
  for (const char byte : bytes)
    if (starts_character(byte)) result += byte == '\t' ? '\t' : ' ';
  return result;
}

/// The part of a long line around [begin, end) that is shown.
Span shown_part(std::string_view line, std::size_t begin) {
  if (line.size() <= kShownCharacters) return {0, static_cast<std::uint32_t>(line.size())};
  std::size_t from = begin > kShownCharacters / 2 ? begin - kShownCharacters / 2 : 0;
  std::size_t to = std::min(line.size(), from + kShownCharacters);
  while (from > 0 && !starts_character(line[from])) --from;
  while (to < line.size() && !starts_character(line[to])) ++to;
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
}

}  // namespace

SourceText::SourceText(std::string_view text, std::string_view file) : text_(text), file_(file) {
  line_starts_.push_back(0);
  for (std::uint32_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view SourceText::slice(Span span) const {
  return text_.substr(span.begin, span.end - span.begin);
}

Error SourceText::error(Span span, std::string_view message, ErrorCode code) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), span.begin);
  const auto line_index = static_cast<std::size_t>(after - line_starts_.begin()) - 1;
  const std::uint32_t start = line_starts_[line_index];
  std::string_view line = text_.substr(start);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);

  const std::size_t begin = std::min<std::size_t>(span.begin - start, line.size());
  const std::size_t end = std::clamp<std::size_t>(span.end - start, begin, line.size());
  const Span shown = shown_part(line, begin);
  const std::size_t underline_end = std::min<std::size_t>(end, shown.end);
  const std::size_t width =
      std::max<std::size_t>(1, count_characters(line.substr(begin, underline_end - begin)));

  const std::string number = std::to_string(line_index + 1);
  return {code, fmt::format("{}:{}:{}: {}\n  {} | {}\n  {} | {}^{}", file_, number,
                            count_characters(line.substr(0, begin)) + 1, message, number,
                            line.substr(shown.begin, shown.end - shown.begin),
                            std::string(number.size(), ' '),
                            blanks(line.substr(shown.begin, begin - shown.begin)),
                            std::string(width - 1, '~'))};
}

}  // namespace tidemark::sql
