// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_firing.h"

#include <algorithm>
#include <numeric>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

constexpr StateNamespace kMergedNamespace = 0;

}  // namespace

WindowFiring::WindowFiring(const Slices& slices, KeyedTable& table,
                           const TableDescriptor& descriptor, WindowAggregator& aggregator)
    : slices_(slices),
      table_(table),
      descriptor_(descriptor),
      aggregator_(aggregator),
      entries_(kDefaultBatchRows) {}

void WindowFiring::restore(EventTime complete, EventTime expired) {
  complete_ = fired_ = complete;
  expired_ = expired;
  for (const StateNamespace slice_end : table_.namespaces()) pending_.insert(slice_end);
}

void WindowFiring::begin(EventTime complete, EventTime expired) {
  TIDEMARK_CHECK(!active_, "one firing at a time");
  fired_ = complete_;
  complete_ = complete;
  expired_ = expired;
  active_ = true;
}

Step WindowFiring::advance(Output& out) {
  for (;;) {
    if (scan_ == nullptr) {
      const std::optional<EventTime> window_end = next_window();
      if (!window_end) break;
      open_window(*window_end);
    }
    while (const std::size_t count = scan_->next(entries_)) {
      emit(window_end_, {entries_.data(), count}, out);
      if (!out.ready()) return Step::kMore;
    }
    scan_.reset();
    if (merged_ != nullptr) merged_->drop(kMergedNamespace);
    fired_ = window_end_;
    drop_expired(std::min(expired_, fired_));
  }
  drop_expired(expired_);
  active_ = false;
  return Step::kDone;
}

// The ends of windows grow with the slices they begin from, so the first slice with a window that
// has not fired names the next one.
std::optional<EventTime> WindowFiring::next_window() const {
  for (const EventTime slice_end : pending_) {
    const EventTime window_end = slices_.window_end_after(slice_end, fired_);
    if (window_end > complete_) return std::nullopt;
    if (window_end <= slices_.last_window_end(slice_end) && window_end > fired_) return window_end;
  }
  return std::nullopt;
}

void WindowFiring::open_window(EventTime end) {
  window_end_ = end;
  const std::vector<EventTime> slices = slices_of(end);
  if (slices.size() == 1) {
    scan_ = table_.scan(slices[0]);
    return;
  }
  for (const EventTime slice_end : slices) merge_slice(slice_end);
  scan_ = merged().scan(kMergedNamespace);
}

void WindowFiring::drop_expired(EventTime bound) {
  while (!pending_.empty() && *slices_.last_window_end(*pending_.begin()) <= bound) {
    table_.drop(*pending_.begin());
    pending_.erase(pending_.begin());
  }
}

std::vector<EventTime> WindowFiring::slices_of(EventTime window_end) const {
  const auto first = pending_.upper_bound(slices_.window_start(window_end));
  const auto last = pending_.upper_bound(window_end);
  return {first, last};
}

void WindowFiring::merge_slice(EventTime slice_end) {
  const std::unique_ptr<TableScan> scan = table_.scan(slice_end);
  while (const std::size_t count = scan->next(entries_)) {
    clear_keys(descriptor_.key_encoding, merged_keys_);
    for (std::size_t i = 0; i < count; ++i) append_key(entries_[i], merged_keys_);
    hash_keys(merged_keys_);
    rows_.resize(count);
    std::iota(rows_.begin(), rows_.end(), RowIndex{0});
    values_.resize(count);
    merged().find_or_insert(kMergedNamespace, merged_keys_, rows_, values_);
    for (std::size_t i = 0; i < count; ++i) aggregator_.merge(values_[i], entries_[i].value);
  }
}

void WindowFiring::emit(EventTime window_end, std::span<const TableScan::Entry> entries,
                        Output& out) {
  BatchPtr batch = aggregator_.fire({slices_.window_start(window_end), window_end}, entries);
  if (batch != nullptr && batch->rows() > 0) out.emit(std::move(batch));
}

KeyedTable& WindowFiring::merged() {
  if (merged_ == nullptr) {
    merged_backend_ = make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
    merged_ = &merged_backend_->open_table(descriptor_);
  }
  return *merged_;
}

void WindowFiring::fire_again(const KeyBatch& keys, std::span<const SliceRows> touched,
                              Output& out) {
  std::set<EventTime> windows;
  for (const SliceRows& part : touched) {
    const EventTime last = std::min(*slices_.last_window_end(part.slice_end), complete_);
    EventTime end = slices_.window_end_after(part.slice_end, expired_);
    for (; end <= last; end = slices_.window_end_after(part.slice_end, end)) windows.insert(end);
  }
  std::vector<RowIndex> rows;
  for (const EventTime end : windows) {
    rows.clear();
    for (const SliceRows& part : touched)
      if (part.slice_end > slices_.window_start(end) && part.slice_end <= end)
        rows.insert(rows.end(), part.rows.begin(), part.rows.end());
    std::sort(rows.begin(), rows.end());
    fire_keys(end, keys, rows, out);
  }
}

void WindowFiring::fire_keys(EventTime window_end, const KeyBatch& keys,
                             const std::vector<RowIndex>& rows, Output& out) {
  const std::vector<EventTime> slices = slices_of(window_end);
  // One row stands for each key: the first of those that share a merged value.
  std::vector<std::byte*> values(rows.size());
  merged().find_or_insert(kMergedNamespace, keys, rows, values);
  std::vector<RowIndex> distinct;
  std::set<const std::byte*> seen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (seen.insert(values[i]).second) distinct.push_back(rows[i]);
  merge_keys(slices, keys, distinct);
  scan_ = merged().scan(kMergedNamespace);
  while (const std::size_t count = scan_->next(entries_))
    emit(window_end, {entries_.data(), count}, out);
  scan_.reset();
  merged().drop(kMergedNamespace);
}

void WindowFiring::merge_keys(const std::vector<EventTime>& slices, const KeyBatch& keys,
                              Selection rows) {
  values_.resize(rows.size());
  found_.resize(rows.size());
  merged().find_or_insert(kMergedNamespace, keys, rows, values_);
  for (const EventTime slice_end : slices) {
    table_.find(slice_end, keys, rows, found_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (found_[i] != nullptr) aggregator_.merge(values_[i], found_[i]);
  }
}

}  // namespace tidemark
