// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark {

/// Entries of one key of an ordered table, in order. The first page of a key either holds all of
/// its entries or says in which pages they lie.
class OrderedPage {
 public:
  /// A page of the same key, with the entries from `first` on up to the next child's.
  struct Child {
    std::string first;
    std::int64_t page = 0;
  };

  std::size_t size() const noexcept { return at_.size(); }
  std::size_t bytes() const noexcept { return bytes_.size() - garbage_; }
  std::vector<Child>& children() noexcept { return children_; }
  const std::vector<Child>& children() const noexcept { return children_; }

  std::string_view key(std::size_t i) const noexcept {
    return {bytes_.data() + at_[i] + kHeader, field(i, kKeyLength)};
  }
  std::string_view value(std::size_t i) const noexcept {
    return {bytes_.data() + at_[i] + kHeader + field(i, kKeyLength), field(i, kValueLength)};
  }
  std::int64_t stamp(std::size_t i) const noexcept {
    std::int64_t stamp = 0;
    std::memcpy(&stamp, bytes_.data() + at_[i], sizeof(stamp));
    return stamp;
  }
  void set_stamp(std::size_t i, std::int64_t stamp) noexcept {
    std::memcpy(bytes_.data() + at_[i], &stamp, sizeof(stamp));
  }

  /// The first entry whose key is not less.
  std::size_t lower_bound(std::string_view key) const noexcept;
  bool holds(std::size_t i, std::string_view key_wanted) const noexcept {
    return i < size() && key(i) == key_wanted;
  }
  void put(std::string_view key, std::string_view value, std::int64_t stamp);
  void erase(std::size_t begin, std::size_t end);
  /// Removes what has expired; what has no stamp yet begins its life.
  void prune(Millis ttl, std::int64_t now);
  /// Moves the upper half of the entries to an empty page.
  void split_to(OrderedPage& upper);

  // u32 number of entries; each i64 stamp, string key, string value. u32 number of children; each
  // string first key, i64 page.
  void encode(ByteWriter& out) const;
  static OrderedPage decode(ByteReader& in);

 private:
  static constexpr std::size_t kKeyLength = 8;
  static constexpr std::size_t kValueLength = 12;
  static constexpr std::size_t kHeader = 16;

  std::uint32_t field(std::size_t i, std::size_t offset) const noexcept {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + at_[i] + offset, sizeof(length));
    return length;
  }
  std::size_t entry_bytes(std::size_t i) const noexcept {
    return kHeader + field(i, kKeyLength) + field(i, kValueLength);
  }
  std::uint32_t append(std::string_view key, std::string_view value, std::int64_t stamp);
  void compact();

  std::string bytes_;              // entries in the order in which they were written
  std::vector<std::uint32_t> at_;  // where each is, in the order of keys
  std::size_t garbage_ = 0;        // bytes of entries that are no more
  std::vector<Child> children_;
};

}  // namespace tidemark
