// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/slice_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tidemark {
namespace {

// Beyond so many slices one sort costs less than a pass for each.
constexpr EventTime kPassesMax = 4;

std::pair<EventTime, EventTime> bounds_of(std::span<const EventTime> times) {
  EventTime smallest = kMaxTime;
  EventTime largest = kMinTime;
  for (const EventTime time : times) {
    smallest = std::min(smallest, time);
    largest = std::max(largest, time);
  }
  return {smallest, largest};
}

}  // namespace

std::span<const SliceRows> SliceRowsBuilder::build(std::span<const EventTime> times) {
  result_.clear();
  if (times.empty()) return result_;
  const auto [smallest, largest] = bounds_of(times);
  smallest_ = smallest;
  const EventTime first_end = slices_.slice_end(smallest);
  const EventTime last_end = slices_.slice_end(largest);
  if (first_end == last_end) {
    select_all(times.size(), first_end);
  } else if (saturating_sub(last_end, first_end) / slices_.width() < kPassesMax &&
             last_end != kMaxTime) {
    select_by_pass(times, first_end, last_end);
  } else {
    select_by_sort(times);
  }
  return result_;
}

void SliceRowsBuilder::select_all(std::size_t rows, EventTime slice_end) {
  if (all_rows_.size() < rows) {
    all_rows_.resize(rows);
    std::iota(all_rows_.begin(), all_rows_.end(), RowIndex{0});
  }
  result_.push_back({slice_end, {all_rows_.data(), rows}});
}

void SliceRowsBuilder::select_by_pass(std::span<const EventTime> times, EventTime first_end,
                                      EventTime last_end) {
  // Every pass may write one row past those it keeps.
  rows_.resize(times.size() + 1);
  RowIndex* out = rows_.data();
  for (EventTime end = first_end; end <= last_end; end = saturating_add(end, slices_.width())) {
    const EventTime start = slices_.slice_start(end);
    RowIndex* first = out;
    for (std::size_t i = 0; i < times.size(); ++i) {
      *out = static_cast<RowIndex>(i);
      out += static_cast<std::size_t>(times[i] >= start) & static_cast<std::size_t>(times[i] < end);
    }
    if (out != first) result_.push_back({end, {first, static_cast<std::size_t>(out - first)}});
  }
}

void SliceRowsBuilder::select_by_sort(std::span<const EventTime> times) {
  sorted_.resize(times.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    sorted_[i] = {slices_.slice_end(times[i]), static_cast<RowIndex>(i)};
  std::sort(sorted_.begin(), sorted_.end());
  rows_.resize(times.size());
  for (std::size_t i = 0; i < sorted_.size();) {
    const std::size_t first = i;
    for (; i < sorted_.size() && sorted_[i].first == sorted_[first].first; ++i)
      rows_[i] = sorted_[i].second;
    result_.push_back({sorted_[first].first, {rows_.data() + first, i - first}});
  }
}

}  // namespace tidemark
