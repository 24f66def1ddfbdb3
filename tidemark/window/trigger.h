// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/base/time.h"
#include "tidemark/window/key_calendar.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// What a trigger decides (Flink's TriggerResult). To fire is to say the result of the window's
/// contents, to purge is to forget the contents; the trigger's state and timers stay.
enum class TriggerResult : std::uint8_t {
  kContinue = 0,
  kFire = 1,
  kPurge = 2,
  kFireAndPurge = 3,
};

constexpr bool fires(TriggerResult result) noexcept {
  return (static_cast<std::uint8_t>(result) & 1u) != 0;
}
constexpr bool purges(TriggerResult result) noexcept {
  return (static_cast<std::uint8_t>(result) & 2u) != 0;
}
/// The same decision, with a purge whenever it fires.
constexpr TriggerResult purging(TriggerResult result) noexcept {
  return fires(result) ? TriggerResult::kFireAndPurge : result;
}

/// The last millisecond of a window.
constexpr EventTime last_time(TimeWindow window) noexcept {
  return saturating_sub(window.end, 1);
}

/// The times that the trigger of one window waits for, ascending. Part of the window's state.
struct WindowTimers {
  std::vector<EventTime> event;
  std::vector<ProcessingTime> processing;

  bool empty() const noexcept { return event.empty() && processing.empty(); }
  void encode(ByteWriter& out) const;
  static WindowTimers decode(ByteReader& in);
};

/// False when it is there already.
bool add_time(std::vector<std::int64_t>& times, std::int64_t time);
/// False when it is not there.
bool remove_time(std::vector<std::int64_t>& times, std::int64_t time);

/// Where a window operator stands: its clocks, and the calendars that it is woken by. What is noted
/// for a time T is due once T is over: when the watermark is T + 1, or the wall clock shows it.
struct WindowClocks {
  EventTime watermark = kMinTime;
  ProcessingTime now = 0;
  KeyCalendar* event = nullptr;
  KeyCalendar* processing = nullptr;
  // The key at hand.
  const KeyBatch* keys = nullptr;
  std::size_t row = 0;
};

/// What a trigger may do while it is called for one window of one key. Valid during the call.
class TriggerContext {
 public:
  TriggerContext(const WindowClocks& clocks, WindowTimers& timers)
      : clocks_(clocks), timers_(timers) {}

  /// No row with event time < watermark() is still to come.
  EventTime watermark() const noexcept { return clocks_.watermark; }
  ProcessingTime now() const noexcept { return clocks_.now; }

  /// Calls on_event_time for this window once every row with event time <= `time` has come. One
  /// timer a window and time; one whose time has passed fires with the next watermark.
  void register_event_timer(EventTime time);
  /// The same by the wall clock: once `time` is over.
  void register_processing_timer(ProcessingTime time);
  /// A timer that there is not is no mistake.
  void delete_event_timer(EventTime time) { remove_time(timers_.event, time); }
  void delete_processing_timer(ProcessingTime time) { remove_time(timers_.processing, time); }

 private:
  const WindowClocks& clocks_;
  WindowTimers& timers_;
};

}  // namespace tidemark
