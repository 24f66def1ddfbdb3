// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/collector.h"
#include "tidemark/api/triggers.h"
#include "tidemark/api/window_aggregator.h"

namespace tidemark {

/// What a function of a window knows when it is called. Valid during the call.
class WindowContext {
 public:
  WindowContext(TimeWindow window, const WindowClocks& clocks) : window_(window), clocks_(clocks) {}

  TimeWindow window() const noexcept { return window_; }
  /// No row with event time < watermark() is still to come.
  EventTime watermark() const noexcept { return clocks_.watermark; }
  ProcessingTime now() const noexcept { return clocks_.now; }

 private:
  TimeWindow window_;
  const WindowClocks& clocks_;
};

/// The context of a function that keeps state: one value a window, which goes with it, and one a
/// key, which stays for ever.
template <typename WindowState, typename KeyState>
class StatefulWindowContext : public WindowContext {
 public:
  StatefulWindowContext(const WindowContext& context, WindowState& window_state,
                        KeyState& key_state)
      : WindowContext(context), window_state_(window_state), key_state_(key_state) {}

  WindowState& window_state() const noexcept { return window_state_; }
  KeyState& key_state() const noexcept { return key_state_; }

 private:
  WindowState& window_state_;
  KeyState& key_state_;
};

namespace api_detail {

template <typename F>
struct WindowStateOf {
  using Type = NoState;
};
template <typename F>
requires requires {
  typename F::WindowState;
}
struct WindowStateOf<F> {
  using Type = typename F::WindowState;
};
template <typename F>
struct KeyStateOf {
  using Type = NoState;
};
template <typename F>
requires requires {
  typename F::KeyState;
}
struct KeyStateOf<F> {
  using Type = typename F::KeyState;
};

/// Says a window's result as a row of WindowResult.
template <typename K, typename R>
class ResultFunction {
 public:
  using Row = WindowResult<K, R>;
  using WindowState = NoState;
  using KeyState = NoState;

  template <typename Context>
  void call(const K& key, const Context& context, const R& result, Collector<Row>& out) {
    out.emit({key, context.window(), result});
  }
  template <typename Context>
  void clear(const Context&) {}
};

/// A program's own function: a lambda (key, context, input, out), or a class with a method
/// `process` of that form, and perhaps the types WindowState and KeyState and a method
/// `clear(context)` for when a window is forgotten.
template <typename K, typename Input, typename U, typename F>
class UserFunction {
 public:
  using Row = U;
  using WindowState = typename WindowStateOf<F>::Type;
  using KeyState = typename KeyStateOf<F>::Type;
  using Context = StatefulWindowContext<WindowState, KeyState>;

  explicit UserFunction(F function) : function_(std::move(function)) {}

  void call(const K& key, const Context& context, const Input& input, Collector<U>& out) {
    if constexpr (requires { function_.process(key, context, input, out); }) {
      function_.process(key, context, input, out);
    } else {
      static_assert(std::is_invocable_v<F&, const K&, const Context&, const Input&, Collector<U>&>,
                    "a function of windows takes (const K& key, const WindowContext& context, "
                    "const Input& input, Collector<U>& out)");
      std::invoke(function_, key, context, input, out);
    }
  }
  void clear(const Context& context) {
    if constexpr (requires { function_.clear(context); }) function_.clear(context);
  }

 private:
  F function_;
};

}  // namespace api_detail
}  // namespace tidemark
