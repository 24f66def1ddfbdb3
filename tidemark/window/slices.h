// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// The arithmetic of windows and the slices they are made of. Slices are the pieces of
/// gcd(size, slide) between all bounds of windows, so each window is a whole number of slices and a
/// row is in exactly one. A slice is named by its end. Times before 1970 and those next to kMinTime
/// and kMaxTime are in order: division rounds down and sums saturate.
class Slices {
 public:
  explicit Slices(const WindowDescription& window)
      : size_(window.size),
        slide_(window.slide),
        offset_(window.offset),
        cumulating_(window.shape == WindowShape::kCumulating),
        width_(std::gcd(window.size, window.slide)) {}

  Millis width() const noexcept { return width_; }
  bool one_a_window() const noexcept { return width_ == size_; }
  bool slides() const noexcept { return !cumulating_; }

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
    if (cumulating_) return saturating_add(period_start(start), size_);
    const Millis after = phase(start, slide_);  // since the newest window began
    if (after >= size_) return std::nullopt;
    return saturating_add(start, size_ - after);
  }
  /// The smallest window end that is > `bound` and >= `slice_end`; a window that ends there holds
  /// the slice if it is <= last_window_end().
  EventTime window_end_after(EventTime slice_end, EventTime bound) const noexcept {
    const EventTime at_least = std::max(slice_end, saturating_add(bound, 1));
    const Millis past = phase(cumulating_ ? at_least : saturating_sub(at_least, size_), slide_);
    return past == 0 ? at_least : saturating_add(at_least, slide_ - past);
  }
  EventTime window_start(EventTime window_end) const noexcept {
    return cumulating_ ? period_start(window_end - 1) : saturating_sub(window_end, size_);
  }
  /// Splits each window at a place that windows near it share, start <= split < end: where the
  /// oldest of them begins to lose slices. Follows from the windows alone, so that what is merged
  /// on either side of it is merged in the same order after a restore.
  EventTime split_of(EventTime window_end) const noexcept {
    return cumulating_ ? window_start(window_end) : period_start(window_end - 1);
  }

  /// All windows that hold `time`, the last to end first.
  std::vector<TimeWindow> windows_of(EventTime time) const {
    std::vector<TimeWindow> windows;
    if (cumulating_) {
      const EventTime start = period_start(time);
      for (EventTime end = saturating_add(start, size_); end > time; end -= slide_)
        windows.push_back({start, end});
      return windows;
    }
    for (EventTime start = saturating_sub(time, phase(time, slide_));
         start > saturating_sub(time, size_); start = saturating_sub(start, slide_))
      windows.push_back({start, saturating_add(start, size_)});
    return windows;
  }

 private:
  /// The greatest offset + k * size that is <= time.
  EventTime period_start(EventTime time) const noexcept {
    return saturating_sub(time, phase(time, size_));
  }
  /// (time - offset) mod `unit` in [0, unit), without overflow.
  Millis phase(EventTime time, Millis unit) const noexcept {
    return floor_mod(floor_mod(time, unit) - floor_mod(offset_, unit), unit);
  }

  Millis size_;
  Millis slide_;
  Millis offset_;
  bool cumulating_;
  Millis width_;
};

}  // namespace tidemark
