// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tidemark/base/error.h"

// Encoding of snapshots and positions: little-endian fixed width, and strings as a 32-bit length
// followed by their bytes.

namespace tidemark {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

/// Appends values to a byte string that it owns.
class ByteWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T)); }
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  void put_raw(std::string_view raw) { bytes_.append(raw); }

  std::size_t size() const noexcept { return bytes_.size(); }
  std::string_view view() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }
  std::string take() noexcept { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote. Reading past the end throws a Failure (kCheckpointDamaged): the
/// bytes come from storage and may be damaged. Does not own the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view get_string() { return take(get<std::uint32_t>()); }
  std::string_view get_raw(std::size_t count) { return take(count); }

  bool at_end() const noexcept { return bytes_.empty(); }
  std::size_t remaining() const noexcept { return bytes_.size(); }

 private:
  std::string_view take(std::size_t count) {
    if (count > bytes_.size())
      throw Failure(ErrorCode::kCheckpointDamaged, "stored bytes end in the middle of a value",
                    /*retryable=*/false);
    std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

inline std::span<const std::byte> as_byte_span(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace tidemark
