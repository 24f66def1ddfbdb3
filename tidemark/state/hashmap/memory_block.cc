// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/hashmap/memory_block.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tidemark {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlack = 64;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

MemoryBlock::MemoryBlock(std::size_t bytes) {
  if (bytes + kSlack < kHugePage) {
    bytes_ = round_up(bytes + kSlack, kAlignment);
    data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes_));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, bytes_);
    return;
  }
  bytes_ = round_up(bytes + kSlack, kHugePage);
  mapped_bytes_ = bytes_ + kHugePage;  // room to start on a boundary; untouched pages cost nothing
  void* mapping = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = mapping;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  data_ = reinterpret_cast<std::byte*>(round_up(address, kHugePage));
  // Advice: where the system has no huge pages, small ones serve.
  static_cast<void>(::madvise(data_, bytes_, MADV_HUGEPAGE));
}

MemoryBlock::~MemoryBlock() {
  if (mapping_ != nullptr) {
    ::munmap(mapping_, mapped_bytes_);
  } else {
    std::free(data_);
  }
}

}  // namespace tidemark
