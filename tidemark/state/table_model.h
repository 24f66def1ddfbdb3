// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/state/keyed_state.h"

// What the tests of the backends share: two kinds of values, keys made from numbers, and the
// obvious model of a table.

namespace tidemark {

/// 16 plain bytes: a number twice, so that a torn value shows.
class PlainValues final : public ValueOperations {
 public:
  std::size_t width() const override { return 16; }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte*, ByteWriter&) const override {}
  void decode(ByteReader&, std::byte*) const override {}
};

/// A pointer to a string, null for the empty one. Counts what is alive.
class OwningValues final : public ValueOperations {
 public:
  std::size_t width() const override { return sizeof(std::string*); }
  bool is_plain() const override { return false; }
  void destroy(std::byte* value) const noexcept override {
    if (pointer(value) != nullptr) --alive;
    delete pointer(value);
  }
  void encode(const std::byte* value, ByteWriter& out) const override {
    out.put_string(pointer(value) != nullptr ? *pointer(value) : std::string());
  }
  void decode(ByteReader& in, std::byte* value) const override {
    set(value, std::stoll(std::string(in.get_string())));
  }
  static void set(std::byte* value, std::int64_t number) {
    std::string* text = pointer(value);
    if (text == nullptr) {
      text = new std::string;
      ++alive;
      std::memcpy(value, &text, sizeof(text));
    }
    *text = std::to_string(number);
  }
  static std::string* pointer(const std::byte* value) {
    std::string* text;
    std::memcpy(&text, value, sizeof(text));
    return text;
  }

  inline static int alive = 0;
};

struct TableKind {
  KeyEncoding encoding;
  bool plain;
};

inline void write_value(const TableKind& kind, std::byte* value, std::int64_t number) {
  if (!kind.plain) return OwningValues::set(value, number);
  std::memcpy(value, &number, sizeof(number));
  std::memcpy(value + 8, &number, sizeof(number));
}

inline std::int64_t read_value(const TableKind& kind, const std::byte* value) {
  if (!kind.plain) {
    const std::string* text = OwningValues::pointer(value);
    return text == nullptr ? 0 : std::stoll(*text);
  }
  std::int64_t first, second;
  std::memcpy(&first, value, sizeof(first));
  std::memcpy(&second, value + 8, sizeof(second));
  return first == second ? first : -1;
}

/// Key number `number` in an encoding. Variable keys are 0 to 80 bytes long.
inline std::string key_text(KeyEncoding encoding, std::uint64_t number) {
  if (encoding == KeyEncoding::kVariable)
    return number == 0 ? "" : std::to_string(number) + std::string(number * 7 % 77, 'k');
  std::string bytes(8 * key_words(encoding), '\0');
  std::memcpy(bytes.data() + bytes.size() - 8, &number, sizeof(number));
  return bytes;
}

inline std::string key_text(KeyEncoding encoding, const KeyedEntry& entry) {
  if (encoding != KeyEncoding::kFixed8) return std::string(entry.variable_key);
  return {reinterpret_cast<const char*>(&entry.fixed_key), 8};
}

inline KeyBatch key_batch(KeyEncoding encoding, const std::vector<std::uint64_t>& numbers) {
  KeyBatch keys;
  clear_keys(encoding, keys);
  for (const std::uint64_t number : numbers) {
    const std::string text = key_text(encoding, number);
    KeyedEntry entry;
    entry.variable_key = text;
    if (encoding == KeyEncoding::kFixed8) std::memcpy(&entry.fixed_key, text.data(), 8);
    append_key(entry, keys);
  }
  hash_keys(keys);
  return keys;
}

inline std::vector<RowIndex> all_rows(const KeyBatch& keys) {
  std::vector<RowIndex> rows;
  for (RowIndex i = 0; i < keys.size(); ++i) rows.push_back(i);
  return rows;
}

inline TableDescriptor table_descriptor(const TableKind& kind, std::string name = "counts") {
  TableDescriptor descriptor{
      .name = std::move(name), .key_encoding = kind.encoding, .schema = "(BIGINT) -> BIGINT"};
  if (kind.plain) {
    descriptor.values = std::make_shared<const PlainValues>();
  } else {
    descriptor.values = std::make_shared<const OwningValues>();
  }
  return descriptor;
}

/// (namespace, key) -> value.
using TableContents = std::map<std::pair<StateNamespace, std::string>, std::int64_t>;

inline TableContents contents_of(KeyedTable& table, const TableKind& kind) {
  TableContents contents;
  std::vector<TableScan::Entry> entries(7);
  for (const StateNamespace ns : table.namespaces()) {
    const std::unique_ptr<TableScan> scan = table.scan(ns);
    while (const std::size_t count = scan->next(entries))
      for (std::size_t i = 0; i < count; ++i)
        contents.emplace(std::pair(ns, key_text(kind.encoding, entries[i])),
                         read_value(kind, entries[i].value));
  }
  return contents;
}

inline constexpr TableKind kTableKinds[] = {
    {KeyEncoding::kFixed8, true},   {KeyEncoding::kFixed8, false},
    {KeyEncoding::kFixed16, true},  {KeyEncoding::kFixed16, false},
    {KeyEncoding::kVariable, true}, {KeyEncoding::kVariable, false}};

inline std::string kind_name(const TableKind& kind) {
  return std::string(to_string(kind.encoding)) + (kind.plain ? "_plain" : "_owning");
}

}  // namespace tidemark
