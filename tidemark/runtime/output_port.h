// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tidemark/runtime/partitioner.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {

/// How the batches of an edge are handed to the subtasks at its other end.
enum class Distribution : std::uint8_t {
  kForward,    // to the one subtask there is
  kKeyGroup,   // each row to the owner of its key group
  kRebalance,  // whole batches in turn, skipping those without credit
  kBroadcast,  // every batch to all
};

/// The sending side of one edge in one subtask: its channels, and what could not be sent yet. Rows
/// reach each channel in the order of send(), and control elements reach all channels after the
/// rows sent before them. Owner: a task. Thread: the task's.
class OutputPort {
 public:
  /// `partitioner` is set for kKeyGroup with more than one channel.
  OutputPort(Distribution distribution, std::vector<std::unique_ptr<ChannelSender>> channels,
             std::unique_ptr<KeyGroupPartitioner> partitioner = nullptr);

  /// Whether there is room for a batch, wherever it goes. Nothing waits for credit then.
  bool ready() const;
  /// Sends, or keeps until there is credit: a port is meant to be asked by ready() before.
  void send(const BatchPtr& batch);
  /// To all channels. Control elements need no credit.
  void broadcast(const Element& control);
  /// Sends what waits as far as credit goes; true when nothing waits any more.
  bool flush();

 private:
  struct Target {
    std::unique_ptr<ChannelSender> sender;
    std::deque<Element> waiting;
  };

  static bool can_send(const ChannelSender& sender, const Element& element);
  void send_to(Target& target, Element element);
  Target& next_in_turn();

  Distribution distribution_;
  std::vector<Target> targets_;
  std::unique_ptr<KeyGroupPartitioner> partitioner_;
  std::vector<BatchPtr> parts_;
  std::size_t waiting_ = 0;  // elements over all targets
  std::size_t turn_ = 0;
};

}  // namespace tidemark
