// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tidemark/api/state_value.h"
#include "tidemark/base/bytes.h"
#include "tidemark/data/record.h"

// Keys of a MapState as bytes whose order (memcmp) is that of the keys: numbers by value (NaN is
// the largest), strings by their bytes, false before true, nothing before something, structs and
// tuples member by member.

namespace tidemark::api_detail {

template <typename X>
concept OrderNumber = std::is_arithmetic_v<X> || std::is_enum_v<X>;

// The unsigned number whose order is that of `value`.
template <OrderNumber X>
auto to_ordered(X value) {
  if constexpr (std::is_enum_v<X>) {
    return to_ordered(static_cast<std::underlying_type_t<X>>(value));
  } else if constexpr (std::is_floating_point_v<X>) {
    using Bits = std::conditional_t<sizeof(X) == 4, std::uint32_t, std::uint64_t>;
    if (std::isnan(value)) value = std::numeric_limits<X>::quiet_NaN();
    if (value == X{0}) value = X{0};
    const Bits bits = std::bit_cast<Bits>(value);
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else if constexpr (std::is_same_v<X, bool>) {
    return static_cast<std::uint8_t>(value);
  } else {
    using Bits = std::make_unsigned_t<X>;
    constexpr Bits kSign =
        std::is_signed_v<X> ? static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1)) : Bits{0};
    return static_cast<Bits>(static_cast<Bits>(value) ^ kSign);
  }
}

template <OrderNumber X, typename Bits>
X from_ordered(Bits bits) {
  if constexpr (std::is_enum_v<X>) {
    return static_cast<X>(from_ordered<std::underlying_type_t<X>>(bits));
  } else if constexpr (std::is_floating_point_v<X>) {
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    return std::bit_cast<X>((bits & kSign) != 0 ? static_cast<Bits>(bits & ~kSign)
                                                : static_cast<Bits>(~bits));
  } else if constexpr (std::is_same_v<X, bool>) {
    return bits != 0;
  } else {
    constexpr Bits kSign =
        std::is_signed_v<X> ? static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1)) : Bits{0};
    return static_cast<X>(static_cast<Bits>(bits ^ kSign));
  }
}

// A string within a key: a zero byte is 00 FF, and 00 00 ends it.
inline void put_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    out.push_back(c);
    if (c == '\0') out.push_back('\xFF');
  }
  out.append(2, '\0');
}
std::string take_escaped(std::string_view& in);

template <typename K>
void put_order_key(const K& key, std::string& out) {
  if constexpr (OrderNumber<K>) {
    const auto bits = to_ordered(key);
    for (std::size_t i = sizeof(bits); i-- > 0;)
      out.push_back(static_cast<char>(static_cast<std::uint8_t>(bits >> (8 * i))));
  } else if constexpr (std::is_same_v<K, std::string>) {
    put_escaped(key, out);
  } else if constexpr (requires { key.time_since_epoch(); }) {
    put_order_key(static_cast<std::int64_t>(key.time_since_epoch().count()), out);
  } else if constexpr (IsOptional<K>::value) {
    out.push_back(key.has_value() ? '\1' : '\0');
    if (key) put_order_key(*key, out);
  } else {
    static_assert(Structured<K>,
                  "a key of a MapState is a number, a string, a time, an optional, or a described "
                  "struct or tuple of these");
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      (put_order_key(record_detail::member<kIndex>(key), out), ...);
    }
    (std::make_index_sequence<
        boost::mp11::mp_size<typename record_detail::MembersOf<K>::List>::value>{});
  }
}

template <typename K>
K take_order_key(std::string_view& in) {
  if constexpr (OrderNumber<K>) {
    using Bits = decltype(to_ordered(K{}));
    Bits bits = 0;
    for (std::size_t i = 0; i < sizeof(Bits); ++i)
      bits = static_cast<Bits>((static_cast<std::uint64_t>(bits) << 8) |
                               static_cast<std::uint8_t>(in.at(i)));
    in.remove_prefix(sizeof(Bits));
    return from_ordered<K>(bits);
  } else if constexpr (std::is_same_v<K, std::string>) {
    return take_escaped(in);
  } else if constexpr (requires(const K& key) { key.time_since_epoch(); }) {
    return K(typename K::duration(take_order_key<std::int64_t>(in)));
  } else if constexpr (IsOptional<K>::value) {
    const bool there = in.at(0) != '\0';
    in.remove_prefix(1);
    if (!there) return std::nullopt;
    return take_order_key<typename K::value_type>(in);
  } else {
    K key{};
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      ((record_detail::member<kIndex>(key) =
            take_order_key<std::remove_cvref_t<decltype(record_detail::member<kIndex>(key))>>(in)),
       ...);
    }
    (std::make_index_sequence<
        boost::mp11::mp_size<typename record_detail::MembersOf<K>::List>::value>{});
    return key;
  }
}

/// A key by itself: a string needs no escapes.
template <typename K>
void encode_order_key(const K& key, std::string& out) {
  out.clear();
  if constexpr (std::is_same_v<K, std::string>) {
    out = key;
  } else {
    put_order_key(key, out);
  }
}
template <typename K>
K decode_order_key(std::string_view bytes) {
  if constexpr (std::is_same_v<K, std::string>) {
    return std::string(bytes);
  } else {
    return take_order_key<K>(bytes);
  }
}

}  // namespace tidemark::api_detail
