// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tidemark/state/keyed_state.h"

// The keys of the database:
//   0   8  table: XXH3 64 of its name
//   8   8  namespace, its sign bit flipped
//   16  8  hash of the key
//   24     the key: 8 bytes, 16 bytes, or its length's worth (state/key.h)
// Numbers are big-endian, so that bytes compare as they do: entries stand by table, namespace, key
// group and hash. Table 0 is the backend's own: after it comes the table that the value is about.

namespace tidemark {

inline constexpr std::size_t kDatabasePrefixBytes = 16;
inline constexpr std::size_t kDatabaseKeyOffset = 24;
inline constexpr std::uint64_t kOwnTable = 0;

constexpr std::uint64_t big_endian(std::uint64_t value) noexcept {
  return __builtin_bswap64(value);
}
static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t biased(StateNamespace ns) noexcept {
  return static_cast<std::uint64_t>(ns) ^ (std::uint64_t{1} << 63);
}

inline void append_big_endian(std::uint64_t value, std::string& out) {
  const std::uint64_t bytes = big_endian(value);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
}

inline std::uint64_t big_endian_at(std::string_view bytes, std::size_t offset) noexcept {
  std::uint64_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return big_endian(value);
}

/// What stands before all keys of a namespace.
inline std::string namespace_prefix(std::uint64_t table, StateNamespace ns) {
  std::string prefix;
  append_big_endian(table, prefix);
  append_big_endian(biased(ns), prefix);
  return prefix;
}

/// The smallest string behind all that begin with `prefix`, which is not all 0xff.
inline std::string prefix_end(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

inline void append_database_key(std::uint64_t table, StateNamespace ns, std::uint64_t hash,
                                std::string_view key, std::string& out) {
  append_big_endian(table, out);
  append_big_endian(biased(ns), out);
  append_big_endian(hash, out);
  out.append(key);
}

/// A key of the database, taken apart. Points into it.
struct DatabaseKey {
  explicit DatabaseKey(std::string_view bytes)
      : table(big_endian_at(bytes, 0)),
        ns(static_cast<StateNamespace>(big_endian_at(bytes, 8) ^ (std::uint64_t{1} << 63))),
        hash(big_endian_at(bytes, 16)),
        key(bytes.substr(kDatabaseKeyOffset)) {}

  std::uint64_t table;
  StateNamespace ns;
  std::uint64_t hash;
  std::string_view key;
};

inline KeyedEntry entry_of(KeyEncoding encoding, std::string_view key) noexcept {
  KeyedEntry entry;
  if (encoding == KeyEncoding::kFixed8) {
    std::memcpy(&entry.fixed_key, key.data(), sizeof(entry.fixed_key));
  } else {
    entry.variable_key = key;
  }
  return entry;
}

}  // namespace tidemark
