// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Strings count and cut by characters (Unicode code points). Bytes that are no UTF-8 count one
// character each lead byte, so nothing here reads outside the text.

namespace tidemark {

inline bool is_utf8_continuation(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Number of characters.
std::size_t utf8_length(std::string_view text) noexcept;
/// Where character `index` starts; text.size() when there are not as many.
std::size_t utf8_offset(std::string_view text, std::size_t index) noexcept;
/// Bytes of the character at `offset` (at least 1). Requires offset < text.size().
std::size_t utf8_character_bytes(std::string_view text, std::size_t offset) noexcept;
bool is_utf8(std::string_view bytes) noexcept;
/// Whether every byte is below 0x80.
bool is_ascii(std::string_view text) noexcept;

/// The code point at `offset`, which moves past it.
char32_t next_code_point(std::string_view text, std::size_t& offset) noexcept;
void append_code_point(std::string& out, char32_t code_point);

/// Simple case mappings of Latin, Greek and Cyrillic letters; other code points stay.
char32_t to_upper(char32_t code_point) noexcept;
char32_t to_lower(char32_t code_point) noexcept;
/// Appends the text in upper or lower case.
void append_upper(std::string& out, std::string_view text);
void append_lower(std::string& out, std::string_view text);

}  // namespace tidemark
