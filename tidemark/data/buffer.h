// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace tidemark {

/// A growable piece of memory, 64-byte aligned and followed by at least 64 readable bytes, so that
/// kernels may load whole vectors past the end (Arrow's padding rule). Contents beyond size() are
/// unspecified. Memory of up to 1 MiB comes from and returns to a free list of the thread.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) { resize(bytes); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }

  template <typename T>
  T* as() noexcept {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const noexcept {
    return reinterpret_cast<const T*>(data_);
  }

  /// Grows or shrinks, keeping min(old, new) bytes. New bytes are unspecified.
  void resize(std::size_t bytes) {
    if (bytes > capacity_) grow(bytes);
    size_ = bytes;
  }
  void append(const void* bytes, std::size_t count);

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void grow(std::size_t bytes);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A bitmap in Arrow's order: bit i is bit i % 8 of byte i / 8, 1 means valid.
inline bool bit_is_set(const std::uint8_t* bits, std::size_t i) noexcept {
  return (bits[i >> 3] >> (i & 7)) & 1;
}
inline void set_bit(std::uint8_t* bits, std::size_t i) noexcept {
  bits[i >> 3] = static_cast<std::uint8_t>(bits[i >> 3] | (1u << (i & 7)));
}
inline void clear_bit(std::uint8_t* bits, std::size_t i) noexcept {
  bits[i >> 3] = static_cast<std::uint8_t>(bits[i >> 3] & ~(1u << (i & 7)));
}
inline std::size_t bitmap_bytes(std::size_t bits) noexcept {
  return (bits + 7) / 8;
}
/// Number of bits that are 1 among the first `count`.
std::size_t count_set_bits(const std::uint8_t* bits, std::size_t count) noexcept;

}  // namespace tidemark
