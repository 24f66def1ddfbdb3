// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/slice_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tidemark {
namespace {

// Beyond so many slices counting their rows costs less than a pass for each.
constexpr EventTime kPassesMax = 3;
// And beyond so many, sorting costs less than looking at a count for each.
constexpr EventTime kCountsMax = 4096;

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
  const EventTime steps = saturating_sub(last_end, first_end) / slices_.width();
  if (first_end == last_end) {
    select_all(times.size(), first_end);
  } else if (steps < kPassesMax && last_end != kMaxTime) {
    select_by_pass(times, first_end, last_end);
  } else if (steps < kCountsMax && last_end != kMaxTime && smallest > kMinTime / 2) {
    select_by_count(times, first_end, static_cast<std::size_t>(steps) + 1);
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

// The slice of each row by a multiplication, which is off by one at most and then put right.
void SliceRowsBuilder::select_by_count(std::span<const EventTime> times, EventTime first_end,
                                       std::size_t slices) {
  const Millis width = slices_.width();
  const EventTime start = slices_.slice_start(first_end);
  const double slices_a_milli = 1.0 / static_cast<double>(width);
  places_.resize(times.size());
  ends_.assign(slices, 0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Millis from_start = times[i] - start;
    auto slice = static_cast<std::int64_t>(static_cast<double>(from_start) * slices_a_milli);
    slice -= static_cast<std::int64_t>(slice * width > from_start);
    slice += static_cast<std::int64_t>((slice + 1) * width <= from_start);
    places_[i] = static_cast<std::uint32_t>(slice);
    ++ends_[static_cast<std::size_t>(slice)];
  }
  rows_.resize(times.size());
  std::uint32_t begin = 0;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const std::uint32_t count = ends_[slice];
    if (count > 0)
      result_.push_back(
          {first_end + static_cast<Millis>(slice) * width, {rows_.data() + begin, count}});
    ends_[slice] = begin;
    begin += count;
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    rows_[ends_[places_[i]]++] = static_cast<RowIndex>(i);
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
