// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/partitioner.h"

#include <gtest/gtest.h>

#include "tidemark/base/random.h"
#include "tidemark/runtime/output_port.h"
#include "tidemark/runtime/test_rows.h"

namespace tidemark {
namespace {

std::uint32_t owner_of(const BatchPtr& row, std::uint32_t targets, std::uint32_t groups) {
  KeyBatch keys;
  KeyCodec({0}, {DataType::big_int().with_nullable(false)}).encode(*row, keys);
  return subtask_of(key_group_of(keys.hashes[0], groups), targets, groups);
}

TEST(KeyGroupPartitioner, GivesEachRowToTheOwnerOfItsKeyGroupInOrder) {
  constexpr std::uint32_t kGroups = 128;
  Random random(7);
  for (const std::uint32_t targets : {2u, 3u, 8u, 64u}) {
    KeyGroupPartitioner partitioner({0}, {DataType::big_int().with_nullable(false)}, targets,
                                    kGroups);
    std::vector<std::int64_t> values;
    for (int i = 0; i < 1000; ++i) values.push_back(static_cast<std::int64_t>(random.below(500)));
    std::vector<BatchPtr> parts;
    partitioner.split(numbers(values), parts);
    ASSERT_EQ(parts.size(), targets);
    std::vector<std::vector<std::int64_t>> expected(targets);
    for (const std::int64_t value : values)
      expected[owner_of(numbers({value}), targets, kGroups)].push_back(value);
    for (std::uint32_t target = 0; target < targets; ++target) {
      if (expected[target].empty()) {
        EXPECT_EQ(parts[target], nullptr);
        continue;
      }
      ASSERT_NE(parts[target], nullptr);
      EXPECT_EQ(to_numbers(*parts[target]), expected[target]);
      EXPECT_EQ(parts[target]->event_times()[0], expected[target][0]);
    }
  }
}

TEST(KeyGroupPartitioner, CopiesNothingWhenAllRowsHaveOneTarget) {
  KeyGroupPartitioner partitioner({0}, {DataType::big_int().with_nullable(false)}, 4, 128);
  const BatchPtr batch = numbers({9, 9, 9});
  std::vector<BatchPtr> parts;
  partitioner.split(batch, parts);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), batch), 1);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), nullptr), 3);
}

class Port : public testing::Test {
 protected:
  OutputPort open(Distribution distribution, std::size_t channels, std::size_t batches_max) {
    std::vector<std::unique_ptr<ChannelSender>> senders;
    for (std::size_t i = 0; i < channels; ++i) {
      Channel channel = transport_->open_channel({.batches_max = batches_max});
      senders.push_back(std::move(channel.sender));
      receivers_.push_back(std::move(channel.receiver));
    }
    std::unique_ptr<KeyGroupPartitioner> partitioner;
    if (distribution == Distribution::kKeyGroup)
      partitioner = std::make_unique<KeyGroupPartitioner>(
          std::vector<std::size_t>{0},
          std::vector<DataType>{DataType::big_int().with_nullable(false)},
          static_cast<std::uint32_t>(channels), 128);
    return OutputPort(distribution, std::move(senders), std::move(partitioner));
  }
  /// First numbers of the batches that channel i holds; -1 stands for a control element.
  std::vector<std::int64_t> take(std::size_t channel) {
    std::vector<std::int64_t> taken;
    while (const std::optional<Element> element = receivers_[channel]->receive()) {
      const auto* batch = std::get_if<BatchPtr>(&*element);
      taken.push_back(batch ? to_numbers(**batch).front() : -1);
    }
    return taken;
  }

  std::unique_ptr<Transport> transport_ = make_local_transport();
  std::vector<std::unique_ptr<ChannelReceiver>> receivers_;
};

using Taken = std::vector<std::int64_t>;

TEST_F(Port, RebalanceGoesInTurnAndSkipsWhoHasNoCredit) {
  OutputPort port = open(Distribution::kRebalance, 3, 2);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(port.ready());
    port.send(numbers({i}));
  }
  EXPECT_FALSE(port.ready());
  EXPECT_EQ(take(1), (Taken{1, 4}));
  EXPECT_TRUE(port.ready());
  port.send(numbers({6}));
  EXPECT_EQ(take(1), (Taken{6}));
  EXPECT_EQ(take(0), (Taken{0, 3}));
  EXPECT_EQ(take(2), (Taken{2, 5}));
}

TEST_F(Port, BroadcastGoesToAllAndNeedsCreditOfAll) {
  OutputPort port = open(Distribution::kBroadcast, 2, 1);
  port.send(numbers({1}));
  EXPECT_EQ(take(0), (Taken{1}));
  EXPECT_FALSE(port.ready());
  EXPECT_EQ(take(1), (Taken{1}));
  EXPECT_TRUE(port.ready());
}

TEST_F(Port, KeepsInOrderWhatIsSentWithoutCredit) {
  OutputPort port = open(Distribution::kForward, 1, 1);
  port.send(numbers({1}));
  port.send(numbers({2}));
  port.broadcast(Watermark{5});
  port.send(numbers({3}));
  EXPECT_FALSE(port.flush());
  EXPECT_EQ(take(0), (Taken{1}));
  EXPECT_FALSE(port.flush());
  EXPECT_FALSE(port.ready());
  EXPECT_EQ(take(0), (Taken{2, -1}));
  EXPECT_TRUE(port.flush());
  EXPECT_EQ(take(0), (Taken{3}));
  EXPECT_TRUE(port.ready());
}

TEST_F(Port, ControlElementsNeedNoCredit) {
  OutputPort port = open(Distribution::kKeyGroup, 2, 1);
  port.send(numbers({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(port.ready());
  port.broadcast(Barrier{1, 0});
  EXPECT_TRUE(port.flush());
  for (const std::size_t channel : {0u, 1u}) {
    const Taken taken = take(channel);
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken.back(), -1);
  }
}

}  // namespace
}  // namespace tidemark
