// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "tidemark/operator/operator.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/window/slice_rows.h"
#include "tidemark/window/slices.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

/// Decides which windows fire and which slices are no longer needed, and reads the results out of
/// the slices' table (its namespaces are slice ends). Times are those by which windows are cut.
/// Windows are found from the slices that hold entries, so empty ones cost nothing (B06). Belongs
/// to a window operator; its thread.
class WindowFiring {
 public:
  WindowFiring(const Slices& slices, KeyedTable& table, const TableDescriptor& descriptor,
               WindowAggregator& aggregator);

  /// Windows that end at or before this have fired.
  EventTime complete() const noexcept { return complete_; }
  /// Rows whose last window ends at or before this are late.
  EventTime expired() const noexcept { return expired_; }
  /// Between begin() and the end of advance().
  bool active() const noexcept { return active_; }

  /// The slice holds entries.
  void add_slice(EventTime slice_end) { pending_.insert(slice_end); }
  /// Takes up the slices of a restored table, without firing anything.
  void restore(EventTime complete, EventTime expired);

  /// Time has come to `complete`, and late rows are accepted for windows that end after `expired`
  /// (<= complete).
  void begin(EventTime complete, EventTime expired);
  /// Fires what begin() allows, batch by batch while the output has room, and drops slices.
  Step advance(Output& out);

  /// Fires again the windows that had fired and that `touched` slices changed, for the keys of the
  /// touched rows only. At most one output row a touched row and window.
  void fire_again(const KeyBatch& keys, std::span<const SliceRows> touched, Output& out);

 private:
  std::optional<EventTime> next_window() const;
  void open_window(EventTime end);
  void drop_expired(EventTime bound);
  std::vector<EventTime> slices_of(EventTime window_end) const;
  void merge_slice(EventTime slice_end);
  void merge_keys(const std::vector<EventTime>& slices, const KeyBatch& keys, Selection rows);
  void emit(EventTime window_end, std::span<const TableScan::Entry> entries, Output& out);
  void fire_keys(EventTime window_end, const KeyBatch& keys, const std::vector<RowIndex>& rows,
                 Output& out);
  KeyedTable& merged();

  Slices slices_;
  KeyedTable& table_;
  TableDescriptor descriptor_;
  WindowAggregator& aggregator_;

  std::set<EventTime> pending_;  // slices with entries
  EventTime complete_ = kMinTime;
  EventTime expired_ = kMinTime;
  bool active_ = false;
  EventTime fired_ = kMinTime;  // the last window that fired; complete_ is where firing goes to
  std::unique_ptr<TableScan> scan_;  // of the window that is firing
  EventTime window_end_ = kMinTime;
  std::vector<TableScan::Entry> entries_;

  // Windows of several slices are merged here. Never part of a snapshot: a firing ends before one.
  std::unique_ptr<KeyedStateBackend> merged_backend_;
  KeyedTable* merged_ = nullptr;
  KeyBatch merged_keys_;
  std::vector<RowIndex> rows_;
  std::vector<std::byte*> values_;
  std::vector<const std::byte*> found_;
};

}  // namespace tidemark
