// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/input_gate.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {

InputGate::InputGate(std::vector<GateChannel> channels)
    : combiner_(channels.size()), live_channels_(channels.size()) {
  TIDEMARK_CHECK(!channels.empty(), "a gate has channels");
  for (GateChannel& channel : channels) {
    if (channel.promised > kMinTime) combiner_.on_watermark(channels_.size(), channel.promised);
    channels_.push_back({.receiver = std::move(channel.receiver), .input = channel.input});
  }
  report_progress();
}

std::optional<GateEvent> InputGate::next() {
  if (!events_.empty()) return take_event();
  const std::size_t count = channels_.size();
  std::size_t empty_in_a_row = 0;
  while (empty_in_a_row < count) {
    const std::size_t channel = cursor_;
    cursor_ = cursor_ + 1 == count ? 0 : cursor_ + 1;
    State& state = channels_[channel];
    std::optional<Element> element;
    if (!state.blocked && !state.ended) element = state.receiver->receive();
    if (!element) {
      ++empty_in_a_row;
      continue;
    }
    empty_in_a_row = 0;
    if (std::optional<GateEvent> event = accept(channel, std::move(*element))) return event;
  }
  return std::nullopt;
}

std::optional<GateEvent> InputGate::take_event() {
  std::optional<GateEvent> event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::optional<GateEvent> InputGate::accept(std::size_t channel, Element&& element) {
  if (auto* batch = std::get_if<BatchPtr>(&element))
    return GateRows{std::move(*batch), channels_[channel].input};
  if (const auto* watermark = std::get_if<Watermark>(&element)) {
    if (combiner_.on_watermark(channel, watermark->time)) report_progress();
  } else if (const auto* status = std::get_if<StreamStatus>(&element)) {
    if (combiner_.on_status(channel, status->active)) report_progress();
  } else if (const auto* barrier = std::get_if<Barrier>(&element)) {
    on_barrier(channel, *barrier);
  } else if (const auto* marker = std::get_if<LatencyMarker>(&element)) {
    return *marker;
  } else {
    on_end(channel);
  }
  if (events_.empty()) return std::nullopt;
  return take_event();
}

void InputGate::report_progress() {
  // Rows may follow an active status at once, and an idle one follows the last watermark.
  if (reported_idle_ && !combiner_.idle()) {
    reported_idle_ = false;
    events_.push_back(StreamStatus{true});
  }
  if (combiner_.watermark() > reported_watermark_) {
    reported_watermark_ = combiner_.watermark();
    events_.push_back(Watermark{reported_watermark_});
  }
  if (!reported_idle_ && combiner_.idle()) {
    reported_idle_ = true;
    events_.push_back(StreamStatus{false});
  }
}

void InputGate::on_barrier(std::size_t channel, const Barrier& barrier) {
  if (barrier.checkpoint <= last_checkpoint_) return;
  if (pending_ && barrier.checkpoint < pending_->checkpoint) return;
  if (!pending_ || barrier.checkpoint > pending_->checkpoint) {
    unblock_all();
    pending_ = barrier;
  }
  channels_[channel].blocked = true;
  pass_barrier_if_aligned();
}

void InputGate::on_end(std::size_t channel) {
  State& state = channels_[channel];
  state.ended = true;
  --live_channels_;
  if (combiner_.on_end(channel)) report_progress();
  if (pending_) pass_barrier_if_aligned();
  if (live_channels_ == 0) events_.push_back(EndOfInput{});
}

void InputGate::pass_barrier_if_aligned() {
  const bool aligned = std::all_of(channels_.begin(), channels_.end(),
                                   [](const State& state) { return state.blocked || state.ended; });
  if (!aligned) return;
  events_.push_back(*pending_);
  last_checkpoint_ = pending_->checkpoint;
  pending_.reset();
  unblock_all();
}

void InputGate::unblock_all() {
  for (State& state : channels_) state.blocked = false;
}

void InputGate::abort_checkpoint(CheckpointId checkpoint) {
  if (pending_ && pending_->checkpoint <= checkpoint) {
    pending_.reset();
    unblock_all();
  }
  last_checkpoint_ = std::max(last_checkpoint_, checkpoint);
}

}  // namespace tidemark
