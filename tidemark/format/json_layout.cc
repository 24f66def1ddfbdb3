// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// The first quote, backslash or control character; clears `ascii` when a byte before it is not
// ASCII.
const char* find_special(const char* at, const char* end, bool& ascii) noexcept {
#ifdef __AVX2__
  // Reading up to 31 bytes past the end is what the padding of the input is for.
  for (; at < end; at += 32) {
    const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i quote = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('"'));
    const __m256i backslash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('\\'));
    const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(text, _mm256_set1_epi8(0x1f)), text);
    const auto found = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, backslash), control)));
    const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(text));
    const std::uint32_t before = found == 0 ? ~0u : (found & -found) - 1;
    ascii &= (high & before) == 0;
    if (found != 0) return std::min(at + std::countr_zero(found), end);
  }
  return end;
#else
  for (; at < end; ++at) {
    const auto c = static_cast<unsigned char>(*at);
    if (c == '"' || c == '\\' || c < 0x20) break;
    ascii &= c < 0x80;
  }
  return at;
#endif
}

// Passes a string without escapes, from behind its opening quote to its closing one.
bool pass_plain_string(const char*& at, const char* end) noexcept {
  const char* begin = at;
  bool ascii = true;
  at = find_special(at, end, ascii);
  if (at == end || *at != '"') return false;
  return ascii || is_valid_utf8({begin, static_cast<std::size_t>(at - begin)});
}

// Passes a whole number of at most 18 digits, which needs no check for overflow.
bool pass_short_integer(const char*& at, const char* end, std::int64_t& value) noexcept {
  const char* digits = *at == '-' ? at + 1 : at;
  const char* stop = std::min(digits + 19, end);
  const char* p = digits;
  std::int64_t magnitude = 0;
  for (; p < stop && static_cast<unsigned char>(*p - '0') <= 9; ++p)
    magnitude = magnitude * 10 + (*p - '0');
  if (p == digits || p == stop || (p - digits > 1 && *digits == '0') || !ends_token(*p))
    return false;
  value = digits == at ? magnitude : -magnitude;
  at = p;
  return true;
}

bool pass_literal(const std::string& literal, const char*& at, const char* end) noexcept {
  const std::size_t size = literal.size();
  if (static_cast<std::size_t>(end - at) < size || std::memcmp(at, literal.data(), size) != 0)
    return false;
  at += size;
  return true;
}

template <typename T>
bool append_as(std::int64_t value, ColumnBuilder& builder) {
  if (value != static_cast<T>(value)) return false;
  builder.append(static_cast<T>(value));
  return true;
}

bool append_integer_value(std::int64_t value, ColumnBuilder& builder) {
  switch (builder.type().kind) {
    case TypeKind::kTinyInt: return append_as<std::int8_t>(value, builder);
    case TypeKind::kSmallInt: return append_as<std::int16_t>(value, builder);
    case TypeKind::kInt: return append_as<std::int32_t>(value, builder);
    default: return append_as<std::int64_t>(value, builder);
  }
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

std::size_t JsonLayout::decode(std::string_view input, bool at_end, JsonColumns& columns,
                               std::span<ColumnBuilder> builders) {
  const char* at = input.data();
  const char* end = at + input.size();
  bool good = decode_line(at, end, columns, builders);
  if (good && at < end && *at == '\r') ++at;
  if (good && at < end) {
    good = *at++ == '\n';
  } else {
    good &= at_end;
  }
  if (!good) {
    if (++misses_ >= kMissesMax) {
      misses_ = 0;
      pause_ = kPauseLines;
      entries_.clear();
    }
    return 0;
  }
  misses_ = 0;
  for (const std::size_t column : missing_) builders[column].append_null();
  return static_cast<std::size_t>(at - input.data());
}

bool JsonLayout::decode_line(const char*& at, const char* end, JsonColumns& columns,
                             std::span<ColumnBuilder> builders) {
  for (const Entry& entry : entries_)
    if (!pass_literal(entry.before, at, end) ||
        !decode_value(at, end, entry.column, columns, builders))
      return false;
  return pass_literal(tail_, at, end);
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
  if (!ignored && is_integer(columns.field(column).type.kind)) {
    std::int64_t value = 0;
    if (at < end && pass_short_integer(at, end, value))
      return append_integer_value(value, builders[column]);
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
