// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tidemark/expr/aggregate.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// The accumulators of several aggregate functions side by side in one state entry, each 8-byte
/// aligned. Immutable.
class AccumulatorRow final : public ValueOperations {
 public:
  explicit AccumulatorRow(std::vector<AggregateFunctionPtr> functions);

  const std::vector<AggregateFunctionPtr>& functions() const noexcept { return functions_; }
  std::size_t offset(std::size_t function) const noexcept { return offsets_[function]; }

  std::size_t width() const override { return width_; }
  bool is_plain() const override { return plain_; }
  void destroy(std::byte* value) const noexcept override;
  void encode(const std::byte* value, ByteWriter& out) const override;
  void decode(ByteReader& in, std::byte* value) const override;

 private:
  std::vector<AggregateFunctionPtr> functions_;
  std::vector<std::size_t> offsets_;
  std::size_t width_ = 0;
  bool plain_ = true;
};

/// The totals (SlidingAggregate) of several aggregate functions side by side, as AccumulatorRow
/// holds their accumulators. In memory only. Immutable.
class TotalRow final : public ValueOperations {
 public:
  /// nullptr when one of the functions has no totals, or there are no functions.
  static std::shared_ptr<const TotalRow> of(const AccumulatorRow& row);

  std::size_t offset(std::size_t function) const noexcept { return offsets_[function]; }

  std::size_t width() const override { return width_; }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte* value, ByteWriter& out) const override;
  void decode(ByteReader& in, std::byte* value) const override;

 private:
  std::vector<std::size_t> offsets_;
  std::size_t width_ = 0;
};

/// Copies of entries, from which they can be brought back. Entries may repeat.
class AccumulatorBackup {
 public:
  AccumulatorBackup(const AccumulatorRow& row, std::span<std::byte* const> entries);
  void bring_back() const;

 private:
  const AccumulatorRow& row_;
  std::vector<std::byte*> entries_;
  ByteWriter copies_;
};

}  // namespace tidemark
