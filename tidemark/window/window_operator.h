// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/expr/aggregate.h"
#include "tidemark/operator/operator.h"
#include "tidemark/operator/source.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/window/window_clock.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// What is kept for each key and slice, and what a window says when it fires. The operator owns the
/// table, the aggregator knows what is in it. One instance an operator; the task's thread.
class WindowAggregator {
 public:
  virtual ~WindowAggregator() = default;

  /// Called once before anything else.
  virtual void open(OperatorContext& context) { static_cast<void>(context); }

  virtual std::shared_ptr<const ValueOperations> values() const = 0;
  /// In words, for the snapshot: "COUNT, SUM(BIGINT)".
  virtual std::string schema() const = 0;
  /// Adds rows[i] of `batch` to entries[i]. The rows ascend; entries may repeat.
  virtual void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) = 0;
  /// Adds a slice's entry to another of the same key, which may still be all zero.
  virtual void merge(std::byte* into, const std::byte* other) = 0;
  /// The same by the batch; `into` does not repeat.
  virtual void merge_all(std::span<std::byte* const> into,
                         std::span<const std::byte* const> others) {
    for (std::size_t i = 0; i < into.size(); ++i) merge(into[i], others[i]);
  }
  /// One output batch of a firing: a row an entry.
  virtual BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) = 0;
  /// The same for entries of different windows: a row an entry, of windows[i].
  virtual BatchPtr fire_each(std::span<const TimeWindow> windows,
                             std::span<const TableScan::Entry> entries) = 0;

  /// For sliding windows of aggregates from which a slice can be taken out again, exactly: what
  /// totals over several slices look like. nullptr: slices are merged. The rest is called only when
  /// there are totals.
  virtual std::shared_ptr<const ValueOperations> totals() const { return nullptr; }
  /// Adds slices' entries to totals, which do not repeat and may still be all zero.
  virtual void add(std::span<std::byte* const> totals, std::span<const std::byte* const> entries) {
    static_cast<void>(totals), static_cast<void>(entries);
  }
  virtual void subtract(std::span<std::byte* const> totals,
                        std::span<const std::byte* const> entries) {
    static_cast<void>(totals), static_cast<void>(entries);
  }
  /// As fire(), of totals.
  virtual BatchPtr fire_totals(TimeWindow window, std::span<const TableScan::Entry> totals) {
    static_cast<void>(window), static_cast<void>(totals);
    return nullptr;
  }
};

struct WindowOperatorDescription {
  WindowDescription window;
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
  /// Late rows go to output 1 instead of being dropped; counted either way.
  bool late_side_output = false;
  /// The output is a changelog: a window that speaks again takes back what it said (-U, +U).
  /// Otherwise it says the new result only.
  bool updating = false;
  /// Results before a window is complete, and after late rows, come when so many milliseconds of
  /// processing time have passed since the first change; 0: with every batch. Negative: no early
  /// results, late ones with every batch. Those >= 0 need `updating`, and keep in state what was
  /// said.
  Millis early_fire_delay = -1;
  Millis late_fire_delay = -1;
  /// Where windows are cut in local time; null for UTC.
  std::shared_ptr<const WindowClock> clock;
};

/// Event-time windows over slices: a row updates one entry, a watermark fires the windows whose end
/// it reaches, in the order of their ends. State and watermark are in its snapshots: what was late
/// before a restore is late after it.
///   * A row is late when the last window that holds it has end + allowed lateness <= W. Rows of a
///     window that has fired but is not late fire it again, for their keys, once a batch.
///   * A row in a gap between windows (slide > size) is counted as unassigned.
///   * A row without an event time, or one that updates or deletes another, is a Failure.
std::unique_ptr<Operator> make_window_operator(WindowOperatorDescription description,
                                               std::unique_ptr<WindowAggregator> aggregator);

/// SQL's GROUP BY keys, window_start, window_end (graph/job_graph.proto, WindowAggregateSpec).
struct WindowAggregateDescription {
  SchemaPtr input;
  SchemaPtr output;  // keys, aggregates, window_start, window_end, window_time
  WindowOperatorDescription window;
  std::vector<AggregateCall> aggregates;
  std::string time_zone = "UTC";  // TIMESTAMP_LTZ windows are cut in local time
  bool local_time = false;        // the time column is TIMESTAMP_LTZ
  /// Sessions with this gap instead of `window.window`, whose allowed lateness counts; 0 for none.
  Millis session_gap = 0;
  bool updating = false;                                // SessionOperatorDescription::updating
  RecordErrorPolicy errors = RecordErrorPolicy::kFail;  // kSkip: the row does not count
};

Result<std::unique_ptr<Operator>> make_window_aggregate(WindowAggregateDescription description);

}  // namespace tidemark
