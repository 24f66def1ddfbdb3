// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/input_gate.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tidemark/runtime/test_rows.h"

namespace tidemark {
namespace {

class Gate : public testing::Test {
 protected:
  /// The channels before `silent` come from senders that will send no rows.
  void open(std::size_t channels, std::size_t silent = 0) {
    std::vector<GateChannel> receivers;
    senders_.clear();
    for (std::size_t i = 0; i < channels; ++i) {
      Channel channel = transport_->open_channel({.batches_max = 64});
      senders_.push_back(std::move(channel.sender));
      receivers.push_back({std::move(channel.receiver), i, i < silent ? kMaxTime : kMinTime});
    }
    gate_ = std::make_unique<InputGate>(std::move(receivers));
  }

  static std::string describe(const GateEvent& event) {
    if (const auto* rows = std::get_if<GateRows>(&event))
      return std::to_string(to_numbers(*rows->batch).front()) + "@" + std::to_string(rows->input);
    if (const auto* mark = std::get_if<Watermark>(&event))
      return mark->time == kMaxTime ? "W(max)" : "W(" + std::to_string(mark->time) + ")";
    if (const auto* barrier = std::get_if<Barrier>(&event))
      return "B" + std::to_string(barrier->checkpoint);
    if (const auto* status = std::get_if<StreamStatus>(&event))
      return status->active ? "active" : "idle";
    return std::holds_alternative<EndOfInput>(event) ? "end" : "marker";
  }

  /// Everything that can be read now, separated by blanks.
  std::string drain() {
    std::string text;
    while (const std::optional<GateEvent> event = gate_->next())
      text += (text.empty() ? "" : " ") + describe(*event);
    return text;
  }
  void send(std::size_t channel, Element element) { senders_[channel]->send(std::move(element)); }
  void barrier(std::size_t channel, CheckpointId id) { send(channel, Barrier{id, 0}); }

  std::unique_ptr<Transport> transport_ = make_local_transport();
  std::vector<std::unique_ptr<ChannelSender>> senders_;
  std::unique_ptr<InputGate> gate_;
};

TEST_F(Gate, CombinesWatermarksOfAllChannels) {
  open(2);
  send(0, Watermark{10});
  EXPECT_EQ(drain(), "");
  send(1, Watermark{5});
  EXPECT_EQ(drain(), "W(5)");
  send(1, Watermark{20});
  EXPECT_EQ(drain(), "W(10)");
}

TEST_F(Gate, ASenderWithoutRowsHoldsNothingBackFromTheStart) {
  open(3, 2);
  EXPECT_EQ(drain(), "");
  send(2, Watermark{5});
  EXPECT_EQ(drain(), "W(5)");
  send(2, StreamStatus{false});
  EXPECT_EQ(drain(), "idle");
  send(0, Watermark{kMaxTime});
  send(1, Watermark{kMaxTime});
  EXPECT_EQ(drain(), "");
  send(2, Watermark{kMaxTime});
  EXPECT_EQ(drain(), "active W(max)");
  open(2, 2);
  EXPECT_EQ(drain(), "W(max)");
}

TEST_F(Gate, AnIdleChannelHoldsNothingBackAndCountsAgainWhenItWakes) {
  open(2);
  send(0, Watermark{10});
  send(1, StreamStatus{false});
  EXPECT_EQ(drain(), "W(10)");
  send(1, StreamStatus{true});
  send(1, Watermark{4});
  EXPECT_EQ(drain(), "");
  send(0, Watermark{30});
  EXPECT_EQ(drain(), "");
  send(1, Watermark{25});
  EXPECT_EQ(drain(), "W(25)");
}

TEST_F(Gate, IsIdleWhenAllAre) {
  open(2);
  send(0, Watermark{10});
  send(1, Watermark{7});
  EXPECT_EQ(drain(), "W(7)");
  send(0, StreamStatus{false});
  send(1, StreamStatus{false});
  EXPECT_EQ(drain(), "W(10) idle");
  send(1, StreamStatus{true});
  send(1, numbers({11}));
  EXPECT_EQ(drain(), "active 11@1");
}

// The end of one and the silence of another are not the end of both.
TEST_F(Gate, AnEndedAndAnIdleChannelAreNotTheEndOfTime) {
  open(2);
  send(1, Watermark{7});
  send(0, Watermark{kMaxTime});
  send(0, EndOfInput{});
  EXPECT_EQ(drain(), "W(7)");
  send(1, StreamStatus{false});
  EXPECT_EQ(drain(), "idle");
  send(1, StreamStatus{true});
  send(1, EndOfInput{});
  EXPECT_EQ(drain(), "active W(max) end");
}

TEST_F(Gate, ABlockedChannelIsNotReadUntilAllHaveTheBarrier) {
  open(2);
  barrier(0, 1);
  send(0, numbers({100}));
  send(1, numbers({1}));
  EXPECT_EQ(drain(), "1@1");
  EXPECT_TRUE(gate_->aligning());
  barrier(1, 1);
  EXPECT_EQ(drain(), "B1 100@0");
  EXPECT_FALSE(gate_->aligning());
}

TEST_F(Gate, AnEndedChannelCountsAsAligned) {
  open(2);
  barrier(0, 7);
  EXPECT_EQ(drain(), "");
  send(1, EndOfInput{});
  EXPECT_EQ(drain(), "B7");
  barrier(0, 8);
  EXPECT_EQ(drain(), "B8");
}

TEST_F(Gate, ANewerBarrierReplacesAnOlderOne) {
  open(2);
  barrier(0, 1);
  send(0, numbers({100}));
  barrier(1, 2);
  send(1, numbers({200}));
  EXPECT_EQ(drain(), "100@0");
  barrier(0, 2);
  EXPECT_EQ(drain(), "B2 200@1");
}

TEST_F(Gate, ObsoleteBarriersAreIgnoredAndTheirChannelGoesOn) {
  open(2);
  barrier(0, 3);
  barrier(1, 3);
  barrier(0, 2);
  send(0, numbers({5}));
  EXPECT_EQ(drain(), "B3 5@0");
  EXPECT_FALSE(gate_->aligning());
}

TEST_F(Gate, AnAbortedCheckpointFreesTheChannels) {
  open(2);
  barrier(0, 1);
  send(0, numbers({5}));
  EXPECT_EQ(drain(), "");
  gate_->abort_checkpoint(1);
  EXPECT_EQ(drain(), "5@0");
  barrier(1, 1);
  send(1, numbers({6}));
  EXPECT_EQ(drain(), "6@1");
  barrier(0, 2);
  barrier(1, 2);
  EXPECT_EQ(drain(), "B2");
}

// Every interleaving of the elements of two and of three channels: the barrier divides each
// channel's rows exactly, whatever arrives first, and nothing is lost.
TEST_F(Gate, AlignsInEveryInterleaving) {
  for (const std::size_t channels : {2u, 3u}) {
    // Each channel sends: row, barrier 1, row (when there are two channels), end.
    const std::size_t steps = channels == 2 ? 4 : 3;
    std::vector<std::size_t> sent(channels, 0);
    std::vector<std::size_t> order;
    std::size_t runs = 0;
    const std::function<void()> explore = [&] {
      if (order.size() == channels * steps) {
        ++runs;
        open(channels);
        std::vector<std::size_t> at(channels, 0);
        std::size_t before = 0;
        std::size_t after = 0;
        std::size_t barriers = 0;
        bool ended = false;
        for (const std::size_t channel : order) {
          switch (at[channel]++) {
            case 0: send(channel, numbers({1})); break;
            case 1: barrier(channel, 1); break;
            case 2:
              if (steps == 4) {
                send(channel, numbers({2}));
                break;
              }
              [[fallthrough]];
            default: send(channel, EndOfInput{}); break;
          }
          while (const std::optional<GateEvent> event = gate_->next()) {
            ASSERT_FALSE(ended);
            if (const auto* rows = std::get_if<GateRows>(&*event)) {
              const bool is_before = to_numbers(*rows->batch).front() == 1;
              ASSERT_EQ(is_before, barriers == 0);
              ++(is_before ? before : after);
            } else if (std::holds_alternative<Barrier>(*event)) {
              ++barriers;
              ASSERT_EQ(before, channels);
            } else if (std::holds_alternative<EndOfInput>(*event)) {
              ended = true;
            }
          }
        }
        ASSERT_EQ(barriers, 1u);
        ASSERT_EQ(after, steps == 4 ? channels : 0);
        ASSERT_TRUE(ended);
        return;
      }
      for (std::size_t channel = 0; channel < channels; ++channel) {
        if (sent[channel] == steps) continue;
        ++sent[channel];
        order.push_back(channel);
        explore();
        order.pop_back();
        --sent[channel];
      }
    };
    explore();
    EXPECT_EQ(runs, channels == 2 ? 70u : 1680u);
  }
}

TEST_F(Gate, ChannelsTakeTurns) {
  open(2);
  for (int i = 0; i < 3; ++i) {
    send(0, numbers({1}));
    send(1, numbers({2}));
  }
  EXPECT_EQ(drain(), "1@0 2@1 1@0 2@1 1@0 2@1");
}

}  // namespace
}  // namespace tidemark
