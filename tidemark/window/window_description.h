// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/base/result.h"
#include "tidemark/base/time.h"

namespace tidemark {

/// Event times [start, end), milliseconds. Half-open, so it fires when the watermark W >= end.
struct TimeWindow {
  EventTime start;
  EventTime end;

  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

/// How the windows of a stream follow each other.
enum class WindowShape : std::uint8_t {
  kSliding,     // [s, s + size) for every s = offset + k * slide
  kCumulating,  // [s, s + j * slide) for every s = offset + k * size, up to `size`
};

/// Windows made of slices of gcd(size, slide) (D8), in milliseconds. A tumbling window has
/// slide == size and is one slice. Sliding: |offset| < slide; a slide above the size leaves gaps.
/// Cumulating: `slide` is the step, of which `size` is a multiple, and |offset| < size.
struct WindowDescription {
  Millis size = 0;
  Millis slide = 0;
  Millis offset = 0;
  Millis allowed_lateness = 0;
  WindowShape shape = WindowShape::kSliding;
};

/// A row is in at most so many windows (flink_semantics 2.3; FLINK-37512).
inline constexpr Millis kMostWindowsOfARow = 10'000'000;

/// An error names the parameter.
Status validate(const WindowDescription& window);
/// For messages: "windows of 3600000 ms every 10000 ms from 0 ms".
std::string to_string(const WindowDescription& window);

}  // namespace tidemark
