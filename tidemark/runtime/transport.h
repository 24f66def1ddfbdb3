// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "tidemark/runtime/element.h"

namespace tidemark {

/// The sending end of a channel: one task, one thread.
class ChannelSender {
 public:
  virtual ~ChannelSender() = default;

  /// Whether a batch may be sent. False means: wait for the wake that the consumer sends when it
  /// has made room.
  virtual bool has_credit() const = 0;
  /// Whether a control element may be sent. They have a reserve of their own, so this is false only
  /// after many of them went out while the consumer took nothing; the same wake announces room.
  virtual bool has_control_room() const { return true; }
  /// Sends an element. A batch needs credit and a control element needs control room.
  virtual void send(Element element) = 0;
};

/// The receiving end of a channel: one task, one thread.
class ChannelReceiver {
 public:
  virtual ~ChannelReceiver() = default;

  /// The next element, or nothing. Taking a batch gives its credit back to the sender.
  virtual std::optional<Element> receive() = 0;
  /// Elements that wait.
  virtual std::size_t queued() const = 0;
};

struct Channel {
  std::unique_ptr<ChannelSender> sender;
  std::unique_ptr<ChannelReceiver> receiver;
};

struct ChannelOptions {
  std::size_t batches_max = 8;  // credit: batches in flight
  /// Called by the sender's thread after a send into an empty channel.
  std::function<void()> wake_receiver;
  /// Called by the receiver's thread when credit or control room comes back.
  std::function<void()> wake_sender;
};

/// Seam four of four: how elements get from one task to another. In one process a bounded ring; in
/// a cluster frames under credits over TCP; in the simulator a queue with delays from a seed.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Channel open_channel(ChannelOptions options) = 0;
};

/// Lock-free single-producer single-consumer rings within the process.
std::unique_ptr<Transport> make_local_transport();

}  // namespace tidemark
