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

namespace tidemark {

/// Event times [start, end), milliseconds. Half-open, so it fires when the watermark W >= end.
struct TimeWindow {
  EventTime start;
  EventTime end;
};

/// Windows of `size` that begin every `slide` from `offset`, made of slices of gcd(size, slide) (D8). A
/// tumbling window has slide == size and is one slice. All in milliseconds, |offset| < slide.
struct WindowDescription {
  Millis size = 0;
  Millis slide = 0;
  Millis offset = 0;
  Millis allowed_lateness = 0;
};

/// An error names the parameter: size and slide must be > 0, |offset| < slide.
Status validate(const WindowDescription& window);

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
  /// Adds rows[i] of `batch` to entries[i].
  virtual void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) = 0;
  /// Adds a slice's entry to another of the same key.
  virtual void merge(std::byte* into, const std::byte* other) = 0;
  /// One output batch of a firing: a row an entry (an aggregator may leave rows out, as HAVING does).
  virtual BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) = 0;
};

struct WindowOperatorDescription {
  WindowDescription window;
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
  /// Late rows go to output 1 instead of being dropped; counted either way.
  bool late_side_output = false;
};

/// Event-time windows over slices: a row updates one entry, a watermark fires the windows whose end
/// it reaches, in order of their ends. Rows need event times. State and watermark are in its
/// snapshots: what was late before a restore is late after it.
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
  RecordErrorPolicy errors = RecordErrorPolicy::kFail;  // kSkip: the row does not count
};

Result<std::unique_ptr<Operator>> make_window_aggregate(WindowAggregateDescription description);

}  // namespace tidemark
