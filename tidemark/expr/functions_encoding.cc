// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <array>

#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"
#include "tidemark/expr/utf8.h"

// Texts and bytes as hexadecimal and Base64, and their digests.

namespace tidemark {
namespace {

using View = std::string_view;

void append_hex(std::string& out, View bytes, bool upper) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

constexpr View kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_base64(std::string& out, View bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? kBase64[(group >> (18 - 6 * k)) & 63] : '=';
  }
}

// False for a text that is no Base64 (RFC 4648, with or without padding).
bool append_from_base64(std::string& out, View text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) return false;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = kBase64.find(c);
    if (value == View::npos) return false;
    group = (group << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((group >> bits) & 0xff);
  }
  return true;
}

void append_digest(std::string& out, View text, const EVP_MD* algorithm) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, algorithm, nullptr);
  append_hex(out, {reinterpret_cast<const char*>(digest.data()), size}, false);
}

Function digest(std::string name, const EVP_MD* (*algorithm)()) {
  const std::string signature = name + "(text)";
  return {.name = std::move(name),
          .signature = signature,
          .summary = "The digest in hexadecimal, in lower case.",
          .resolve = takes({Take::kString}, DataType::string()),
          .make = row_kernel<Text(View)>([algorithm](Row& row, View text) {
            append_digest(row.text, text, algorithm());
            return Text{};
          })};
}

std::optional<Resolution> resolve_hex(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 1) return std::nullopt;
  const Take take = is_integer(arguments[0]->type.kind) ? Take::kInteger : Take::kBytes;
  const auto type = taken_type(arguments[0]->type, take);
  if (!type) return std::nullopt;
  return Resolution{.arguments = {*type}, .result = DataType::string()};
}

Result<KernelPtr> make_hex(const CallSite& site) {
  if (site.arguments[0].kind != TypeKind::kBigInt)
    return make_row_kernel<Text(View)>([](Row& row, View bytes) {
      append_hex(row.text, bytes, true);
      return Text{};
    });
  return make_row_kernel<Text(std::int64_t)>([](Row& row, std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value);
    std::string digits;
    do {
      digits.insert(digits.begin(), "0123456789ABCDEF"[rest & 15]);
      rest >>= 4;
    } while (rest != 0);
    row.text += digits;
    return Text{};
  });
}

}  // namespace

void add_encoding_functions(FunctionTable& table) {
  table.topic("Encodings and digests");
  table.add({.name = "HEX",
             .signature = "HEX(integer or text)",
             .summary = "The integer, or the bytes of the text, in hexadecimal.",
             .resolve = resolve_hex,
             .make = make_hex});
  table.add({.name = "TO_BASE64",
             .signature = "TO_BASE64(text)",
             .summary = "The text's bytes in Base64.",
             .resolve = takes({Take::kString}, DataType::string()),
             .make = row_kernel<Text(View)>([](Row& row, View text) {
               append_base64(row.text, text);
               return Text{};
             })});
  table.add({.name = "FROM_BASE64",
             .signature = "FROM_BASE64(text)",
             .summary = "The text that Base64 stands for; NULL when there is none.",
             .resolve = takes({Take::kString}, DataType::string(), ResultNulls::kAlways),
             .make = row_kernel<Text(View)>([](Row& row, View text) {
               if (!append_from_base64(row.text, text) || !is_utf8(row.text)) row.null();
               return Text{};
             })});
  table.add(digest("MD5", EVP_md5));
  table.add(digest("SHA1", EVP_sha1));
  table.add(digest("SHA224", EVP_sha224));
  table.add(digest("SHA256", EVP_sha256));
  table.add(digest("SHA384", EVP_sha384));
  table.add(digest("SHA512", EVP_sha512));
}

}  // namespace tidemark
