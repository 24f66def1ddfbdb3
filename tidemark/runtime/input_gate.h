// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "tidemark/operator/watermark.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {

/// Rows for input `input` of the task's first operator.
struct GateRows {
  BatchPtr batch;
  std::size_t input;
};

/// What a gate makes of its channels: one stream whose watermark, status, barriers and end hold for
/// all of them.
using GateEvent =
    std::variant<GateRows, Watermark, Barrier, StreamStatus, EndOfInput, LatencyMarker>;

/// One channel of a gate and the operator input that it feeds.
struct GateChannel {
  std::unique_ptr<ChannelReceiver> receiver;
  std::size_t input = 0;
  /// What is known of the sender before its first element: kMaxTime for one that will send no rows.
  EventTime promised = kMinTime;
};

/// Merges the channels of all inputs of a task, and is the only place that knows about them.
///
/// Watermarks and status are combined by WatermarkCombiner over all channels. Barriers are aligned
/// (exactly once): a channel that delivered barrier n is not read until every channel has delivered
/// it or has ended. Barriers that are not newer than the last one passed on, given up or replaced
/// are ignored, and their channel goes on; a newer one replaces the one being aligned.
///
/// Owner: a task. Thread: the task's.
class InputGate {
 public:
  /// Requires at least one channel.
  explicit InputGate(std::vector<GateChannel> channels);

  /// The next event; absent when nothing waits in a channel that may be read. Channels take turns.
  std::optional<GateEvent> next();

  /// The coordinator gave up checkpoint `checkpoint`: its alignment ends and its barriers, and
  /// older ones, are ignored.
  void abort_checkpoint(CheckpointId checkpoint);

  bool aligning() const noexcept { return pending_.has_value(); }
  EventTime watermark() const noexcept { return combiner_.watermark(); }

 private:
  struct State {
    std::unique_ptr<ChannelReceiver> receiver;
    std::size_t input;
    bool blocked = false;  // has delivered the barrier being aligned
    bool ended = false;
  };

  std::optional<GateEvent> take_event();
  std::optional<GateEvent> accept(std::size_t channel, Element&& element);
  void on_barrier(std::size_t channel, const Barrier& barrier);
  void on_end(std::size_t channel);
  void report_progress();
  void pass_barrier_if_aligned();
  void unblock_all();

  std::vector<State> channels_;
  WatermarkCombiner combiner_;
  std::deque<GateEvent> events_;  // at most four: what one element can lead to
  std::size_t cursor_ = 0;
  std::size_t live_channels_;
  std::optional<Barrier> pending_;
  CheckpointId last_checkpoint_ = 0;  // passed on or given up
  EventTime reported_watermark_ = kMinTime;
  bool reported_idle_ = false;
};

}  // namespace tidemark
