// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/general_window_core.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/window/window_input.h"

namespace tidemark {
namespace {

constexpr const char* kTableName = "windows";
constexpr const char* kWatermarkState = "window-watermark";
constexpr Millis kPage = 1000;  // of the calendars

}  // namespace

GeneralWindowCore::GeneralWindowCore(std::shared_ptr<const GeneralWindowDescription> description,
                                     WindowTime time, bool forgets)
    : description_(std::move(description)),
      time_(time),
      forgets_(forgets),
      codec_(description_->key_columns, description_->key_types),
      event_(codec_.encoding(), kPage),
      processing_(codec_.encoding(), kPage) {
  clocks_.event = &event_;
  clocks_.processing = &processing_;
}

void GeneralWindowCore::open(OperatorContext& context,
                             std::shared_ptr<const ValueOperations> values,
                             const std::string& schema) {
  uid_ = context.uid;
  clock_ = context.clock;
  if (context.metrics != nullptr) metrics_ = context.metrics;
  TIDEMARK_CHECK(context.keyed_state != nullptr, "a window operator has keyed state");
  std::string keys;
  for (const DataType& type : codec_.types()) keys += (keys.empty() ? "" : ", ") + to_string(type);
  table_ = &context.keyed_state->open_table({.name = kTableName,
                                             .key_encoding = codec_.encoding(),
                                             .values = std::move(values),
                                             .schema = "(" + keys + ") -> " + schema});
}

EventTime GeneralWindowCore::kept_until(TimeWindow window) const noexcept {
  if (time_ == WindowTime::kProcessingTime) return last_time(window);
  return saturating_add(last_time(window), description_->allowed_lateness);
}

bool GeneralWindowCore::is_late(TimeWindow window) const noexcept {
  return by_event_time() && kept_until(window) < clocks_.watermark;
}

void GeneralWindowCore::note_end(TimeWindow window) {
  if (!forgets_) return;
  KeyCalendar& calendar = by_event_time() ? event_ : processing_;
  calendar.add(saturating_add(kept_until(window), 1), *clocks_.keys, clocks_.row);
}

void GeneralWindowCore::begin_rows(const Batch& batch) {
  refuse_changes(batch, uid_);
  event_times_ = by_event_time() ? event_times_of(batch, uid_) : batch.event_times();
  clocks_.now = clock_->now();
  codec_.encode(batch, row_keys_);
}

std::size_t GeneralWindowCore::look_up_rows(std::size_t first) {
  const std::size_t count = std::min(kChunk, row_keys_.size() - first);
  first_ = first;
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), static_cast<RowIndex>(first));
  found_.resize(count);
  table_->find_or_insert(0, row_keys_, rows_, found_);
  clocks_.keys = &row_keys_;
  return count;
}

EventTime GeneralWindowCore::window_time(std::size_t row) const noexcept {
  return time_ == WindowTime::kEventTime ? event_time(row) : clocks_.now;
}

void GeneralWindowCore::begin_watermark(EventTime watermark) {
  clocks_.watermark = std::max(clocks_.watermark, watermark);
  clocks_.now = clock_->now();
  calendar_ = &event_;
  limit_ = clocks_.watermark;
  // The end of input ends the windows of processing time that are open.
  processing_follows_ = watermark == kMaxTime && by_processing_time();
}

void GeneralWindowCore::begin_processing_time(ProcessingTime now) {
  clocks_.now = std::max(clock_->now(), now);
  calendar_ = &processing_;
  limit_ = now;
  processing_follows_ = false;
}

std::size_t GeneralWindowCore::look_up_woken() {
  if (next_woken_ == order_.size() && !next_time()) return 0;
  const std::size_t count = std::min(kChunk, order_.size() - next_woken_);
  gather_keys(due_.keys, std::span(order_).subspan(next_woken_, count), woken_keys_);
  next_woken_ += count;
  first_ = 0;
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), RowIndex{0});
  found_.resize(count);
  table_->find_or_insert(0, woken_keys_, rows_, found_);
  clocks_.keys = &woken_keys_;
  return count;
}

// Takes what is noted for the earliest time that is due.
bool GeneralWindowCore::next_time() {
  order_.clear();
  next_woken_ = 0;
  if (calendar_->next() > limit_ || calendar_->empty()) {
    if (!processing_follows_) return false;
    processing_follows_ = false;
    calendar_ = &processing_;
    limit_ = kMaxTime;
    return next_time();
  }
  const EventTime time = calendar_->next();
  calendar_->take(time, due_);
  woken_for_ = time - 1;
  order_.resize(due_.times.size());
  std::iota(order_.begin(), order_.end(), 0u);
  const KeyBatch& keys = due_.keys;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (keys.hashes[a] != keys.hashes[b]) return keys.hashes[a] < keys.hashes[b];
    return key_before(keys, a, b);
  };
  std::sort(order_.begin(), order_.end(), before);
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return !before(a, b); };
  order_.erase(std::unique(order_.begin(), order_.end(), same), order_.end());
  return true;
}

void GeneralWindowCore::at(std::size_t i) noexcept {
  clocks_.row = first_ + i;
}

void GeneralWindowCore::erase(const std::vector<std::size_t>& places) {
  if (places.empty()) return;
  std::vector<RowIndex> rows;
  for (const std::size_t place : places) rows.push_back(rows_[place]);
  table_->erase(0, *clocks_.keys, rows);
}

std::unique_ptr<SnapshotPart> GeneralWindowCore::snapshot() const {
  ByteWriter item;
  item.put(clocks_.watermark);
  return make_operator_state_part(
      {.name = kWatermarkState, .redistribution = Redistribution::kUnion, .schema = "watermark"},
      {item.take()});
}

// Every subtask gets the watermarks of all: what the slowest has not been promised may still come.
void GeneralWindowCore::restore_watermark(const SnapshotReader& reader) {
  const std::vector<std::string> items = reader.read_operator(kWatermarkState);
  EventTime slowest = kMaxTime;
  for (const std::string& item : items)
    slowest = std::min(slowest, ByteReader(item).get<EventTime>());
  if (!items.empty()) clocks_.watermark = std::max(clocks_.watermark, slowest);
}

void GeneralWindowCore::note_restored(const KeyedEntry& entry, TimeWindow window,
                                      const WindowTimers& timers) {
  for (const EventTime time : timers.event) event_.add(saturating_add(time, 1), entry);
  for (const ProcessingTime time : timers.processing)
    processing_.add(saturating_add(time, 1), entry);
  if (forgets_)
    (by_event_time() ? event_ : processing_).add(saturating_add(kept_until(window), 1), entry);
}

}  // namespace tidemark
