// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/base64.h"

#include <array>
#include <cstdint>

namespace tidemark {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const auto put = [&](std::uint32_t group, int shift) { out += kAlphabet[(group >> shift) & 63]; };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group =
        byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) put(group, shift);
  }
  if (i == bytes.size()) return;
  const bool two = i + 2 == bytes.size();
  const std::uint32_t group = byte_at(bytes, i) << 16 | (two ? byte_at(bytes, i + 1) << 8 : 0);
  put(group, 18);
  put(group, 12);
  if (two) {
    put(group, 6);
  } else {
    out += '=';
  }
  out += '=';
}

bool decode_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 == 0)
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return false;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return false;
    group = group << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return true;
}

}  // namespace tidemark
