// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tidemark/api/state_value.h"
#include "tidemark/window/trigger.h"

// The keyed state of the general window operator: one entry a key, which holds all its windows.

namespace tidemark::api_detail {

/// One window of a key.
template <typename Contents, typename TriggerState, typename WindowState>
struct KeptWindow {
  TimeWindow window;
  Contents contents;
  TriggerState trigger;
  WindowState state;
  WindowTimers timers;

  void encode(ByteWriter& out) const {
    out.put(window);
    encode_value(contents, out);
    encode_value(trigger, out);
    encode_value(state, out);
    timers.encode(out);
  }
  static KeptWindow decode(ByteReader& in) {
    KeptWindow kept{};
    kept.window = in.get<TimeWindow>();
    kept.contents = decode_value<Contents>(in);
    kept.trigger = decode_value<TriggerState>(in);
    kept.state = decode_value<WindowState>(in);
    kept.timers = WindowTimers::decode(in);
    return kept;
  }
};

/// The windows of a key, in the order of their starts, and what its function keeps for the key.
template <typename Window, typename KeyState>
struct KeyWindows {
  std::vector<Window> windows;
  KeyState state{};

  void encode(ByteWriter& out) const {
    encode_value(windows, out);
    encode_value(state, out);
  }
  static KeyWindows decode(ByteReader& in) {
    KeyWindows kept;
    kept.windows = decode_value<std::vector<Window>>(in);
    kept.state = decode_value<KeyState>(in);
    return kept;
  }
};

}  // namespace tidemark::api_detail
