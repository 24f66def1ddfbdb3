// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/api/state_handle.h"
#include "tidemark/operator/operator.h"
#include "tidemark/state/key.h"
#include "tidemark/state/timers.h"

// What a process operator does that has nothing to do with the types of its rows.

namespace tidemark {

/// Which time a timer waits for.
enum class TimerClock : std::uint8_t { kEventTime, kProcessingTime };

/// A timer that fires.
struct Timer {
  std::int64_t time = 0;  // what it was registered for, milliseconds
  TimerClock clock = TimerClock::kEventTime;
};

namespace api_detail {

/// The key of one input of a keyed operator.
struct KeyColumns {
  std::vector<std::size_t> columns;
  std::vector<DataType> types;
};

/// Keys, states and timers of a keyed process operator. Rows come in batches: those of an input, or
/// timers that fire. Thread: the task's.
class ProcessCore {
 public:
  /// An input without key columns is broadcast. At least one has a key; all keys are of the same
  /// types.
  ProcessCore(std::vector<KeyColumns> inputs, SchemaPtr key_schema);

  /// The states are the function's, which lives as long.
  void open(OperatorContext& context, std::span<KeyedStateHandle* const> states);

  /// The tables that open() opens for these states.
  std::vector<TableDescriptor> keyed_tables(std::span<KeyedStateHandle* const> states) const;

  // One batch at a time: begin, move through its rows, end.
  void begin_rows(const BatchPtr& batch, std::size_t input);
  /// The next due timers; false when there are none. `until` is the last time that is due.
  bool begin_timers(TimerClock clock, std::int64_t until);
  void end_rows();
  /// All timers that were fired.
  void end_timers(std::size_t fired);

  std::size_t rows() const noexcept { return batch_ != nullptr ? batch_->rows() : due_->size(); }
  void at_row(std::size_t row) noexcept { row_ = row; }
  std::size_t row() const noexcept { return row_; }
  bool may_fire(std::size_t row) const noexcept { return firing_->may_fire(row); }
  Timer timer(std::size_t row) const noexcept { return {due_->times[row], clock_}; }
  /// What rows that come of timers have as event times; null when none is known.
  const EventTime* timer_times();
  /// The keys of the current batch as columns of the key's record.
  const Batch& key_batch();

  EventTime row_time() const noexcept { return times_ == nullptr ? kMinTime : times_[row_]; }
  EventTime watermark() const noexcept { return watermark_; }
  ProcessingTime now() const { return context_->clock->now(); }
  void set_watermark(EventTime watermark) noexcept { watermark_ = watermark; }

  void add_timer(TimerClock clock, std::int64_t time) {
    queue(clock).add(kNoNamespace, *keys_, row_, time);
  }
  void remove_timer(TimerClock clock, std::int64_t time) {
    queue(clock).remove(kNoNamespace, *keys_, row_, time);
  }
  /// When the next processing-time timer wants to fire: one millisecond after its time, when
  /// nothing more can happen in it.
  ProcessingTime next_processing_time() const {
    return saturating_add(processing_->next_time(), 1);
  }

  std::unique_ptr<SnapshotPart> snapshot();
  void restore(const SnapshotReader& reader);

  std::size_t memory_bytes() const;

 private:
  static constexpr StateNamespace kNoNamespace = 0;

  TimerQueue& queue(TimerClock clock) noexcept {
    return clock == TimerClock::kEventTime ? *event_ : *processing_;
  }
  void attach(const KeyBatch& keys);
  StateEnvironment environment() const;

  std::vector<std::optional<KeyCodec>> codecs_;
  std::vector<KeyColumns> inputs_;
  SchemaPtr key_schema_;
  OperatorContext* context_ = nullptr;
  std::vector<KeyedStateHandle*> states_;
  std::optional<TimerQueue> event_;
  std::optional<TimerQueue> processing_;
  EventTime watermark_ = kMinTime;

  // The current batch.
  KeyBatch encoded_;
  const KeyBatch* keys_ = nullptr;
  const EventTime* times_ = nullptr;
  BatchPtr batch_;
  std::size_t input_ = 0;
  std::size_t row_ = 0;
  DueTimers* due_ = nullptr;
  TimerQueue* firing_ = nullptr;
  TimerClock clock_ = TimerClock::kEventTime;
  std::vector<EventTime> watermarks_;  // timer_times() of processing-time timers
  BatchPtr key_batch_;
};

/// "(sensor STRING NOT NULL)", of the key's columns.
std::string key_schema_text(const Schema& schema);

}  // namespace api_detail
}  // namespace tidemark
