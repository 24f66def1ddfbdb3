// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_refiring.h"

#include <algorithm>
#include <set>

#include "tidemark/base/check.h"

namespace tidemark {

WindowRefiring::WindowRefiring(SliceTable& slices, WindowChangelog* changelog)
    : slices_(slices),
      changelog_(changelog),
      merged_(scratch_.open(slices.descriptor, "merged", slices.aggregator->values())),
      distinct_(slices.descriptor) {}

void WindowRefiring::begin(const KeyBatch& keys, std::span<const SliceRows> touched,
                           EventTime after, EventTime until) {
  TIDEMARK_CHECK(!active_, "one refiring at a time");
  keys_ = &keys;
  touched_ = touched;
  find_windows(after, until);
  active_ = true;
  next_row_ = 0;
}

void WindowRefiring::remember(const KeyBatch& keys, std::span<const SliceRows> touched,
                              EventTime after, EventTime until) {
  TIDEMARK_CHECK(!active_, "one refiring at a time");
  keys_ = &keys;
  touched_ = touched;
  for (find_windows(after, until); !windows_.empty(); windows_.pop_front()) {
    open_window();
    for (std::size_t at = 0; at < rows_.size(); at += kDefaultBatchRows)
      remember_keys(Selection(rows_).subspan(at, std::min(kDefaultBatchRows, rows_.size() - at)));
  }
}

void WindowRefiring::find_windows(EventTime after, EventTime until) {
  const Slices& slices = slices_.slices;
  std::set<EventTime> windows;
  for (const SliceRows& part : touched_) {
    const EventTime last = std::min(*slices.last_window_end(part.slice_end), until);
    EventTime end = slices.window_end_after(part.slice_end, after);
    for (; end <= last; end = slices.window_end_after(part.slice_end, end)) {
      windows.insert(end);
      if (end == kMaxTime) break;
    }
  }
  windows_.assign(windows.begin(), windows.end());
}

/// The touched keys of the first window.
void WindowRefiring::open_window() {
  const EventTime end = windows_.front();
  const EventTime start = slices_.slices.window_start(end);
  rows_.clear();
  for (const SliceRows& part : touched_)
    if (part.slice_end > start && part.slice_end <= end)
      rows_.insert(rows_.end(), part.rows.begin(), part.rows.end());
  std::sort(rows_.begin(), rows_.end());
  const Selection distinct = distinct_.of(*keys_, rows_);
  rows_.assign(distinct.begin(), distinct.end());
  next_row_ = 0;
}

Step WindowRefiring::advance(Output& out) {
  while (!windows_.empty()) {
    if (next_row_ == 0) open_window();
    const EventTime end = windows_.front();
    while (next_row_ < rows_.size()) {
      const std::size_t count = std::min(kDefaultBatchRows, rows_.size() - next_row_);
      BatchPtr batch =
          fire({slices_.slices.window_start(end), end}, Selection(rows_).subspan(next_row_, count));
      next_row_ += count;
      if (batch == nullptr) continue;
      out.emit(std::move(batch));
      if (!out.ready()) return Step::kMore;
    }
    next_row_ = 0;
    windows_.pop_front();
  }
  active_ = false;
  return Step::kDone;
}

BatchPtr WindowRefiring::fire(TimeWindow window, Selection rows) {
  merge_keys(rows);
  BatchPtr batch;
  if (changelog_ != nullptr) {
    batch = changelog_->say(window, *keys_, rows, {values_.data(), values_.size()});
  } else {
    entries_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i)
      entries_.push_back(entry_of(*keys_, rows[i], values_[i]));
    batch = slices_.aggregator->fire(window, entries_);
  }
  merged_.drop(0);
  return batch;
}

void WindowRefiring::remember_keys(Selection rows) {
  merge_keys(rows);
  present_rows_.clear();
  present_values_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!present_[i]) continue;
    present_rows_.push_back(rows[i]);
    present_values_.push_back(values_[i]);
  }
  changelog_->remember(windows_.front(), *keys_, present_rows_, present_values_);
  merged_.drop(0);
}

/// What `rows` have in the first window, in values_.
void WindowRefiring::merge_keys(Selection rows) {
  values_.resize(rows.size());
  found_.resize(rows.size());
  present_.assign(rows.size(), false);
  merged_.find_or_insert(0, *keys_, rows, values_);
  const EventTime end = windows_.front();
  const auto last = slices_.pending.upper_bound(end);
  for (auto slice = slices_.pending.upper_bound(slices_.slices.window_start(end)); slice != last;
       ++slice) {
    slices_.table->find(*slice, *keys_, rows, found_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found_[i] == nullptr) continue;
      slices_.aggregator->merge(values_[i], found_[i]);
      present_[i] = true;
    }
  }
}

}  // namespace tidemark
