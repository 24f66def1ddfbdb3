// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "tidemark/state/keyed_state.h"
#include "tidemark/window/slices.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

/// Where the parts of a window come from: the slices' table of a window operator. Outlives what is
/// made with it.
struct SliceTable {
  Slices slices;
  KeyedTable* table = nullptr;
  TableDescriptor descriptor;
  WindowAggregator* aggregator = nullptr;
  /// The slices that hold entries.
  std::set<EventTime> pending;
};

/// What a window of several slices holds, key by key, kept from one firing to the next so that a
/// firing costs the slices that came and went and not all of them. It lives in memory only: after a
/// restore it is made again from the slices. The task's thread.
///
/// Use: enter(), step() until true, scan() and fire(); leave(), step() until true.
class WindowContents {
 public:
  virtual ~WindowContents() = default;

  /// Turns to the window that ends at `window_end`, later than all before.
  virtual void enter(EventTime window_end) = 0;
  /// Gives up the slices that no window after `window_end` holds, before they are dropped.
  virtual void leave(EventTime window_end) = 0;
  /// A bounded part of the work of enter() or leave(); true when it is done.
  virtual bool step() = 0;

  virtual std::unique_ptr<TableScan> scan() = 0;
  /// Where an entry's value begins to be one of the aggregator's (a total, for a running total).
  virtual std::size_t value_offset() const = 0;
  /// One output row an entry of scan().
  virtual BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) = 0;

  /// Whether the slice's place is within it. Changes of such a slice must be told when a window
  /// that has not fired holds it.
  virtual bool includes(EventTime slice_end) const = 0;
  /// Stand around every change of entries of an included slice; `rows` of `keys` may repeat keys.
  virtual void before_update(EventTime slice_end, const KeyBatch& keys, Selection rows) = 0;
  virtual void after_update(EventTime slice_end, const KeyBatch& keys, Selection rows) = 0;

  virtual std::size_t memory_bytes() const = 0;
};

/// The slice itself, where each window is one.
std::unique_ptr<WindowContents> make_single_slice(SliceTable& slices);
/// A total that new slices are added to and old ones are taken out of, for aggregators with
/// totals(). A firing costs two slices and the output.
std::unique_ptr<WindowContents> make_running_total(SliceTable& slices);
/// For every aggregator that merges: two stacks. Slices up to the window's split are merged from
/// the last to the first, and each step of that is kept so that it can be undone; slices after the
/// split are merged as they come. Also what cumulating windows need, whose first stack is empty.
std::unique_ptr<WindowContents> make_two_stacks(SliceTable& slices);

}  // namespace tidemark
