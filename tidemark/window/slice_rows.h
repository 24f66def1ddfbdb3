// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/data/column.h"
#include "tidemark/window/slices.h"

namespace tidemark {

/// The rows of a batch that fall into one slice, ascending.
struct SliceRows {
  EventTime slice_end;
  Selection rows;
};

/// Sorts the rows of a batch by slice, without a division a row: most batches lie in one slice or
/// two, and cost as many passes over their times; those in more are counted by slice. One thread;
/// reused from batch to batch.
class SliceRowsBuilder {
 public:
  explicit SliceRowsBuilder(const Slices& slices) : slices_(slices) {}

  /// Slices ascending; valid until the next call.
  std::span<const SliceRows> build(std::span<const EventTime> times);
  /// Of the times given to the last build().
  EventTime smallest_time() const noexcept { return smallest_; }

 private:
  void select_all(std::size_t rows, EventTime slice_end);
  void select_by_pass(std::span<const EventTime> times, EventTime first_end, EventTime last_end);
  void select_by_count(std::span<const EventTime> times, EventTime first_end, std::size_t slices);
  void select_by_sort(std::span<const EventTime> times);

  Slices slices_;
  EventTime smallest_ = kMaxTime;
  std::vector<RowIndex> all_rows_;
  std::vector<RowIndex> rows_;
  std::vector<std::uint32_t> places_;  // slices of rows, counted from the first
  std::vector<std::uint32_t> ends_;    // by slice
  std::vector<std::pair<EventTime, RowIndex>> sorted_;
  std::vector<SliceRows> result_;
};

}  // namespace tidemark
