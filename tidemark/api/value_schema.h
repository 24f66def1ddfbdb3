// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "tidemark/api/state_value.h"
#include "tidemark/data/record.h"

// The type of a value in state as text (state/value_type.h), from its C++ type. It is stored beside
// the values, and says how their bytes are laid out.

namespace tidemark::api_detail {

template <typename X>
struct IsMilliseconds : std::false_type {};
template <typename Clock>
struct IsMilliseconds<std::chrono::time_point<Clock, std::chrono::milliseconds>> : std::true_type {
};

// nullptr for types that are no scalars.
template <typename X>
constexpr const char* scalar_name() {
  if constexpr (std::is_same_v<X, bool>) {
    return "BOOLEAN";
  } else if constexpr (std::is_enum_v<X>) {
    return scalar_name<std::underlying_type_t<X>>();
  } else if constexpr (IsMilliseconds<X>::value) {
    return "TIMESTAMP";
  } else if constexpr (std::is_same_v<X, float>) {
    return "FLOAT";
  } else if constexpr (std::is_same_v<X, double>) {
    return "DOUBLE";
  } else if constexpr (std::is_integral_v<X>) {
    constexpr bool kSigned = std::is_signed_v<X>;
    switch (sizeof(X)) {
      case 1: return kSigned ? "TINYINT" : "UTINYINT";
      case 2: return kSigned ? "SMALLINT" : "USMALLINT";
      case 4: return kSigned ? "INT" : "UINT";
      default: return kSigned ? "BIGINT" : "UBIGINT";
    }
  } else {
    return nullptr;
  }
}

// With as many digits as tell it from every other.
std::string real_text(double value);

template <typename X>
std::string type_text();

// " DEFAULT 5" for a number that is not 0 in a new X: what values stored without the member get.
template <typename M>
std::string default_text(const M& value) {
  if constexpr (std::is_enum_v<M>) {
    return default_text(static_cast<std::underlying_type_t<M>>(value));
  } else if constexpr (IsMilliseconds<M>::value) {
    return default_text(value.time_since_epoch().count());
  } else if constexpr (std::is_floating_point_v<M>) {
    return value == M{0} ? "" : " DEFAULT " + real_text(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<M>) {
    return value == M{0} ? "" : " DEFAULT " + std::to_string(+value);
  } else {
    return "";
  }
}

// One member after the other, each "name type" and, in a value of plain bytes, "@offset".
template <typename X>
std::string fields_text(bool plain) {
  static const X sample{};
  std::string text;
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    const auto add = [&](std::size_t index, const auto& member, const std::string& type) {
      if (!text.empty()) text += ", ";
      text += record_detail::member_name<X>(index) + " " + type;
      if (plain)
        text += " @" + std::to_string(reinterpret_cast<const char*>(&member) -
                                      reinterpret_cast<const char*>(&sample));
      text += default_text(member);
    };
    (add(kIndex, record_detail::member<kIndex>(sample),
         type_text<std::remove_cvref_t<decltype(record_detail::member<kIndex>(sample))>>()),
     ...);
  }
  (std::make_index_sequence<
      boost::mp11::mp_size<typename record_detail::MembersOf<X>::List>::value>{});
  return text;
}

// As encode_value() writes it.
template <typename X>
std::string type_text() {
  if constexpr (scalar_name<X>() != nullptr) {
    return scalar_name<X>();
  } else if constexpr (OwnCodec<X>) {
    if constexpr (requires { X::value_type(); }) {
      return X::value_type();
    } else {
      return "OPAQUE";
    }
  } else if constexpr (std::is_same_v<X, std::string>) {
    return "STRING";
  } else if constexpr (IsVector<X>::value) {
    return "LIST<" + type_text<typename X::value_type>() + ">";
  } else if constexpr (std::is_trivially_copyable_v<X>) {
    if constexpr (Structured<X> && std::is_default_constructible_v<X>) {
      return "PLAIN(" + std::to_string(sizeof(X)) + ")<" + fields_text<X>(true) + ">";
    } else if constexpr (IsOptional<X>::value) {
      return "PLAIN_OPTIONAL(" + std::to_string(sizeof(X)) + ")<" +
             type_text<typename X::value_type>() + ">";
    } else {
      return "BYTES(" + std::to_string(sizeof(X)) + ")";
    }
  } else if constexpr (IsOptional<X>::value) {
    return "OPTIONAL<" + type_text<typename X::value_type>() + ">";
  } else {
    return "STRUCT<" + fields_text<X>(false) + ">";
  }
}

}  // namespace tidemark::api_detail
