// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/operator_chain.h"

#include <gtest/gtest.h>

#include "tidemark/runtime/test_rows.h"

namespace tidemark {
namespace {

// Emits each row `copies` times, a batch each, and looks at the output after every emit.
class Repeater final : public Operator {
 public:
  explicit Repeater(std::size_t copies) : copies_(copies) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    EXPECT_TRUE(pending_.empty()) << "called before everything was said";
    for (const std::int64_t value : to_numbers(*batch))
      for (std::size_t i = 0; i < copies_; ++i) pending_.push_back(value);
    return resume(out);
  }
  Step on_watermark(EventTime watermark, Output& out) override {
    EXPECT_TRUE(pending_.empty());
    out.emit_watermark(watermark);
    return Step::kDone;
  }
  Step resume(Output& out) override {
    while (!pending_.empty()) {
      out.emit(numbers({pending_.front()}));
      pending_.pop_front();
      if (!pending_.empty() && !out.ready()) return Step::kMore;
    }
    return Step::kDone;
  }
  Step finish(Output& out) override {
    pending_ = {-7, -8};
    return resume(out);
  }

 private:
  std::size_t copies_;
  std::deque<std::int64_t> pending_;
};

class Chain : public testing::Test {
 protected:
  void build(std::vector<std::size_t> copies, std::size_t batches_max) {
    Channel channel = transport_->open_channel({.batches_max = batches_max});
    receiver_ = std::move(channel.receiver);
    std::vector<std::unique_ptr<ChannelSender>> senders;
    senders.push_back(std::move(channel.sender));
    port_ = std::make_unique<OutputPort>(Distribution::kForward, std::move(senders));
    std::vector<ChainMember> members;
    for (const std::size_t count : copies) {
      ChainMember member;
      member.op = std::make_unique<Repeater>(count);
      member.metrics = std::make_shared<OperatorMetrics>();
      metrics_.push_back(member.metrics);
      members.push_back(std::move(member));
    }
    chain_ =
        std::make_unique<OperatorChain>(ChainHead{}, std::move(members), PortList{port_.get()});
  }
  void take_one() {
    const std::optional<Element> element = receiver_->receive();
    if (!element) return;
    if (const auto* batch = std::get_if<BatchPtr>(&*element)) {
      for (const std::int64_t value : to_numbers(**batch)) text_ += std::to_string(value) + " ";
    } else if (const auto* mark = std::get_if<Watermark>(&*element)) {
      text_ += "W" + std::to_string(mark->time) + " ";
    }
  }
  /// Lets the consumer take one element whenever the chain cannot go on.
  void run() {
    while (!port_->flush() || !chain_->idle()) {
      if (chain_->resume() != OperatorChain::Progress::kWorked) take_one();
    }
  }
  std::string drain() {
    while (receiver_->queued() > 0) {
      take_one();
      port_->flush();
    }
    return text_;
  }

  std::unique_ptr<Transport> transport_ = make_local_transport();
  std::unique_ptr<ChannelReceiver> receiver_;
  std::unique_ptr<OutputPort> port_;
  std::vector<std::shared_ptr<OperatorMetrics>> metrics_;
  std::unique_ptr<OperatorChain> chain_;
  std::string text_;
};

TEST_F(Chain, PassesThrough) {
  build({1, 1}, 8);
  chain_->process(numbers({1, 2}), 0);
  EXPECT_TRUE(chain_->idle());
  chain_->on_watermark(5);
  EXPECT_EQ(drain(), "1 2 W5 ");
  EXPECT_EQ(metrics_[0]->records_in.get(), 2u);
  EXPECT_EQ(metrics_[1]->records_out.get(), 2u);
  EXPECT_EQ(metrics_[1]->watermark.load(), 5);
}

TEST_F(Chain, GoesOnWhereItStoppedWhenTheOutputRefuses) {
  build({2, 3, 1}, 1);
  chain_->process(numbers({1, 2}), 0);
  EXPECT_FALSE(chain_->idle());
  EXPECT_EQ(chain_->resume(), OperatorChain::Progress::kBlocked);
  run();
  chain_->on_watermark(9);
  EXPECT_EQ(drain(), "1 1 1 1 1 1 2 2 2 2 2 2 W9 ");
  EXPECT_EQ(metrics_[2]->records_out.get(), 12u);
}

TEST_F(Chain, IgnoresWatermarksThatDoNotRise) {
  build({1}, 8);
  chain_->on_watermark(5);
  chain_->on_watermark(5);
  chain_->on_watermark(4);
  EXPECT_EQ(drain(), "W5 ");
}

TEST_F(Chain, FinishesOperatorsInOrder) {
  build({1, 2}, 1);
  while (chain_->finish_next()) run();
  EXPECT_EQ(drain(), "-7 -7 -8 -8 -7 -8 ");
}

TEST_F(Chain, LeavesOutOperatorsThatHadFinished) {
  build({1, 2}, 8);
  chain_->set_finished(0);
  while (chain_->finish_next()) run();
  EXPECT_EQ(drain(), "-7 -8 ");
}

// Emits rows to a side output and a watermark from a timer.
class TimerOperator final : public Operator {
 public:
  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    out.emit_side(1, batch);
    return Step::kDone;
  }
  Step on_processing_time(ProcessingTime now, Output& out) override {
    out.emit(numbers({now}));
    next_ += 10;
    return Step::kDone;
  }
  ProcessingTime next_processing_time() const override { return next_; }

 private:
  ProcessingTime next_ = 10;
};

TEST_F(Chain, HasSideOutputsAndTimers) {
  build({}, 8);
  Channel side = transport_->open_channel({.batches_max = 8});
  std::vector<std::unique_ptr<ChannelSender>> senders;
  senders.push_back(std::move(side.sender));
  OutputPort side_port(Distribution::kForward, std::move(senders));
  std::vector<ChainMember> members(1);
  members[0].op = std::make_unique<TimerOperator>();
  members[0].metrics = std::make_shared<OperatorMetrics>();
  members[0].side_ports[1] = {&side_port};
  OperatorChain chain(ChainHead{}, std::move(members), PortList{port_.get()});
  chain.process(numbers({42}), 0);
  EXPECT_EQ(side.receiver->queued(), 1u);
  EXPECT_EQ(receiver_->queued(), 0u);
  EXPECT_EQ(chain.next_processing_time(), 10);
  chain.on_processing_time(10);
  EXPECT_EQ(chain.next_processing_time(), 20);
  EXPECT_EQ(drain(), "10 ");
}

}  // namespace
}  // namespace tidemark
