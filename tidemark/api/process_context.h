// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/api/process_core.h"
#include "tidemark/data/record.h"

namespace tidemark {

namespace api_detail {

/// What all contexts of keyed functions know.
class ProcessContextBase {
 public:
  explicit ProcessContextBase(ProcessCore& core) : core_(core) {}

  /// When the row happened, kMinTime when it has no event time; in on_timer what the timer was
  /// registered for (event time) or the watermark (processing time).
  EventTime timestamp() const noexcept { return core_.row_time(); }
  /// No row with event time < watermark() is still to come (Flink's currentWatermark() + 1), so a
  /// row with timestamp() < watermark() is late. kMinTime before the first.
  EventTime watermark() const noexcept { return core_.watermark(); }
  /// The wall clock, milliseconds since the epoch.
  ProcessingTime now() const { return core_.now(); }

 protected:
  ProcessCore& core() const noexcept { return core_; }

 private:
  ProcessCore& core_;
};

}  // namespace api_detail

/// What a keyed process function knows of the row or timer that it is called for, and the timers of
/// its key. Valid during the call.
template <typename K>
class KeyedContext : public api_detail::ProcessContextBase {
 public:
  using api_detail::ProcessContextBase::ProcessContextBase;

  /// The key of the row or timer. Read from its columns at each call.
  K key() {
    const Batch& keys = core().key_batch();
    if (&keys != attached_) reader_.attach(*(attached_ = &keys));
    return reader_.row(core().row());
  }

  /// Calls on_timer for this key once every row with event time <= `time` has come: when the
  /// watermark has passed `time`. One timer a key and time, however often it is registered; a time
  /// that has passed already fires with the next watermark.
  void register_event_timer(EventTime time) { core().add_timer(TimerClock::kEventTime, time); }
  /// The same by the wall clock: once `time` is over, one millisecond after it.
  void register_processing_timer(ProcessingTime time) {
    core().add_timer(TimerClock::kProcessingTime, time);
  }
  /// A timer that there is not is no mistake.
  void delete_event_timer(EventTime time) { core().remove_timer(TimerClock::kEventTime, time); }
  void delete_processing_timer(ProcessingTime time) {
    core().remove_timer(TimerClock::kProcessingTime, time);
  }

  // For the operator: the keys of the next batch are others.
  void forget_keys() noexcept { attached_ = nullptr; }

 private:
  RecordReader<K> reader_;
  const Batch* attached_ = nullptr;
};

/// What a function knows of a row that has no key: one of a broadcast stream.
class BroadcastContext : public api_detail::ProcessContextBase {
 public:
  using api_detail::ProcessContextBase::ProcessContextBase;
};

/// What a function of a stream without keys knows of the row that it is called for.
class StreamContext {
 public:
  /// As in KeyedContext.
  EventTime timestamp() const noexcept { return timestamp_; }
  EventTime watermark() const noexcept { return watermark_; }
  ProcessingTime now() const { return context_->clock->now(); }
  std::uint32_t subtask() const noexcept { return context_->subtask; }
  std::uint32_t parallelism() const noexcept { return context_->parallelism; }

  // For the operator.
  void attach(const OperatorContext& context) noexcept { context_ = &context; }
  void at_row(EventTime timestamp) noexcept { timestamp_ = timestamp; }
  void set_watermark(EventTime watermark) noexcept { watermark_ = watermark; }

 private:
  const OperatorContext* context_ = nullptr;
  EventTime timestamp_ = kMinTime;
  EventTime watermark_ = kMinTime;
};

}  // namespace tidemark
