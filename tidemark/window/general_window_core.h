// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/window/session_operator.h"
#include "tidemark/window/trigger.h"

namespace tidemark {

struct GeneralWindowDescription {
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
  Millis allowed_lateness = 0;  // windows of event time only
  /// Late rows go to output 1 instead of being dropped; counted either way.
  bool late_side_output = false;
};

/// What a general window operator does that has nothing to do with the types of its rows: keys,
/// look-ups, clocks, and which keys timers wake. Belongs to an operator; its thread.
class GeneralWindowCore {
 public:
  /// Keys looked up at a time.
  static constexpr std::size_t kChunk = 256;

  GeneralWindowCore(std::shared_ptr<const GeneralWindowDescription> description, WindowTime time,
                    bool forgets);

  void open(OperatorContext& context, std::shared_ptr<const ValueOperations> values,
            const std::string& schema);

  const GeneralWindowDescription& description() const noexcept { return *description_; }
  const KeyCodec& codec() const noexcept { return codec_; }
  const std::string& uid() const noexcept { return uid_; }
  KeyedTable& table() noexcept { return *table_; }
  OperatorMetrics& metrics() noexcept { return *metrics_; }
  const WindowClocks& clocks() const noexcept { return clocks_; }
  bool by_event_time() const noexcept { return forgets_ && time_ == WindowTime::kEventTime; }
  bool by_processing_time() const noexcept {
    return forgets_ && time_ == WindowTime::kProcessingTime;
  }

  /// The last time in which a window is kept.
  EventTime kept_until(TimeWindow window) const noexcept;
  bool is_late(TimeWindow window) const noexcept;
  /// Notes when the window of the key at hand is to be forgotten.
  void note_end(TimeWindow window);

  // Rows of a batch, by the chunk.
  void begin_rows(const Batch& batch);
  /// Looks up the rows from `first` on; returns how many.
  std::size_t look_up_rows(std::size_t first);
  /// The time by which the row's windows are found.
  EventTime window_time(std::size_t row) const noexcept;
  /// The row's event time; kMinTime when it has none.
  EventTime event_time(std::size_t row) const noexcept {
    return event_times_ == nullptr ? kMinTime : event_times_[row];
  }

  // Timers. They fire in the order of time, then key group, then key.
  void begin_watermark(EventTime watermark);
  void begin_processing_time(ProcessingTime now);
  ProcessingTime next_processing_time() const noexcept { return processing_.next(); }
  /// Looks up the next keys that are woken; 0 when all have been.
  std::size_t look_up_woken();
  /// What wakes them, and by which clock.
  EventTime woken_for() const noexcept { return woken_for_; }
  bool woken_by_event_time() const noexcept { return calendar_ == &event_; }

  // The chunk at hand.
  void at(std::size_t i) noexcept;
  std::byte* entry(std::size_t i) const noexcept { return found_[i]; }
  const KeyBatch& keys() const noexcept { return *clocks_.keys; }
  std::size_t row_of(std::size_t i) const noexcept { return first_ + i; }
  /// Erases the entries at those places of the chunk, in their order.
  void erase(const std::vector<std::size_t>& places);

  std::unique_ptr<SnapshotPart> snapshot() const;
  void restore_watermark(const SnapshotReader& reader);
  /// Notes again what a restored window waits for.
  void note_restored(const KeyedEntry& entry, TimeWindow window, const WindowTimers& timers);

 private:
  bool next_time();

  std::shared_ptr<const GeneralWindowDescription> description_;
  WindowTime time_;
  bool forgets_;
  KeyCodec codec_;
  std::string uid_;
  const Clock* clock_ = nullptr;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  KeyedTable* table_ = nullptr;
  KeyCalendar event_;
  KeyCalendar processing_;
  WindowClocks clocks_;

  // Rows.
  KeyBatch row_keys_;
  const EventTime* event_times_ = nullptr;

  // Timers.
  KeyCalendar* calendar_ = nullptr;
  EventTime limit_ = kMinTime;
  bool processing_follows_ = false;  // at the end of input
  EventTime woken_for_ = kMinTime;
  KeyCalendar::Due due_;
  std::vector<std::uint32_t> order_;  // of due_.keys
  std::size_t next_woken_ = 0;
  KeyBatch woken_keys_;

  // The chunk.
  std::size_t first_ = 0;
  std::vector<RowIndex> rows_;
  std::vector<std::byte*> found_;
};

}  // namespace tidemark
