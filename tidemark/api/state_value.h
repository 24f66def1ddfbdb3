// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/data/record.h"
#include "tidemark/state/keyed_state.h"

// How an accumulator lives in keyed state, and travels in a snapshot.

namespace tidemark::api_detail {

template <typename X>
concept OwnCodec = requires(const X& value, ByteWriter& out, ByteReader& in) {
  value.encode(out);
  { X::decode(in) } -> std::same_as<X>;
};

template <typename X>
struct IsVector : std::false_type {};
template <typename X>
struct IsVector<std::vector<X>> : std::true_type {};

template <typename X>
struct IsOptional : std::false_type {};
template <typename X>
struct IsOptional<std::optional<X>> : std::true_type {};

template <typename X>
concept Structured = record_detail::Described<X> || record_detail::IsTuple<X>::value;

template <typename List>
struct AllOf;

// Whether X holds a std::string_view somewhere the compiler can see: state must own its bytes.
template <typename X>
consteval bool holds_view() {
  if constexpr (std::is_same_v<X, std::string_view>) {
    return true;
  } else if constexpr (IsVector<X>::value || IsOptional<X>::value) {
    return holds_view<typename X::value_type>();
  } else if constexpr (Structured<X> && !OwnCodec<X>) {
    return AllOf<typename record_detail::MembersOf<X>::List>::any_view();
  } else {
    return false;
  }
}

// Whether X can be written into a snapshot.
template <typename X>
consteval bool is_encodable() {
  if constexpr (OwnCodec<X> || std::is_trivially_copyable_v<X> || std::is_same_v<X, std::string>) {
    return true;
  } else if constexpr (IsVector<X>::value || IsOptional<X>::value) {
    return is_encodable<typename X::value_type>();
  } else if constexpr (Structured<X>) {
    return AllOf<typename record_detail::MembersOf<X>::List>::encodable();
  } else {
    return false;
  }
}

template <typename... Ts>
struct AllOf<boost::mp11::mp_list<Ts...>> {
  static consteval bool any_view() { return (holds_view<Ts>() || ...); }
  static consteval bool encodable() { return (is_encodable<Ts>() && ...); }
};

template <typename X>
void encode_value(const X& value, ByteWriter& out) {
  if constexpr (OwnCodec<X>) {
    value.encode(out);
  } else if constexpr (std::is_trivially_copyable_v<X>) {
    out.put(value);
  } else if constexpr (std::is_same_v<X, std::string>) {
    out.put_string(value);
  } else if constexpr (IsVector<X>::value) {
    out.put(static_cast<std::uint32_t>(value.size()));
    for (const auto& item : value) encode_value(item, out);
  } else if constexpr (IsOptional<X>::value) {
    out.put(static_cast<std::uint8_t>(value.has_value()));
    if (value) encode_value(*value, out);
  } else {
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      (encode_value(record_detail::member<kIndex>(value), out), ...);
    }
    (std::make_index_sequence<
        boost::mp11::mp_size<typename record_detail::MembersOf<X>::List>::value>{});
  }
}

template <typename X>
X decode_value(ByteReader& in) {
  if constexpr (OwnCodec<X>) {
    return X::decode(in);
  } else if constexpr (std::is_trivially_copyable_v<X>) {
    return in.get<X>();
  } else if constexpr (std::is_same_v<X, std::string>) {
    return std::string(in.get_string());
  } else if constexpr (IsVector<X>::value) {
    X items;
    for (std::uint32_t left = in.get<std::uint32_t>(); left > 0; --left)
      items.push_back(decode_value<typename X::value_type>(in));
    return items;
  } else if constexpr (IsOptional<X>::value) {
    if (in.get<std::uint8_t>() == 0) return std::nullopt;
    return decode_value<typename X::value_type>(in);
  } else {
    X value{};
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      ((record_detail::member<kIndex>(value) =
            decode_value<std::remove_reference_t<decltype(record_detail::member<kIndex>(value))>>(
                in)),
       ...);
    }
    (std::make_index_sequence<
        boost::mp11::mp_size<typename record_detail::MembersOf<X>::List>::value>{});
    return value;
  }
}

constexpr std::size_t round_up_to_8(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

// An accumulator in a state entry. Entries come as zeroed memory, 8-byte aligned, and may be moved
// by memcpy, so there are three ways to live in one.

// Zero bytes are the empty accumulator: it lies in the entry.
template <typename Accumulator>
struct ZeroSlot {
  static constexpr std::size_t kWidth = round_up_to_8(sizeof(Accumulator));
  static constexpr bool kPlain = true;

  template <typename Make>
  static Accumulator& get(std::byte* entry, const Make&) noexcept {
    return *std::launder(reinterpret_cast<Accumulator*>(entry));
  }
  static const Accumulator& peek(const std::byte* entry) noexcept {
    return *std::launder(reinterpret_cast<const Accumulator*>(entry));
  }
  static void destroy(std::byte*) noexcept {}
  static void encode(const std::byte* entry, ByteWriter& out) {
    out.put_raw({reinterpret_cast<const char*>(entry), kWidth});
  }
  static void decode(ByteReader& in, std::byte* entry) {
    std::memcpy(entry, in.get_raw(kWidth).data(), kWidth);
  }
};

// Plain bytes with a starting value: a word says whether it has been made.
template <typename Accumulator>
struct MadeSlot {
  static constexpr std::size_t kWidth = 8 + round_up_to_8(sizeof(Accumulator));
  static constexpr bool kPlain = true;

  template <typename Make>
  static Accumulator& get(std::byte* entry, const Make& make) {
    if (entry[0] == std::byte{0}) {
      ::new (entry + 8) Accumulator(make());
      entry[0] = std::byte{1};
    }
    return *std::launder(reinterpret_cast<Accumulator*>(entry + 8));
  }
  static const Accumulator& peek(const std::byte* entry) noexcept {
    return *std::launder(reinterpret_cast<const Accumulator*>(entry + 8));
  }
  static void destroy(std::byte*) noexcept {}
  static void encode(const std::byte* entry, ByteWriter& out) {
    ZeroSlot<Accumulator>::encode(entry + 8, out);
  }
  static void decode(ByteReader& in, std::byte* entry) {
    ZeroSlot<Accumulator>::decode(in, entry + 8);
    entry[0] = std::byte{1};
  }
};

// Owns memory (strings, vectors): the entry holds a pointer, which memcpy moves as it should.
template <typename Accumulator>
struct OwnedSlot {
  static constexpr std::size_t kWidth = sizeof(Accumulator*);
  static constexpr bool kPlain = false;

  template <typename Make>
  static Accumulator& get(std::byte* entry, const Make& make) {
    Accumulator* value = pointer(entry);
    if (value == nullptr) {
      value = new Accumulator(make());
      std::memcpy(entry, &value, sizeof(value));
    }
    return *value;
  }
  static const Accumulator& peek(const std::byte* entry) noexcept { return *pointer(entry); }
  static void destroy(std::byte* entry) noexcept {
    delete pointer(entry);
    std::memset(entry, 0, sizeof(Accumulator*));
  }
  static void encode(const std::byte* entry, ByteWriter& out) { encode_value(peek(entry), out); }
  static void decode(ByteReader& in, std::byte* entry) {
    auto value = std::make_unique<Accumulator>(decode_value<Accumulator>(in));
    Accumulator* raw = value.release();
    std::memcpy(entry, &raw, sizeof(raw));
  }

 private:
  static Accumulator* pointer(const std::byte* entry) noexcept {
    Accumulator* value = nullptr;
    std::memcpy(&value, entry, sizeof(value));
    return value;
  }
};

template <typename Accumulator, bool kZeroIsEmpty>
using SlotFor = std::conditional_t<
    !std::is_trivially_copyable_v<Accumulator>, OwnedSlot<Accumulator>,
    std::conditional_t<kZeroIsEmpty, ZeroSlot<Accumulator>, MadeSlot<Accumulator>>>;

template <typename Slot>
class SlotOperations final : public ValueOperations {
 public:
  std::size_t width() const override { return Slot::kWidth; }
  bool is_plain() const override { return Slot::kPlain; }
  void destroy(std::byte* value) const noexcept override { Slot::destroy(value); }
  void encode(const std::byte* value, ByteWriter& out) const override { Slot::encode(value, out); }
  void decode(ByteReader& in, std::byte* value) const override { Slot::decode(in, value); }
};

}  // namespace tidemark::api_detail
