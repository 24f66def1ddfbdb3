// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "tidemark/state/hashmap/memory_block.h"

namespace tidemark {

/// Holds the bytes of keys that are too long for their slots. Only grows, and bytes never move. At
/// least 64 readable bytes follow each key.
class KeyArena {
 public:
  const char* add(std::string_view key) {
    if (key.size() > free_) open_block(key.size());
    char* at = next_;
    std::memcpy(at, key.data(), key.size());
    next_ += key.size();
    free_ -= key.size();
    return at;
  }

  std::size_t memory_bytes() const noexcept { return bytes_; }

 private:
  void open_block(std::size_t least) {
    // Blocks double up to 4 MiB, so that a table of a few keys stays small.
    const std::size_t wanted = std::min(kLargestBlock, std::max(kSmallestBlock, bytes_));
    const std::size_t size = std::max(least, wanted);
    blocks_.emplace_back(size);
    bytes_ += blocks_.back().bytes();
    next_ = reinterpret_cast<char*>(blocks_.back().data());
    free_ = size;
  }

  static constexpr std::size_t kSmallestBlock = 1024;
  static constexpr std::size_t kLargestBlock = std::size_t{4} << 20;

  std::vector<MemoryBlock> blocks_;
  char* next_ = nullptr;
  std::size_t free_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tidemark
