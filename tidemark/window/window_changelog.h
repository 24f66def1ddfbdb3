// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <vector>

#include "tidemark/window/slice_reader.h"
#include "tidemark/window/window_contents.h"

namespace tidemark {

/// What windows have said, as accumulators by window end and key, so that it can be taken back when
/// they say something else. Belongs to a window operator; its thread.
class WindowChangelog {
 public:
  /// `said` is a table of accumulators, in the operator's state or beside it.
  WindowChangelog(SliceTable& slices, KeyedTable& said) : slices_(slices), said_(said) {}

  /// Takes up what a restored table holds.
  void restore();
  /// The changelog rows by which rows[i] of `keys` come to values[i] in the window: +I for what is
  /// new, -U and +U for what is another than before, nothing for what is the same. Remembers the
  /// values. nullptr: nothing has changed. At most two rows a key; keys do not repeat.
  BatchPtr say(TimeWindow window, const KeyBatch& keys, Selection rows,
               std::span<const std::byte* const> values);
  /// The window has said this.
  void remember(EventTime window_end, const KeyBatch& keys, Selection rows,
                std::span<const std::byte* const> values);
  void forget(EventTime window_end);
  /// Windows that end at or before `bound`.
  void forget_through(EventTime bound);

 private:
  bool same(const std::byte* a, const std::byte* b) const;
  BatchPtr make_batch(TimeWindow window);

  SliceTable& slices_;
  KeyedTable& said_;
  std::set<EventTime> windows_;  // in said_

  // Reused from batch to batch.
  std::vector<const std::byte*> before_;
  std::vector<TableScan::Entry> old_entries_;
  std::vector<TableScan::Entry> new_entries_;
  std::vector<bool> is_update_;  // by new entry
  std::vector<RowIndex> changed_rows_;
  std::vector<const std::byte*> changed_values_;
  std::vector<std::byte*> remembered_;
};

}  // namespace tidemark
