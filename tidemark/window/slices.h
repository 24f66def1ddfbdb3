// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// The arithmetic of windows and the slices they are made of. Windows are [s, s + size) with
/// s = offset + k * slide; slices are the pieces of gcd(size, slide) between all their bounds, so
/// each window is a whole number of slices and a row is in exactly one. A slice is named by its
/// end. Times before 1970 and those next to kMinTime and kMaxTime are in order: division rounds
/// down and sums saturate.
class Slices {
 public:
  explicit Slices(const WindowDescription& window)
      : size_(window.size),
        slide_(window.slide),
        offset_(window.offset),
        width_(std::gcd(window.size, window.slide)) {}

  Millis width() const noexcept { return width_; }
  bool one_a_window() const noexcept { return width_ == size_; }

  /// The end of the slice that holds `time`.
  EventTime slice_end(EventTime time) const noexcept {
    return saturating_add(time, width_ - phase(time, width_));
  }
  EventTime slice_start(EventTime slice_end) const noexcept {
    return saturating_sub(slice_end, width_);
  }

  /// The end of the last window that holds the slice; nullopt when the slice lies in a gap between
  /// windows (slide > size).
  std::optional<EventTime> last_window_end(EventTime slice_end) const noexcept {
    if (slice_end == kMaxTime) return kMaxTime;  // the sum has saturated
    const EventTime start = slice_start(slice_end);
    const Millis after = phase(start, slide_);  // since the newest window began
    if (after >= size_) return std::nullopt;
    return saturating_add(start, size_ - after);
  }
  /// The smallest window end that is > `bound` and >= `slice_end`; a window that ends there holds
  /// the slice if it is <= last_window_end().
  EventTime window_end_after(EventTime slice_end, EventTime bound) const noexcept {
    const EventTime at_least = std::max(slice_end, saturating_add(bound, 1));
    const Millis past = phase(saturating_sub(at_least, size_), slide_);
    return past == 0 ? at_least : saturating_add(at_least, slide_ - past);
  }
  EventTime window_start(EventTime window_end) const noexcept {
    return saturating_sub(window_end, size_);
  }

  /// The starts of all windows that hold `time`, newest first: s with s <= time < s + size.
  std::vector<EventTime> window_starts(EventTime time) const {
    std::vector<EventTime> starts;
    for (EventTime start = saturating_sub(time, phase(time, slide_));
         start > saturating_sub(time, size_); start = saturating_sub(start, slide_))
      starts.push_back(start);
    return starts;
  }

 private:
  /// (time - offset) mod `unit` in [0, unit), without overflow.
  Millis phase(EventTime time, Millis unit) const noexcept {
    return floor_mod(floor_mod(time, unit) - floor_mod(offset_, unit), unit);
  }

  Millis size_;
  Millis slide_;
  Millis offset_;
  Millis width_;
};

}  // namespace tidemark
