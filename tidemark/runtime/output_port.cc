// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/output_port.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {

OutputPort::OutputPort(Distribution distribution,
                       std::vector<std::unique_ptr<ChannelSender>> channels,
                       std::unique_ptr<KeyGroupPartitioner> partitioner)
    : distribution_(channels.size() == 1 ? Distribution::kForward : distribution),
      partitioner_(std::move(partitioner)) {
  TIDEMARK_CHECK(!channels.empty(), "a port has channels");
  for (auto& channel : channels) targets_.push_back({.sender = std::move(channel), .waiting = {}});
  TIDEMARK_CHECK(distribution_ != Distribution::kForward || targets_.size() == 1,
                 "a forward edge has one channel a subtask");
  TIDEMARK_CHECK(distribution_ != Distribution::kKeyGroup ||
                     (partitioner_ && partitioner_->targets() == targets_.size()),
                 "a partitioner for the channels");
}

bool OutputPort::ready() const {
  if (waiting_ > 0) return false;
  const auto has_credit = [](const Target& target) { return target.sender->has_credit(); };
  if (distribution_ == Distribution::kRebalance)
    return std::any_of(targets_.begin(), targets_.end(), has_credit);
  return std::all_of(targets_.begin(), targets_.end(), has_credit);
}

void OutputPort::send(const BatchPtr& batch) {
  switch (distribution_) {
    case Distribution::kForward: send_to(targets_.front(), batch); break;
    case Distribution::kRebalance: send_to(next_in_turn(), batch); break;
    case Distribution::kBroadcast:
      for (Target& target : targets_) send_to(target, batch);
      break;
    case Distribution::kKeyGroup:
      partitioner_->split(batch, parts_);
      for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i]) send_to(targets_[i], std::move(parts_[i]));
      break;
  }
}

void OutputPort::broadcast(const Element& control) {
  for (Target& target : targets_) send_to(target, control);
}

bool OutputPort::flush() {
  if (waiting_ == 0) return true;
  for (Target& target : targets_) {
    while (!target.waiting.empty() && can_send(*target.sender, target.waiting.front())) {
      target.sender->send(std::move(target.waiting.front()));
      target.waiting.pop_front();
      --waiting_;
    }
  }
  return waiting_ == 0;
}

bool OutputPort::can_send(const ChannelSender& sender, const Element& element) {
  return std::holds_alternative<BatchPtr>(element) ? sender.has_credit()
                                                   : sender.has_control_room();
}

void OutputPort::send_to(Target& target, Element element) {
  if (target.waiting.empty() && can_send(*target.sender, element)) {
    target.sender->send(std::move(element));
    return;
  }
  target.waiting.push_back(std::move(element));
  ++waiting_;
}

OutputPort::Target& OutputPort::next_in_turn() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[turn_];
    turn_ = turn_ + 1 == targets_.size() ? 0 : turn_ + 1;
    if (target.waiting.empty() && target.sender->has_credit()) return target;
  }
  return targets_[turn_];
}

}  // namespace tidemark
