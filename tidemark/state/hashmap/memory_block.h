// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

namespace tidemark {

/// Zeroed memory of a table. Large blocks are mapped on 2 MiB boundaries and ask for huge pages: a
/// table is read at random, and most of the cost of a miss is then the page walk. At least 64
/// readable bytes follow.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  explicit MemoryBlock(std::size_t bytes);
  MemoryBlock(MemoryBlock&& other) noexcept { swap(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock();

  std::byte* data() const noexcept { return data_; }
  /// What was taken from the system.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(MemoryBlock& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  void* mapping_ = nullptr;  // null when the block came from the heap
  std::size_t mapped_bytes_ = 0;
};

}  // namespace tidemark
