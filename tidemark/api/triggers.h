// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "tidemark/api/state_value.h"
#include "tidemark/window/trigger.h"

// When windows say their results. A trigger is called for each row of a window and for the timers
// that it registered, and answers with a TriggerResult. Ready ones:
//   event_time_trigger()              at the window's end; what windows of event time have
//   processing_time_trigger()         the same by the wall clock
//   continuous_event_time(interval)   at each multiple of the interval, and at the end
//   continuous_processing_time(interval)
//   count_trigger(n)                  at every n-th row
//   delta_trigger<T>(threshold, f)    when f(row of the last firing, row) is above the threshold
//   purging(trigger)                  as another one, and forgets the contents when it fires
//   never_trigger()                   what global windows have
// A program's own trigger is a class like this, of which only State and on_element must be there:
//   struct EveryBig {
//     struct State { std::int64_t seen = 0; };  // of one window of one key; goes into snapshots
//     TriggerResult on_element(State&, const Order&, EventTime, TimeWindow, TriggerContext&);
//     TriggerResult on_event_time(State&, EventTime, TimeWindow, TriggerContext&);
//     TriggerResult on_processing_time(State&, ProcessingTime, TimeWindow, TriggerContext&);
//     // For sessions: the state of a window that becomes part of another, then what is to be done
//     // for the merged window. The timers of the windows that were merged are gone.
//     void merge(State& into, const State& other);
//     void on_merge(State&, TimeWindow, TriggerContext&);
//     void clear(State&, TimeWindow, TriggerContext&);  // the window is forgotten
//   };
// A trigger takes the place of the windows' own: a window is forgotten at its end (plus the allowed
// lateness) whether it has fired or not.

namespace tidemark {

namespace api_detail {

/// The state of what has none.
struct NoState {};

template <typename Trigger>
concept MergingTrigger = requires(Trigger& trigger, typename Trigger::State& state,
                                  TimeWindow window, TriggerContext& context) {
  trigger.on_merge(state, window, context);
};

// The first multiple of `interval` after `time`, but not beyond the window's last millisecond.
inline std::int64_t next_multiple(std::int64_t time, Millis interval, TimeWindow window) {
  const std::int64_t next = saturating_add(time - floor_mod(time, interval), interval);
  return std::min(next, last_time(window));
}

}  // namespace api_detail

class EventTimeTrigger {
 public:
  using State = api_detail::NoState;

  template <typename T>
  TriggerResult on_element(State&, const T&, EventTime, TimeWindow window,
                           TriggerContext& context) {
    if (window.end <= context.watermark()) return TriggerResult::kFire;
    context.register_event_timer(last_time(window));
    return TriggerResult::kContinue;
  }
  TriggerResult on_event_time(State&, EventTime time, TimeWindow window, TriggerContext&) {
    return time == last_time(window) ? TriggerResult::kFire : TriggerResult::kContinue;
  }
  // A merged window that has ended fires for the row that merged it.
  void on_merge(State&, TimeWindow window, TriggerContext& context) {
    if (window.end > context.watermark()) context.register_event_timer(last_time(window));
  }
};
inline EventTimeTrigger event_time_trigger() {
  return {};
}

class ProcessingTimeTrigger {
 public:
  using State = api_detail::NoState;

  template <typename T>
  TriggerResult on_element(State&, const T&, EventTime, TimeWindow window,
                           TriggerContext& context) {
    context.register_processing_timer(last_time(window));
    return TriggerResult::kContinue;
  }
  TriggerResult on_processing_time(State&, ProcessingTime, TimeWindow, TriggerContext&) {
    return TriggerResult::kFire;
  }
  void on_merge(State&, TimeWindow window, TriggerContext& context) {
    if (window.end > context.now()) context.register_processing_timer(last_time(window));
  }
};
inline ProcessingTimeTrigger processing_time_trigger() {
  return {};
}

class ContinuousEventTimeTrigger {
 public:
  struct State {
    std::int64_t next = kMaxTime;  // when it fires next; kMaxTime for not at all
  };
  explicit ContinuousEventTimeTrigger(Millis interval) : interval_(interval) {}

  template <typename T>
  TriggerResult on_element(State& state, const T&, EventTime time, TimeWindow window,
                           TriggerContext& context) {
    if (window.end <= context.watermark()) return TriggerResult::kFire;
    context.register_event_timer(last_time(window));
    if (state.next == kMaxTime) arm(state, time, window, context);
    return TriggerResult::kContinue;
  }
  TriggerResult on_event_time(State& state, EventTime time, TimeWindow window,
                              TriggerContext& context) {
    if (time == last_time(window)) return TriggerResult::kFire;
    if (time != state.next) return TriggerResult::kContinue;
    arm(state, time, window, context);
    return TriggerResult::kFire;
  }
  void merge(State& into, const State& other) { into.next = std::min(into.next, other.next); }
  void on_merge(State& state, TimeWindow window, TriggerContext& context) {
    if (window.end > context.watermark()) context.register_event_timer(last_time(window));
    if (state.next != kMaxTime) context.register_event_timer(state.next);
  }

 private:
  void arm(State& state, EventTime time, TimeWindow window, TriggerContext& context) {
    state.next = api_detail::next_multiple(time, interval_, window);
    context.register_event_timer(state.next);
  }
  Millis interval_;
};
inline ContinuousEventTimeTrigger continuous_event_time(std::chrono::milliseconds interval) {
  return ContinuousEventTimeTrigger(interval.count());
}

class ContinuousProcessingTimeTrigger {
 public:
  struct State {
    std::int64_t next = kMaxTime;
  };
  explicit ContinuousProcessingTimeTrigger(Millis interval) : interval_(interval) {}

  template <typename T>
  TriggerResult on_element(State& state, const T&, EventTime, TimeWindow window,
                           TriggerContext& context) {
    if (state.next == kMaxTime) arm(state, context.now(), window, context);
    return TriggerResult::kContinue;
  }
  TriggerResult on_processing_time(State& state, ProcessingTime time, TimeWindow window,
                                   TriggerContext& context) {
    if (time != state.next) return TriggerResult::kContinue;
    state.next = kMaxTime;
    if (time < last_time(window)) arm(state, time, window, context);
    return TriggerResult::kFire;
  }
  void merge(State& into, const State& other) { into.next = std::min(into.next, other.next); }
  void on_merge(State& state, TimeWindow, TriggerContext& context) {
    if (state.next != kMaxTime) context.register_processing_timer(state.next);
  }

 private:
  void arm(State& state, ProcessingTime time, TimeWindow window, TriggerContext& context) {
    state.next = api_detail::next_multiple(time, interval_, window);
    context.register_processing_timer(state.next);
  }
  Millis interval_;
};
inline ContinuousProcessingTimeTrigger continuous_processing_time(
    std::chrono::milliseconds interval) {
  return ContinuousProcessingTimeTrigger(interval.count());
}

class CountTrigger {
 public:
  struct State {
    std::int64_t count = 0;
  };
  explicit CountTrigger(std::int64_t every) : every_(every) {}

  template <typename T>
  TriggerResult on_element(State& state, const T&, EventTime, TimeWindow, TriggerContext&) {
    if (++state.count < every_) return TriggerResult::kContinue;
    state.count = 0;
    return TriggerResult::kFire;
  }
  void merge(State& into, const State& other) { into.count += other.count; }
  void on_merge(State&, TimeWindow, TriggerContext&) {}

 private:
  std::int64_t every_;
};
inline CountTrigger count_trigger(std::int64_t every) {
  return CountTrigger(every);
}

/// Compares each row with that of the last firing, the first row with itself.
template <typename T, typename F>
class DeltaTrigger {
  static_assert(
      !api_detail::holds_view<T>(),
      "a delta trigger keeps a row in state, so it must own its strings: use std::string");

 public:
  struct State {
    std::optional<T> last;
    BOOST_DESCRIBE_CLASS(State, (), (last), (), ())
  };
  DeltaTrigger(double threshold, F delta) : threshold_(threshold), delta_(std::move(delta)) {}

  TriggerResult on_element(State& state, const T& row, EventTime, TimeWindow, TriggerContext&) {
    if (!state.last) {
      state.last = row;
      return TriggerResult::kContinue;
    }
    if (!(delta_(std::as_const(*state.last), row) > threshold_)) return TriggerResult::kContinue;
    state.last = row;
    return TriggerResult::kFire;
  }

 private:
  double threshold_;
  F delta_;
};
/// delta(const T& last, const T& row) -> double.
template <typename T, typename F>
DeltaTrigger<T, F> delta_trigger(double threshold, F delta) {
  return DeltaTrigger<T, F>(threshold, std::move(delta));
}

class NeverTrigger {
 public:
  using State = api_detail::NoState;

  template <typename T>
  TriggerResult on_element(State&, const T&, EventTime, TimeWindow, TriggerContext&) {
    return TriggerResult::kContinue;
  }
  void on_merge(State&, TimeWindow, TriggerContext&) {}
};
inline NeverTrigger never_trigger() {
  return {};
}

namespace api_detail {

// A trigger, with what it does not say filled in.

template <typename Trigger, typename State>
TriggerResult call_event_time(Trigger& trigger, State& state, EventTime time, TimeWindow window,
                              TriggerContext& context) {
  if constexpr (requires { trigger.on_event_time(state, time, window, context); }) {
    return trigger.on_event_time(state, time, window, context);
  } else {
    return TriggerResult::kContinue;
  }
}
template <typename Trigger, typename State>
TriggerResult call_processing_time(Trigger& trigger, State& state, ProcessingTime time,
                                   TimeWindow window, TriggerContext& context) {
  if constexpr (requires { trigger.on_processing_time(state, time, window, context); }) {
    return trigger.on_processing_time(state, time, window, context);
  } else {
    return TriggerResult::kContinue;
  }
}
template <typename Trigger, typename State>
void call_merge(Trigger& trigger, State& into, const State& other) {
  if constexpr (requires { trigger.merge(into, other); }) trigger.merge(into, other);
}
template <typename Trigger, typename State>
void call_clear(Trigger& trigger, State& state, TimeWindow window, TriggerContext& context) {
  if constexpr (requires { trigger.clear(state, window, context); })
    trigger.clear(state, window, context);
}

}  // namespace api_detail

template <typename Trigger>
class PurgingTrigger {
 public:
  using State = typename Trigger::State;
  explicit PurgingTrigger(Trigger trigger) : trigger_(std::move(trigger)) {}

  template <typename T>
  TriggerResult on_element(State& state, const T& row, EventTime time, TimeWindow window,
                           TriggerContext& context) {
    return purging(trigger_.on_element(state, row, time, window, context));
  }
  TriggerResult on_event_time(State& state, EventTime time, TimeWindow window,
                              TriggerContext& context) {
    return purging(api_detail::call_event_time(trigger_, state, time, window, context));
  }
  TriggerResult on_processing_time(State& state, ProcessingTime time, TimeWindow window,
                                   TriggerContext& context) {
    return purging(api_detail::call_processing_time(trigger_, state, time, window, context));
  }
  void merge(State& into, const State& other) { api_detail::call_merge(trigger_, into, other); }
  void on_merge(State& state, TimeWindow window,
                TriggerContext& context) requires api_detail::MergingTrigger<Trigger> {
    trigger_.on_merge(state, window, context);
  }
  void clear(State& state, TimeWindow window, TriggerContext& context) {
    api_detail::call_clear(trigger_, state, window, context);
  }

 private:
  Trigger trigger_;
};
template <typename Trigger>
requires(!std::is_same_v<Trigger, TriggerResult>) PurgingTrigger<Trigger> purging(Trigger trigger) {
  return PurgingTrigger<Trigger>(std::move(trigger));
}

}  // namespace tidemark
