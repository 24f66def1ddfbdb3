// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/utf8.h"

#include <algorithm>

namespace tidemark {
namespace {

// Letters whose upper and lower case alternate: even code points are upper case.
bool is_even_pair(char32_t c) {
  return (c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177) || (c >= 0x1de && c <= 0x1ef) ||
         (c >= 0x1f8 && c <= 0x21f) || (c >= 0x222 && c <= 0x233) || (c >= 0x460 && c <= 0x481) ||
         (c >= 0x48a && c <= 0x4bf) || (c >= 0x4d0 && c <= 0x52f) || (c >= 0x1e00 && c <= 0x1e95) ||
         (c >= 0x1ea0 && c <= 0x1eff);
}

// The same with odd code points in upper case.
bool is_odd_pair(char32_t c) {
  return (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e) || (c >= 0x1cd && c <= 0x1dc);
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  std::size_t count = 0;
  for (const char c : text) count += is_utf8_continuation(c) ? 0 : 1;
  return count;
}

std::size_t utf8_offset(std::string_view text, std::size_t index) noexcept {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_utf8_continuation(text[i])) continue;
    if (seen++ == index) return i;
  }
  return text.size();
}

std::size_t utf8_character_bytes(std::string_view text, std::size_t offset) noexcept {
  std::size_t end = offset + 1;
  while (end < text.size() && is_utf8_continuation(text[end])) ++end;
  return end - offset;
}

bool is_ascii(std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
  return all < 0x80;
}

bool is_utf8(std::string_view bytes) noexcept {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > bytes.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if (!is_utf8_continuation(bytes[i + k])) return false;
    std::size_t at = i;
    const char32_t c = next_code_point(bytes, at);
    const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
    if (overlong || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return false;
    i += length;
  }
  return true;
}

char32_t next_code_point(std::string_view text, std::size_t& offset) noexcept {
  const auto lead = static_cast<unsigned char>(text[offset++]);
  if (lead < 0xc0) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t c = lead & (0x3fu >> more);
  for (int k = 0; k < more && offset < text.size() && is_utf8_continuation(text[offset]); ++k)
    c = (c << 6) | (static_cast<unsigned char>(text[offset++]) & 0x3fu);
  return c;
}

void append_code_point(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

char32_t to_upper(char32_t c) noexcept {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  if ((c >= 0xe0 && c <= 0xfe && c != 0xf7) || (c >= 0x3b1 && c <= 0x3c9 && c != 0x3c2) ||
      (c >= 0x430 && c <= 0x44f))
    return c - 32;
  if (c == 0x3c2) return 0x3a3;
  if (c >= 0x450 && c <= 0x45f) return c - 80;
  if (c == 0xff) return 0x178;
  if (is_even_pair(c)) return c & ~char32_t{1};
  if (is_odd_pair(c)) return c % 2 == 0 ? c - 1 : c;
  return c;
}

char32_t to_lower(char32_t c) noexcept {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) ||
      (c >= 0x410 && c <= 0x42f))
    return c + 32;
  if (c >= 0x400 && c <= 0x40f) return c + 80;
  if (c == 0x178) return 0xff;
  if (is_even_pair(c)) return c | 1;
  if (is_odd_pair(c)) return c % 2 == 1 ? c + 1 : c;
  return c;
}

void append_upper(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size();)
    append_code_point(out, to_upper(next_code_point(text, i)));
}

void append_lower(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size();)
    append_code_point(out, to_lower(next_code_point(text, i)));
}

}  // namespace tidemark
