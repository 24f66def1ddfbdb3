// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/window/session_operator.h"
#include "tidemark/window/window_description.h"

// Which windows a row is in, for the general operator.
//   kMerging, time(), forgets() (whether windows end), describe(), assign(row, time, windows)

namespace tidemark::api_detail {

/// Windows of a size that begin every slide.
class AlignedAssigner {
 public:
  static constexpr bool kMerging = false;
  AlignedAssigner(const WindowDescription& window, WindowTime time)
      : window_(window), time_(time) {}

  WindowTime time() const noexcept { return time_; }
  bool forgets() const noexcept { return true; }
  std::string describe() const {
    return "windows of " + std::to_string(window_.size) + " ms every " +
           std::to_string(window_.slide) + " ms from " + std::to_string(window_.offset) + " ms";
  }
  template <typename T>
  void assign(const T&, EventTime time, std::vector<TimeWindow>& windows) const {
    const Millis since = floor_mod(
        floor_mod(time, window_.slide) - floor_mod(window_.offset, window_.slide), window_.slide);
    EventTime start = saturating_sub(time, since);
    for (; start > saturating_sub(time, window_.size); start = saturating_sub(start, window_.slide))
      windows.push_back({start, saturating_add(start, window_.size)});
  }

 private:
  WindowDescription window_;
  WindowTime time_;
};

/// A row alone is [t, t + gap); windows that touch are one.
template <typename GapOf>
class SessionAssigner {
 public:
  static constexpr bool kMerging = true;
  SessionAssigner(GapOf gap_of, WindowTime time) : gap_of_(std::move(gap_of)), time_(time) {}

  WindowTime time() const noexcept { return time_; }
  bool forgets() const noexcept { return true; }
  std::string describe() const { return "sessions"; }
  template <typename T>
  void assign(const T& row, EventTime time, std::vector<TimeWindow>& windows) const {
    const Millis gap = std::chrono::milliseconds(std::invoke(gap_of_, row)).count();
    if (gap <= 0)
      throw Failure(
          ErrorCode::kInvalidRecord,
          "the gap of a session is " + std::to_string(gap) + " ms for a row; it must be > 0",
          /*retryable=*/false);
    const EventTime start = std::min(time, kMaxTime - 1);
    windows.push_back({start, saturating_add(start, gap)});
  }

 private:
  GapOf gap_of_;
  WindowTime time_;
};

/// One window for all rows of a key. It never ends.
class GlobalAssigner {
 public:
  static constexpr bool kMerging = false;

  WindowTime time() const noexcept { return WindowTime::kProcessingTime; }
  bool forgets() const noexcept { return false; }
  std::string describe() const { return "global windows"; }
  template <typename T>
  void assign(const T&, EventTime, std::vector<TimeWindow>& windows) const {
    windows.push_back({kMinTime, kMaxTime});
  }
};

}  // namespace tidemark::api_detail
