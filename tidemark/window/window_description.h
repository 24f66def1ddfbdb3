// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/base/result.h"
#include "tidemark/base/time.h"

namespace tidemark {

/// Event times [start, end), milliseconds. Half-open, so it fires when the watermark W >= end.
struct TimeWindow {
  EventTime start;
  EventTime end;

  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

/// Windows of `size` that begin every `slide` from `offset`, made of slices of gcd(size, slide)
/// (D8). A tumbling window has slide == size and is one slice. All in milliseconds,
/// |offset| < slide.
struct WindowDescription {
  Millis size = 0;
  Millis slide = 0;
  Millis offset = 0;
  Millis allowed_lateness = 0;
};

/// An error names the parameter: size and slide must be > 0, |offset| < slide, lateness >= 0.
Status validate(const WindowDescription& window);

}  // namespace tidemark
