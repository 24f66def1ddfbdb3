// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tidemark/data/record.h"
#include "tidemark/operator/operator.h"

namespace tidemark {

namespace api_detail {

/// The event times and row kinds of rows that are made one by one from those of an input batch.
class RowNotes {
 public:
  /// Rows added from now on come from `batch`. All batches between two finish() calls have event
  /// times, or none has.
  void attach(const Batch& batch) noexcept {
    source_times_ = batch.event_times();
    source_kinds_ = batch.row_kinds();
  }
  /// Rows added from now on come from what has these times and no row kinds.
  void attach(const EventTime* times) noexcept {
    source_times_ = times;
    source_kinds_ = nullptr;
  }
  void add(std::size_t source_row) {
    if (source_times_ != nullptr) times_.push_back(source_times_[source_row]);
    if (source_kinds_ != nullptr) kinds_.push_back(source_kinds_[source_row]);
  }
  /// The columns, null where the input has none.
  std::pair<ColumnPtr, ColumnPtr> finish();

 private:
  const EventTime* source_times_ = nullptr;
  const std::int8_t* source_kinds_ = nullptr;
  std::vector<EventTime> times_;
  std::vector<std::int8_t> kinds_;
};

}  // namespace api_detail

/// Receives the rows that a function makes from one row. They take that row's event time. Valid
/// during the call only.
template <typename U>
class Collector {
 public:
  void operator()(const U& row) { emit(row); }
  void emit(const U& row) {
    writer_.append(row);
    notes_.add(source_row_);
  }

  // What follows is for the operator that owns the collector.
  void attach(const Batch& batch) noexcept { notes_.attach(batch); }
  void attach(const EventTime* times) noexcept { notes_.attach(times); }
  void at_row(std::size_t source_row) noexcept { source_row_ = source_row; }
  std::size_t rows() const noexcept { return writer_.rows(); }
  BatchPtr finish() {
    auto [times, kinds] = notes_.finish();
    return writer_.finish(std::move(times), std::move(kinds));
  }

 private:
  RecordWriter<U> writer_;
  api_detail::RowNotes notes_;
  std::size_t source_row_ = 0;
};

}  // namespace tidemark
