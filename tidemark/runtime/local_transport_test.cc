// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tidemark/runtime/test_rows.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {
namespace {

class LocalTransport : public testing::Test {
 protected:
  Channel open(std::size_t batches_max) {
    return transport_->open_channel({.batches_max = batches_max,
                                     .wake_receiver = [this] { ++receiver_wakes_; },
                                     .wake_sender = [this] { ++sender_wakes_; }});
  }

  std::unique_ptr<Transport> transport_ = make_local_transport();
  std::atomic<int> receiver_wakes_{0};
  std::atomic<int> sender_wakes_{0};
};

TEST_F(LocalTransport, DeliversInOrder) {
  Channel channel = open(4);
  channel.sender->send(numbers({1}));
  channel.sender->send(Watermark{5});
  channel.sender->send(numbers({6}));
  channel.sender->send(EndOfInput{});
  EXPECT_EQ(channel.receiver->queued(), 4u);
  EXPECT_EQ(to_numbers(*std::get<BatchPtr>(*channel.receiver->receive())),
            std::vector<std::int64_t>{1});
  EXPECT_EQ(std::get<Watermark>(*channel.receiver->receive()).time, 5);
  EXPECT_EQ(to_numbers(*std::get<BatchPtr>(*channel.receiver->receive())),
            std::vector<std::int64_t>{6});
  EXPECT_TRUE(std::holds_alternative<EndOfInput>(*channel.receiver->receive()));
  EXPECT_FALSE(channel.receiver->receive().has_value());
}

TEST_F(LocalTransport, GivesCreditBackWithEachBatchTaken) {
  Channel channel = open(2);
  ASSERT_TRUE(channel.sender->has_credit());
  channel.sender->send(numbers({1}));
  ASSERT_TRUE(channel.sender->has_credit());
  channel.sender->send(numbers({2}));
  EXPECT_FALSE(channel.sender->has_credit());
  EXPECT_TRUE(channel.sender->has_control_room());
  channel.receiver->receive();
  EXPECT_TRUE(channel.sender->has_credit());
  EXPECT_EQ(sender_wakes_, 1);
}

TEST_F(LocalTransport, WakesTheReceiverOnlyWhenTheChannelWasEmpty) {
  Channel channel = open(4);
  channel.sender->send(numbers({1}));
  channel.sender->send(numbers({2}));
  EXPECT_EQ(receiver_wakes_, 1);
  channel.receiver->receive();
  channel.receiver->receive();
  channel.sender->send(numbers({3}));
  EXPECT_EQ(receiver_wakes_, 2);
}

TEST_F(LocalTransport, BoundsControlElementsToo) {
  Channel channel = open(1);
  std::size_t sent = 0;
  while (channel.sender->has_control_room()) {
    channel.sender->send(Watermark{static_cast<EventTime>(sent)});
    ++sent;
    ASSERT_LT(sent, 1000u);
  }
  EXPECT_GE(sent, 16u);
  EXPECT_FALSE(channel.sender->has_credit());
  channel.receiver->receive();
  EXPECT_TRUE(channel.sender->has_control_room());
  EXPECT_EQ(sender_wakes_, 1);
  while (channel.receiver->receive()) {
  }
  EXPECT_TRUE(channel.sender->has_credit());
  EXPECT_GE(sender_wakes_, 2);
}

TEST_F(LocalTransport, DropsWhatItHeldOnceTaken) {
  Channel channel = open(2);
  BatchPtr batch = numbers({1});
  channel.sender->send(batch);
  channel.receiver->receive();
  EXPECT_EQ(batch.use_count(), 1);
}

// Each side sleeps when the other has nothing for it, and wakes by the callbacks alone: a lost wake
// hangs the test.
TEST(LocalTransportThreads, LosesNeitherElementsNorWakes) {
  constexpr std::int64_t kCount = 20'000;
  std::atomic<int> for_receiver{0};
  std::atomic<int> for_sender{0};
  const auto signal = [](std::atomic<int>& flag) {
    flag.fetch_add(1);
    flag.notify_one();
  };
  Channel channel =
      make_local_transport()->open_channel({.batches_max = 3,
                                            .wake_receiver = [&] { signal(for_receiver); },
                                            .wake_sender = [&] { signal(for_sender); }});
  std::thread sender([&] {
    for (std::int64_t i = 0; i < kCount;) {
      const int seen = for_sender.load();
      if (channel.sender->has_credit()) {
        channel.sender->send(numbers({i++}));
      } else {
        for_sender.wait(seen);
      }
    }
    channel.sender->send(EndOfInput{});
  });
  std::int64_t next = 0;
  bool ended = false;
  while (!ended) {
    const int seen = for_receiver.load();
    std::optional<Element> element = channel.receiver->receive();
    if (!element) {
      for_receiver.wait(seen);
    } else if (auto* batch = std::get_if<BatchPtr>(&*element)) {
      ASSERT_EQ(to_numbers(**batch).front(), next);
      ++next;
    } else {
      ended = true;
    }
  }
  sender.join();
  EXPECT_EQ(next, kCount);
}

}  // namespace
}  // namespace tidemark
