// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace tidemark {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPadding = 64;
constexpr std::size_t kSmallestClass = 8;  // 256 bytes
constexpr std::size_t kLargestClass = 20;  // 1 MiB
constexpr std::size_t kKeptPerClass = 32;

std::byte* allocate(std::size_t bytes) {
  void* memory = std::aligned_alloc(kAlignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

// Free blocks of one thread by power of two. A first touch of a page costs microseconds, so the
// buffers of a batch are used again rather than given back.
class FreeList {
 public:
  ~FreeList() {
    for (auto& blocks : classes_)
      for (std::byte* block : blocks) std::free(block);
  }
  std::byte* take(std::size_t size_class) {
    auto& blocks = classes_[size_class];
    if (blocks.empty()) return allocate(std::size_t{1} << size_class);
    std::byte* block = blocks.back();
    blocks.pop_back();
    return block;
  }
  void give(std::byte* block, std::size_t size_class) {
    auto& blocks = classes_[size_class];
    if (blocks.size() < kKeptPerClass) {
      blocks.push_back(block);
    } else {
      std::free(block);
    }
  }

 private:
  std::array<std::vector<std::byte*>, kLargestClass + 1> classes_;
};

FreeList& free_list() {
  thread_local FreeList list;
  return list;
}

std::size_t size_class_of(std::size_t bytes) {
  return std::max<std::size_t>(kSmallestClass, std::bit_width(bytes - 1));
}

void release(std::byte* block, std::size_t capacity) {
  if (block == nullptr) return;
  const std::size_t size_class = size_class_of(capacity + kPadding);
  if (size_class <= kLargestClass) {
    free_list().give(block, size_class);
  } else {
    std::free(block);
  }
}

}  // namespace

Buffer::~Buffer() {
  release(data_, capacity_);
}

void Buffer::grow(std::size_t bytes) {
  const std::size_t wanted = std::max(bytes, capacity_ * 2) + kPadding;
  const std::size_t size_class = size_class_of(wanted);
  const std::size_t block_bytes = std::size_t{1} << size_class;
  std::byte* block =
      size_class <= kLargestClass ? free_list().take(size_class) : allocate(block_bytes);
  if (size_ > 0) std::memcpy(block, data_, size_);
  release(data_, capacity_);
  data_ = block;
  capacity_ = block_bytes - kPadding;
}

void Buffer::append(const void* bytes, std::size_t count) {
  const std::size_t old_size = size_;
  resize(old_size + count);
  if (count > 0) std::memcpy(data_ + old_size, bytes, count);
}

std::size_t count_set_bits(const std::uint8_t* bits, std::size_t count) noexcept {
  std::size_t set = 0;
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits + i / 8, sizeof(word));
    set += static_cast<std::size_t>(std::popcount(word));
  }
  for (; i < count; ++i) set += bit_is_set(bits, i) ? 1 : 0;
  return set;
}

}  // namespace tidemark
