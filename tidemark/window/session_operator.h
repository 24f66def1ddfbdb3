// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/operator/operator.h"
#include "tidemark/window/window_clock.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

/// What time sessions are cut by.
enum class WindowTime : std::uint8_t {
  kEventTime,       // the rows' own, as the watermark lets it pass
  kProcessingTime,  // the wall clock when a row comes; a result depends on when the job ran
};

struct SessionDescription {
  /// Milliseconds, > 0. Rows of a key that are at most so far apart are one session; it is
  /// [first row, last row + gap).
  Millis gap = 0;
  Millis allowed_lateness = 0;  // event time only
};

Status validate(const SessionDescription& session);

struct SessionOperatorDescription {
  SessionDescription session;
  /// Where given, the gap of each row instead of `session.gap`: fills in a positive number of
  /// milliseconds for each row of the batch.
  std::function<void(const Batch&, std::span<Millis>)> gap_of;
  WindowTime time = WindowTime::kEventTime;
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
  /// Late rows go to output 1 instead of being dropped; counted either way.
  bool late_side_output = false;
  /// The output is a changelog: a session that a late row changes after it has fired takes back
  /// what it said, at once, with a -U where it fires again at once for the same window, and with a
  /// -D where it has grown. What it says then is a +U or a +I.
  bool updating = false;
  /// Where windows are cut in local time; null for UTC.
  std::shared_ptr<const WindowClock> clock;
};

/// Session windows (flink_semantics 2.5): a row at t is [t, t + gap), and windows of a key that
/// touch become one, whose accumulators are merged. A session fires when W >= its end, in the order
/// of ends, then of key groups, then of keys. State and watermark are in its snapshots.
///   * A row that touches a live session is kept, however late it is. Alone it is late when
///     t + gap + allowed lateness <= W.
///   * A session that has fired lives until end + allowed lateness <= W. Late rows in that time
///     fire it again, whole, once a batch; they may also let it grow, or join it to others.
///   * At the end of input every session fires, those by processing time too.
///   * A row without an event time, one that updates or deletes another, and a gap that is not
///     positive are a Failure.
std::unique_ptr<Operator> make_session_operator(SessionOperatorDescription description,
                                                std::unique_ptr<WindowAggregator> aggregator);

}  // namespace tidemark
