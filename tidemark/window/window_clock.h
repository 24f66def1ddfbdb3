// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "tidemark/base/time.h"

namespace tidemark {

/// Relates instants (event time, UTC) to the wall clock by which windows are cut. Where a zone
/// sets its clocks back, two instants have one wall-clock time, and where it sets them forward some
/// have none (flink_semantics: a repeated hour is one window, a skipped one has none).
/// Each operator has its own, used by its thread. kMinTime and kMaxTime map to themselves.
class WindowClock {
 public:
  virtual ~WindowClock() = default;

  /// The zone's name, for messages and snapshots.
  virtual std::string_view zone() const = 0;
  /// The wall-clock time of each instant.
  virtual void to_local(std::span<const EventTime> instants, std::span<EventTime> local) const = 0;
  /// The wall-clock time that no instant >= `instant` is before: windows that end there or earlier
  /// are complete when the watermark is `instant`.
  virtual EventTime complete_through(EventTime instant) const = 0;
  /// The last instant whose wall-clock time is < `local`: the event time of a result of the window
  /// that ends at `local`.
  virtual EventTime last_instant_before(EventTime local) const = 0;
};

}  // namespace tidemark
