// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/accumulator_row.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemark {

AccumulatorRow::AccumulatorRow(std::vector<AggregateFunctionPtr> functions)
    : functions_(std::move(functions)) {
  for (const AggregateFunctionPtr& function : functions_) {
    offsets_.push_back(width_);
    width_ += (function->width() + 7) / 8 * 8;
    plain_ = plain_ && function->is_plain();
  }
}

void AccumulatorRow::destroy(std::byte* value) const noexcept {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (!functions_[i]->is_plain()) functions_[i]->destroy(value + offsets_[i]);
}

void AccumulatorRow::encode(const std::byte* value, ByteWriter& out) const {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const std::byte* accumulator = value + offsets_[i];
    if (functions_[i]->is_plain()) {
      out.put_raw({reinterpret_cast<const char*>(accumulator), functions_[i]->width()});
    } else {
      functions_[i]->encode(accumulator, out);
    }
  }
}

void AccumulatorRow::decode(ByteReader& in, std::byte* value) const {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    std::byte* accumulator = value + offsets_[i];
    if (functions_[i]->is_plain()) {
      const std::string_view bytes = in.get_raw(functions_[i]->width());
      std::memcpy(accumulator, bytes.data(), bytes.size());
    } else {
      functions_[i]->decode(in, accumulator);
    }
  }
}

std::shared_ptr<const TotalRow> TotalRow::of(const AccumulatorRow& row) {
  if (row.functions().empty()) return nullptr;
  auto totals = std::make_shared<TotalRow>();
  for (const AggregateFunctionPtr& function : row.functions()) {
    if (function->sliding() == nullptr) return nullptr;
    totals->offsets_.push_back(totals->width_);
    totals->width_ += (function->sliding()->width() + 7) / 8 * 8;
  }
  return totals;
}

void TotalRow::encode(const std::byte* value, ByteWriter& out) const {
  out.put_raw({reinterpret_cast<const char*>(value), width_});
}

void TotalRow::decode(ByteReader& in, std::byte* value) const {
  std::memcpy(value, in.get_raw(width_).data(), width_);
}

AccumulatorBackup::AccumulatorBackup(const AccumulatorRow& row, std::span<std::byte* const> entries)
    : row_(row), entries_(entries.begin(), entries.end()) {
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  for (const std::byte* entry : entries_) row_.encode(entry, copies_);
}

void AccumulatorBackup::bring_back() const {
  ByteReader in(copies_.view());
  for (std::byte* entry : entries_) {
    row_.destroy(entry);
    std::memset(entry, 0, row_.width());
    row_.decode(in, entry);
  }
}

}  // namespace tidemark
