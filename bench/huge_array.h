// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace tidemark::bench {

/// Zeroed memory in huge pages where the system has them: what a careful hand-written loop would
/// use.
template <typename T>
class HugeArray {
 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t count) : count_(count) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    data_ = static_cast<T*>(std::aligned_alloc(kHugePage, bytes));
    if (!data_) throw std::bad_alloc();
    madvise(data_, bytes, MADV_HUGEPAGE);
    clear();
  }
  HugeArray(HugeArray&& other) noexcept { swap(other); }
  HugeArray& operator=(HugeArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~HugeArray() { std::free(data_); }

  T& operator[](std::size_t i) noexcept { return data_[i]; }
  T* data() noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  std::span<T> all() noexcept { return {data_, count_}; }
  void clear() noexcept { std::memset(static_cast<void*>(data_), 0, count_ * sizeof(T)); }

 private:
  void swap(HugeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tidemark::bench
