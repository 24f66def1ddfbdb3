// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tidemark/operator/operator.h"
#include "tidemark/window/window_changelog.h"
#include "tidemark/window/window_contents.h"

namespace tidemark {

/// Decides which windows fire and which slices are no longer needed, and says what they hold. Times
/// are those by which windows are cut. Windows are found from the slices that hold entries, so
/// empty ones cost nothing (B06). Belongs to a window operator; its thread.
class WindowFiring {
 public:
  /// With a changelog, what a window said early is taken back where it is wrong. Null: none did.
  WindowFiring(SliceTable& slices, WindowChangelog* changelog);

  /// Windows that end at or before this have fired.
  EventTime complete() const noexcept { return complete_; }
  /// Rows whose last window ends at or before this are late.
  EventTime expired() const noexcept { return expired_; }
  /// Between begin() and the end of advance().
  bool active() const noexcept { return active_; }

  /// Takes up the slices of a restored table, without firing anything.
  void restore(EventTime complete, EventTime expired);

  /// Time has come to `complete`, and late rows are accepted for windows that end after `expired`
  /// (<= complete).
  void begin(EventTime complete, EventTime expired);
  /// Fires what begin() allows, batch by batch while the output has room, and drops slices.
  Step advance(Output& out);

  /// Stand around each change of a slice's entries for `rows` of `keys`.
  void before_update(EventTime slice_end, const KeyBatch& keys, Selection rows);
  void after_update(EventTime slice_end, const KeyBatch& keys, Selection rows);

 private:
  enum class Phase : std::uint8_t { kNextWindow, kEntering, kEmitting, kLeaving };

  bool in_contents(EventTime slice_end) const;
  std::optional<EventTime> next_window() const;
  bool emit(Output& out);
  BatchPtr fire(TimeWindow window, std::size_t count);
  void drop_expired(EventTime bound);

  SliceTable& slices_;
  WindowChangelog* changelog_;
  std::unique_ptr<WindowContents> contents_;

  EventTime complete_ = kMinTime;
  EventTime expired_ = kMinTime;
  bool active_ = false;
  Phase phase_ = Phase::kNextWindow;
  EventTime fired_ = kMinTime;  // the last window that fired; complete_ is where firing goes to
  EventTime window_end_ = kMinTime;  // of the window that is firing
  std::unique_ptr<TableScan> scan_;
  std::vector<TableScan::Entry> entries_;
  KeyBatch keys_;
  std::vector<RowIndex> rows_;
  std::vector<const std::byte*> values_;
};

}  // namespace tidemark
