// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// Values that have no slot: handed out by a look-up for reading, or by a scan. Addresses hold
/// until clear(). Owns the values. As in a slot, there is room for a stamp in front of each.
class GuestValues {
 public:
  explicit GuestValues(std::shared_ptr<const ValueOperations> values)
      : values_(std::move(values)), stride_(kStampBytes + (values_->width() + 7) / 8 * 8) {}
  ~GuestValues() { clear(); }
  GuestValues(const GuestValues&) = delete;
  GuestValues& operator=(const GuestValues&) = delete;

  /// A zero value.
  std::byte* add() {
    if (used_ == blocks_.size() * kValuesABlock)
      blocks_.push_back(std::make_unique<std::uint64_t[]>(kValuesABlock * stride_ / 8));
    std::byte* value = at(used_++);
    std::memset(value - kStampBytes, 0, stride_);
    return value;
  }

  void clear() noexcept {
    if (!values_->is_plain())
      for (std::size_t i = 0; i < used_; ++i) values_->destroy(at(i));
    used_ = 0;
    if (blocks_.size() > kBlocksKept) blocks_.resize(kBlocksKept);
  }

  std::size_t memory_bytes() const noexcept { return blocks_.size() * kValuesABlock * stride_; }

 private:
  static constexpr std::size_t kValuesABlock = 256;
  static constexpr std::size_t kBlocksKept = 16;

  std::byte* at(std::size_t index) const noexcept {
    return reinterpret_cast<std::byte*>(blocks_[index / kValuesABlock].get()) +
           index % kValuesABlock * stride_ + kStampBytes;
  }

  std::shared_ptr<const ValueOperations> values_;
  std::size_t stride_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t used_ = 0;
};

}  // namespace tidemark
