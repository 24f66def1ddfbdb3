// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulated_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace tidemark::sim {

/// One channel: what is on its way, what has arrived, and what the sender knows of its credit.
struct SimulatedChannel : std::enable_shared_from_this<SimulatedChannel> {
  SimulatedChannel(World& world_in, std::size_t index_in, ChannelOptions options_in)
      : world(world_in), index(index_in), options(std::move(options_in)) {}

  bool has_credit() {
    if (batches_out >= options.batches_max) {
      sender_waits = true;
      return false;
    }
    if (!world.faults.spurious_no_credit || !world.random.one_in(8)) return true;
    // A sender that is told so waits for a wake, as if its batches were still on the way.
    sender_waits = true;
    world.after(1 + delay(), [self = shared_from_this()] { self->wake_sender(); });
    return false;
  }

  void send(Element element) {
    if (std::holds_alternative<BatchPtr>(element)) {
      ++batches_out;
      if (batches_out > options.batches_max) {
        auto& most = world.statistics.overrun_batches_max;
        most = std::max<std::uint64_t>(most, batches_out - options.batches_max);
      }
    }
    travelling.push_back(std::move(element));
    world.after(delay(), [self = shared_from_this()] { self->deliver(); });
  }

  /// Events of one channel may come out of order; the elements do not, because each event delivers
  /// the oldest one.
  void deliver() {
    if (receiver_closed || travelling.empty()) return;
    ++world.statistics.deliveries;
    world.note("delivery", index, travelling.front().index());
    const bool was_empty = arrived.empty();
    arrived.push_back(std::move(travelling.front()));
    travelling.pop_front();
    if (was_empty && options.wake_receiver) options.wake_receiver();
  }

  std::optional<Element> receive() {
    if (arrived.empty()) return std::nullopt;
    Element element = std::move(arrived.front());
    arrived.pop_front();
    if (std::holds_alternative<BatchPtr>(element))
      world.after(delay(), [self = shared_from_this()] { self->return_credit(); });
    return element;
  }

  void return_credit() {
    --batches_out;
    wake_sender();
  }

  void wake_sender() {
    if (!std::exchange(sender_waits, false) || sender_closed) return;
    world.note("credit", index, batches_out);
    if (options.wake_sender) options.wake_sender();
  }

  std::uint64_t delay() {
    return world.faults.delivery_steps_max == 0
               ? 0
               : world.random.below(world.faults.delivery_steps_max + 1);
  }

  World& world;
  std::size_t index;
  ChannelOptions options;
  std::deque<Element> travelling;
  std::deque<Element> arrived;
  std::size_t batches_out = 0;  // sent, and their credit not back
  bool sender_waits = false;
  bool sender_closed = false;
  bool receiver_closed = false;
};

namespace {

class Sender final : public ChannelSender {
 public:
  explicit Sender(std::shared_ptr<SimulatedChannel> channel) : channel_(std::move(channel)) {}
  ~Sender() override { channel_->sender_closed = true; }

  bool has_credit() const override { return channel_->has_credit(); }
  void send(Element element) override { channel_->send(std::move(element)); }

 private:
  std::shared_ptr<SimulatedChannel> channel_;
};

class Receiver final : public ChannelReceiver {
 public:
  explicit Receiver(std::shared_ptr<SimulatedChannel> channel) : channel_(std::move(channel)) {}
  ~Receiver() override { channel_->receiver_closed = true; }

  std::optional<Element> receive() override { return channel_->receive(); }
  std::size_t queued() const override { return channel_->arrived.size(); }

 private:
  std::shared_ptr<SimulatedChannel> channel_;
};

}  // namespace

Channel SimulatedTransport::open_channel(ChannelOptions options) {
  auto channel = std::make_shared<SimulatedChannel>(world_, channels_.size(), std::move(options));
  channels_.push_back(channel);
  return {std::make_unique<Sender>(channel), std::make_unique<Receiver>(channel)};
}

std::string SimulatedTransport::describe_waiting() const {
  std::string text;
  for (const auto& weak : channels_) {
    const auto channel = weak.lock();
    if (!channel) continue;
    if (channel->arrived.empty() && channel->travelling.empty() && channel->batches_out == 0)
      continue;
    text += fmt::format("channel {}: {} on the way, {} arrived, credit {} of {} used{}\n",
                        channel->index, channel->travelling.size(), channel->arrived.size(),
                        channel->batches_out, channel->options.batches_max,
                        channel->sender_waits ? ", its sender waits" : "");
  }
  return text;
}

}  // namespace tidemark::sim
