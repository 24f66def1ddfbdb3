// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/order_key.h"
#include "tidemark/api/state_handle.h"
#include "tidemark/state/ordered_table.h"

namespace tidemark {

/// A map a key, in the order of its map keys (api/order_key.h). Writing one entry does not rewrite
/// the others, and a range is read without the rest of the map. Under a time to live each entry has
/// its own.
template <typename K, typename V>
class MapState final : public KeyedStateHandle {
  static_assert(
      api_detail::is_encodable<V>() && !api_detail::holds_view<V>(),
      "a value of a MapState is a number, string, vector, optional or described struct of "
      "these that owns its strings");

 public:
  explicit MapState(std::string name, TimeToLive ttl = {})
      : KeyedStateHandle(std::move(name), ttl) {}
  MapState(const MapState& other) : KeyedStateHandle(other) {}

  std::optional<V> get(const K& key) const {
    const auto value = table().get(*row_, encoded(key, from_));
    if (!value) return std::nullopt;
    return decoded(*value);
  }
  bool contains(const K& key) const { return table().get(*row_, encoded(key, from_)).has_value(); }
  void put(const K& key, const V& value) {
    value_.clear();
    api_detail::encode_value(value, value_);
    table().put(*row_, encoded(key, from_), value_.view());
  }
  void erase(const K& key) { table().erase(*row_, encoded(key, from_)); }
  void clear() { table().clear(*row_); }
  bool empty() const {
    bool empty = true;
    table().scan(*row_, "", std::nullopt,
                 [&](std::string_view, std::string_view) { return empty = false; });
    return empty;
  }

  /// Calls f(const K&, const V&) for each entry, in order; where f returns bool, until it returns
  /// false. f must not change this state.
  template <typename F>
  void for_each(F f) const {
    table().scan(*row_, "", std::nullopt, visitor(f));
  }
  /// The same for map keys in [from, to).
  template <typename F>
  void for_each(const K& from, const K& to, F f) const {
    table().scan(*row_, encoded(from, from_), encoded(to, to_), visitor(f));
  }
  /// Copies of the entries with map keys in [from, to), in order.
  std::vector<std::pair<K, V>> range(const K& from, const K& to) const {
    std::vector<std::pair<K, V>> entries;
    for_each(from, to, [&](const K& key, const V& value) { entries.emplace_back(key, value); });
    return entries;
  }
  std::vector<std::pair<K, V>> entries() const {
    std::vector<std::pair<K, V>> entries;
    for_each([&](const K& key, const V& value) { entries.emplace_back(key, value); });
    return entries;
  }
  /// Removes map keys in [from, to).
  void erase_range(const K& from, const K& to) {
    table().erase_range(*row_, encoded(from, from_), encoded(to, to_));
  }

  std::vector<TableDescriptor> describe(
      const api_detail::StateEnvironment& environment) const override {
    return ordered_table_descriptors(describe_map(environment));
  }
  void open(const api_detail::StateEnvironment& environment) override {
    row_ = environment.row;
    table_ = open_ordered_table(*environment.backend, describe_map(environment));
  }
  void attach(const KeyBatch& keys) override { table_->attach(keys); }
  void detach() override { table_->detach(); }

 private:
  OrderedTable& table() const {
    if (table_ == nullptr) [[unlikely]]
      fail_unlisted();
    return *table_;
  }
  OrderedTableDescriptor describe_map(const api_detail::StateEnvironment& environment) const {
    return {.name = name(),
            .key_encoding = environment.key_encoding,
            .key_schema = environment.key_schema,
            .entry_schema =
                "MAP<" + api_detail::type_text<K>() + ", " + api_detail::type_text<V>() + ">",
            .ttl = time_to_live()};
  }
  static const std::string& encoded(const K& key, std::string& out) {
    api_detail::encode_order_key(key, out);
    return out;
  }
  static V decoded(std::string_view bytes) {
    ByteReader in(bytes);
    return api_detail::decode_value<V>(in);
  }
  template <typename F>
  static OrderedTable::Visitor visitor(F& f) {
    return [&f](std::string_view key, std::string_view value) {
      if constexpr (std::same_as<std::invoke_result_t<F&, const K&, const V&>, bool>) {
        return f(api_detail::decode_order_key<K>(key), decoded(value));
      } else {
        f(api_detail::decode_order_key<K>(key), decoded(value));
        return true;
      }
    };
  }

  std::unique_ptr<OrderedTable> table_;
  const std::size_t* row_ = nullptr;
  mutable std::string from_;
  mutable std::string to_;
  ByteWriter value_;
};

}  // namespace tidemark
