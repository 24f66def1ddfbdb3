// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/timers.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {

TimerQueue::TimerQueue(std::string name, KeyEncoding encoding, KeyGroupRange range,
                       std::uint32_t max_parallelism)
    : name_(std::move(name)),
      encoding_(encoding),
      range_(range),
      max_parallelism_(max_parallelism),
      sorter_(encoding) {
  clear_keys(encoding_, due_.keys);
}

void TimerQueue::add(StateNamespace ns, const KeyBatch& keys, Selection rows,
                     std::span<const std::int64_t> times) {
  TIDEMARK_DCHECK(times.size() >= rows.size(), "a time a row");
  for (std::size_t i = 0; i < rows.size(); ++i) append(ns, keys, rows[i], times[i], false);
}

void TimerQueue::append(StateNamespace ns, const KeyBatch& keys, std::size_t row, std::int64_t time,
                        bool removed) {
  Slice& slice = slice_at(timer_slice_of(time));
  TimerLog& log = *slice.log;
  TimerRecord record =
      TimerRecord::of(time, key_group_of(keys.hashes[row], max_parallelism_), removed);
  record.ns = ns;
  if (encoding_ == KeyEncoding::kFixed8) {
    record.key = keys.fixed[row];
  } else {
    const std::string_view key =
        encoding_ == KeyEncoding::kVariable
            ? keys.variable(row)
            : std::string_view(reinterpret_cast<const char*>(&keys.fixed[2 * row]), 16);
    record.key = log.key_bytes.size();
    record.key_length = static_cast<std::uint32_t>(key.size());
    log.key_bytes.append(key);
  }
  log.records.push_back(record);
  ++records_;
  slice.earliest = std::min(slice.earliest, time);
  may_fire_until_ = std::min(may_fire_until_, saturating_sub(time, 1));
  if (log.records.size() < slice.compact_at) return;
  // Words about timers of the run must wait for them.
  if (has_run() && timer_slice_of(time) == run_slice_) {
    slice.compact_at *= 2;
  } else {
    compact(slice);
  }
}

TimerQueue::Slice& TimerQueue::slice_at(std::int64_t number) {
  Near& near = near_[static_cast<std::size_t>(number) % kNearSlices];
  if (near.slice == nullptr || near.number != number) near = {number, &slices_[number]};
  return *near.slice;
}

void TimerQueue::forget(Slices::iterator slice) {
  Near& near = near_[static_cast<std::size_t>(slice->first) % kNearSlices];
  if (near.number == slice->first) near.slice = nullptr;
  slices_.erase(slice);
}

void TimerQueue::compact(Slice& slice) {
  std::vector<TimerRecord> kept;
  sorter_.sort(*slice.log, slice.log->records.size(), kept);
  records_ -= slice.log->records.size() - kept.size();
  // A new log: an open snapshot may be reading the old one.
  auto log = std::make_shared<TimerLog>();
  for (TimerRecord& record : kept) {
    if (encoding_ == KeyEncoding::kFixed8) break;
    const std::string_view key = slice.log->key_of(record);
    record.key = log->key_bytes.size();
    log->key_bytes.append(key);
  }
  log->records = std::move(kept);
  slice.compact_at = std::max(kCompactAt, 2 * log->records.size());
  slice.log = std::move(log);
}

DueTimers& TimerQueue::due(std::int64_t until, std::size_t count) {
  clear_keys(encoding_, due_.keys);
  due_.keys.times = nullptr;
  due_.times.clear();
  due_.namespaces.clear();
  if (prepare(until)) hand_out(until, count);
  may_fire_until_ = kMaxTime;
  return due_;
}

// Makes the run begin with the first timer of all; false when that is not due.
bool TimerQueue::prepare(std::int64_t until) {
  for (;;) {
    const bool run_due = has_run() && run_time() <= until;
    const bool slice_due = !slices_.empty() && slices_.begin()->second.earliest <= until;
    if (!run_due && !slice_due) return false;
    // A word about a time that the run has not come to yet waits until it does.
    if (run_due && (!slice_due || slices_.begin()->second.earliest > run_time())) return true;
    if (has_run()) suspend_run();
    load_first_slice();
  }
}

void TimerQueue::load_first_slice() {
  const auto first = slices_.begin();
  run_slice_ = first->first;
  run_log_ = std::move(first->second.log);
  forget(first);
  sorter_.sort(*run_log_, run_log_->records.size(), run_);
  records_ -= run_log_->records.size() - run_.size();
  run_at_ = 0;
}

// What is left of the run becomes the beginning of its slice's log again.
void TimerQueue::suspend_run() {
  Slice& slice = slice_at(run_slice_);
  auto log = std::make_shared<TimerLog>();
  log->records.assign(run_.begin() + static_cast<std::ptrdiff_t>(run_at_), run_.end());
  log->key_bytes = run_log_->key_bytes;
  for (TimerRecord record : slice.log->records) {
    if (encoding_ != KeyEncoding::kFixed8) record.key += log->key_bytes.size();
    log->records.push_back(record);
  }
  log->key_bytes += slice.log->key_bytes;
  slice.earliest = std::min(slice.earliest, run_time());
  slice.log = std::move(log);
  slice.compact_at = std::max(slice.compact_at, 2 * slice.log->records.size());
  run_.clear();
  run_at_ = 0;
}

void TimerQueue::hand_out(std::int64_t until, std::size_t count) {
  const std::int64_t other = slices_.empty() ? kMaxTime : slices_.begin()->second.earliest;
  const bool others = !slices_.empty();
  for (std::size_t i = run_at_; i < run_.size() && due_.times.size() < count; ++i) {
    const TimerRecord& record = run_[i];
    const std::int64_t time = record.time(run_slice_);
    if (time > until || (others && time >= other)) break;
    due_.times.push_back(time);
    due_.namespaces.push_back(record.ns);
    KeyedEntry key;
    key.fixed_key = record.key;
    if (encoding_ != KeyEncoding::kFixed8) key.variable_key = run_log_->key_of(record);
    append_key(key, due_.keys);
  }
  hash_keys(due_.keys);
}

void TimerQueue::consume(std::size_t count) noexcept {
  TIDEMARK_DCHECK(count <= due_.size(), "as many as were handed out");
  run_at_ += count;
  records_ -= count;
  may_fire_until_ = kMaxTime;
}

std::int64_t TimerQueue::next_time() const noexcept {
  std::int64_t next = has_run() ? run_time() : kMaxTime;
  if (!slices_.empty()) next = std::min(next, slices_.begin()->second.earliest);
  return next;
}

std::size_t TimerQueue::memory_bytes() const noexcept {
  std::size_t bytes = near_.capacity() * sizeof(Near) + run_.capacity() * sizeof(TimerRecord);
  if (run_log_ != nullptr) bytes += run_log_->memory_bytes();
  constexpr std::size_t kMapNode = sizeof(Slices::value_type) + 4 * sizeof(void*);
  for (const auto& [number, slice] : slices_) bytes += slice.log->memory_bytes() + kMapNode;
  return bytes;
}

}  // namespace tidemark
