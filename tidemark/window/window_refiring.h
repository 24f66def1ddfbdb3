// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "tidemark/operator/operator.h"
#include "tidemark/window/slice_reader.h"
#include "tidemark/window/slice_rows.h"
#include "tidemark/window/window_changelog.h"
#include "tidemark/window/window_contents.h"

namespace tidemark {

/// Says what windows hold now for some keys: those of late rows, and of early results. Belongs to a
/// window operator; its thread.
class WindowRefiring {
 public:
  /// Null without a changelog: results come again as they are.
  WindowRefiring(SliceTable& slices, WindowChangelog* changelog);

  /// Makes the changelog know what the windows of begin() have said for keys that are about to
  /// change: what they hold now. For operators whose windows speak after every change.
  void remember(const KeyBatch& keys, std::span<const SliceRows> touched, EventTime after,
                EventTime until);

  /// The windows of `touched` slices that end in (after, until], for the keys of the touched rows.
  /// `keys` and `touched` stay as they are until advance() is done.
  void begin(const KeyBatch& keys, std::span<const SliceRows> touched, EventTime after,
             EventTime until);
  bool active() const noexcept { return active_; }
  /// At most one result a touched key and window, batch by batch while the output has room.
  Step advance(Output& out);

 private:
  void find_windows(EventTime after, EventTime until);
  void open_window();
  void merge_keys(Selection rows);
  BatchPtr fire(TimeWindow window, Selection rows);
  void remember_keys(Selection rows);

  SliceTable& slices_;
  WindowChangelog* changelog_;
  ScratchTables scratch_;
  KeyedTable& merged_;
  DistinctRows distinct_;

  bool active_ = false;
  const KeyBatch* keys_ = nullptr;
  std::span<const SliceRows> touched_;
  std::deque<EventTime> windows_;  // that are still to fire; the first may be under way
  std::vector<RowIndex> rows_;     // of the first window, one a key
  std::size_t next_row_ = 0;

  // Reused from batch to batch.
  std::vector<std::byte*> values_;
  std::vector<const std::byte*> found_;
  std::vector<bool> present_;  // whether the window holds anything of a key
  std::vector<RowIndex> present_rows_;
  std::vector<const std::byte*> present_values_;
  std::vector<TableScan::Entry> entries_;
};

}  // namespace tidemark
