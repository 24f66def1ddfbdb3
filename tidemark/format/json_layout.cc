// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_layout.h"

#include <algorithm>
#include <cstring>

#include "tidemark/format/json_value.h"
#include "tidemark/format/utf8.h"

namespace tidemark {
namespace {

constexpr std::uint32_t kMissesMax = 4;
constexpr std::uint32_t kPauseLines = 256;
constexpr std::size_t kEntriesMax = 256;

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool ends_token(char c) noexcept {
  return c == ',' || c == '}' || is_space(c);
}

// Passes a string without escapes, from behind its opening quote to its closing one.
bool pass_plain_string(const char*& at, const char* end) noexcept {
  const char* begin = at;
  unsigned char high_bits = 0;
  for (;; ++at) {
    if (at == end) return false;
    const auto c = static_cast<unsigned char>(*at);
    if (c == '"') break;
    if (c == '\\' || c < 0x20) return false;
    high_bits |= c;
  }
  return high_bits < 0x80 || is_valid_utf8({begin, static_cast<std::size_t>(at - begin)});
}

const char* token_end(const char* at, const char* end) noexcept {
  while (at < end && !ends_token(*at)) ++at;
  return at;
}

}  // namespace

bool JsonLayout::worth_trying() noexcept {
  if (pause_ > 0) {
    --pause_;
    return false;
  }
  return !entries_.empty();
}

void JsonLayout::learn(std::string_view line, const JsonColumns& columns) {
  if (!scan(line, columns)) entries_.clear();
}

// The keys, values and what stands between them, of a flat object.
bool JsonLayout::scan(std::string_view line, const JsonColumns& columns) {
  entries_.clear();
  missing_.clear();
  std::vector<std::string_view> keys;
  const char* at = line.data();
  const char* end = at + line.size();
  const char* between = at;
  const auto pass_space = [&] {
    while (at < end && is_space(*at)) ++at;
  };
  const auto pass = [&](char c) {
    pass_space();
    return at < end && *at++ == c;
  };
  if (!pass('{')) return false;
  for (;;) {
    if (!pass('"')) return false;
    const char* key_begin = at;
    if (!pass_plain_string(at, end)) return false;
    const std::string_view key(key_begin, static_cast<std::size_t>(at - key_begin));
    ++at;
    if (!pass(':')) return false;
    pass_space();
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return false;
    if (keys.size() == kEntriesMax) return false;
    keys.push_back(key);
    entries_.push_back({std::string(between, at), columns.find(key, entries_.size())});
    if (at == end || *at == '{' || *at == '[') return false;
    if (*at == '"') {
      ++at;
      if (!pass_plain_string(at, end)) return false;
      ++at;
    } else {
      at = token_end(at, end);
    }
    between = at;
    pass_space();
    if (at < end && *at == '}') break;
    if (!pass(',')) return false;
  }
  tail_.assign(between, end);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const bool there = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const Entry& entry) { return entry.column == column; });
    if (there) continue;
    if (!columns.may_be_missing(column)) return false;
    missing_.push_back(column);
  }
  return true;
}

bool JsonLayout::decode(std::string_view line, JsonColumns& columns,
                        std::span<ColumnBuilder> builders) {
  const char* at = line.data();
  const char* end = at + line.size();
  const auto matches = [&](const std::string& text) {
    if (static_cast<std::size_t>(end - at) < text.size() ||
        std::memcmp(at, text.data(), text.size()) != 0)
      return false;
    at += text.size();
    return true;
  };
  bool good = true;
  for (const Entry& entry : entries_) {
    good = matches(entry.before) && decode_value(at, end, entry.column, columns, builders);
    if (!good) break;
  }
  if (good) good = matches(tail_) && at == end;
  if (!good) {
    if (++misses_ >= kMissesMax) {
      misses_ = 0;
      pause_ = kPauseLines;
      entries_.clear();
    }
    return false;
  }
  misses_ = 0;
  for (const std::size_t column : missing_) builders[column].append_null();
  return true;
}

bool JsonLayout::decode_value(const char*& at, const char* end, std::size_t column,
                              JsonColumns& columns, std::span<ColumnBuilder> builders) {
  const bool ignored = column == JsonColumns::kNoColumn;
  if (at < end && *at == '"') {
    const char* begin = ++at;
    if (!pass_plain_string(at, end)) return false;
    const std::string_view text(begin, static_cast<std::size_t>(at - begin));
    ++at;
    return ignored || columns.append_string(column, text, builders[column]) == TextError::kNone;
  }
  const char* begin = at;
  at = token_end(at, end);
  const std::string_view token(begin, static_cast<std::size_t>(at - begin));
  if (token.empty()) return false;
  if (*begin == 't' || *begin == 'f') {
    if (token != "true" && token != "false") return false;
    return ignored ||
           columns.append_boolean(column, *begin == 't', builders[column]) == TextError::kNone;
  }
  if (*begin == 'n') {
    if (token != "null") return false;
    if (ignored) return true;
    if (!columns.field(column).type.nullable) return false;
    builders[column].append_null();
    return true;
  }
  if (!is_json_number(token)) return false;
  return ignored || columns.append_number(column, token, builders[column]) == TextError::kNone;
}

}  // namespace tidemark
