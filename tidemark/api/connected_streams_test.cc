// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Event {
  std::string kind;
  std::string key;
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Event, (), (kind, key, value))

struct Order {
  std::int64_t amount = 0;
  std::string key;
};
BOOST_DESCRIBE_STRUCT(Order, (), (amount, key))

struct Paid {
  std::string key;
  std::int64_t amount = 0;
  std::int64_t payment = 0;

  friend bool operator==(const Paid&, const Paid&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Paid& paid) {
    return out << paid.key << ":" << paid.amount << ":" << paid.payment;
  }
};
BOOST_DESCRIBE_STRUCT(Paid, (), (key, amount, payment))

// Joins each order with its payment, whichever comes first; says 0 for an order not paid in time.
struct Match {
  ValueState<std::int64_t> order{"order"};
  ValueState<std::int64_t> payment{"payment"};
  auto states() { return std::tie(order, payment); }

  void process_first(const Order& row, KeyedContext<std::string>& context, Collector<Paid>& out) {
    order.set(row.amount);
    if (payment.get() != nullptr) return settle(context, out);
    context.register_event_timer(context.timestamp() + 100);
  }
  void process_second(const Event& row, KeyedContext<std::string>& context, Collector<Paid>& out) {
    payment.set(row.value);
    if (order.get() != nullptr) settle(context, out);
  }
  void on_timer(const Timer&, KeyedContext<std::string>& context, Collector<Paid>& out) {
    if (order.get() != nullptr) settle(context, out);
  }
  void settle(KeyedContext<std::string>& context, Collector<Paid>& out) {
    out.emit({context.key(), *order.get(), payment.value_or(0)});
    order.clear();
    payment.clear();
  }
};

auto matched(Stream<Event> in) {
  const auto orders = in.filter([](const Event& event) {
                          return event.kind == "order";
                        }).map([](const Event& event) {
    return Order{event.value, event.key};
  });
  const auto payments = in.filter([](const Event& event) { return event.kind == "payment"; });
  return orders.key_by(&Order::key).connect(payments.key_by(&Event::key)).process<Paid>(Match());
}

TEST(ConnectedStreamsTest, RowsOfBothSeeTheStatesOfTheirKey) {
  for (const std::uint32_t parallelism : {1u, 3u}) {
    StreamHarness<Event, Paid> harness(matched, {.parallelism = parallelism});
    harness.push({"order", "a", 10}, 0);
    harness.push({"payment", "b", 7}, 1);
    harness.push({"order", "c", 30}, 2);
    harness.push({"payment", "a", 9}, 3);
    EXPECT_THAT(harness.take(), ElementsAre(Paid{"a", 10, 9}));
    const std::string snapshot = harness.snapshot();
    StreamHarness<Event, Paid> other(matched, {.parallelism = 2});
    other.restore(snapshot);
    other.push({"order", "b", 8}, 4);
    EXPECT_THAT(other.take(), ElementsAre(Paid{"b", 8, 7}));
    other.advance_watermark(103);
    EXPECT_THAT(other.take(), ElementsAre(Paid{"c", 30, 0}));
  }
}

// Lets through what is above the limit of its kind; rules are broadcast.
struct Limit {
  BroadcastState<std::string, std::int64_t> limits{"limits"};
  ValueState<std::int64_t> passed{"passed"};
  bool misbehaves = false;
  auto states() { return std::tie(limits, passed); }

  void process(const Event& row, KeyedContext<std::string>& context, Collector<Paid>& out) {
    if (misbehaves) limits.put(row.kind, 1);
    const std::int64_t* limit = limits.get(row.kind);
    if (limit == nullptr || row.value <= *limit) return;
    out.emit({context.key(), row.value, ++passed.modify()});
  }
  void process_broadcast(const Event& row, BroadcastContext&, Collector<Paid>&) {
    limits.put(row.key, row.value);
  }
};

auto limited(bool misbehaves) {
  return [misbehaves](Stream<Event> in) {
    const auto is_rule = [](const Event& event) { return event.kind == "rule"; };
    const auto rules = in.filter(is_rule);
    const auto rows = in.filter([=](const Event& event) { return !is_rule(event); });
    Limit limit;
    limit.misbehaves = misbehaves;
    return rows.key_by(&Event::key).connect(rules.broadcast()).process<Paid>(limit);
  };
}

TEST(BroadcastTest, EverySubtaskSeesEveryRuleAndKeepsItOverARestore) {
  StreamHarness<Event, Paid> harness(limited(false), {.parallelism = 3});
  harness.push({"rule", "x", 10});
  std::vector<Paid> expected;
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    harness.push({"x", key, 10});
    harness.push({"x", key, 11});
    expected.push_back({key, 11, 1});
  }
  EXPECT_EQ(harness.take(), expected);
  for (const std::uint32_t parallelism : {1u, 2u, 5u}) {
    StreamHarness<Event, Paid> other(limited(false), {.parallelism = parallelism});
    other.restore(harness.snapshot());
    expected.clear();
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
      other.push({"x", key, 12});
      expected.push_back({key, 12, 2});
    }
    EXPECT_EQ(other.take(), expected);
  }
}

TEST(BroadcastTest, KeyedRowsMayNotWriteIt) {
  StreamHarness<Event, Paid> harness(limited(true));
  try {
    harness.push({"x", "a", 1});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("broadcast state 'limits' is read-only here"));
    EXPECT_FALSE(failure.retryable());
  }
}

// ---- States of a subtask ----

struct Offset {
  std::string partition;
  std::int64_t offset = 0;
};
BOOST_DESCRIBE_STRUCT(Offset, (), (partition, offset))

struct Reader {
  OperatorListState<Offset> offsets{"offsets"};
  auto states() { return std::tie(offsets); }

  void process(const Offset& row, StreamContext&, Collector<Offset>& out) {
    if (row.offset >= 0) offsets.items().push_back(row);
    for (const Offset& offset : offsets.items()) out.emit(offset);
  }
};

std::unique_ptr<Operator> make_reader() {
  return std::make_unique<api_detail::StreamProcessOperator<Reader, Offset, Offset>>(Reader());
}

std::vector<Offset> all_offsets(std::vector<OperatorHarness>& subtasks) {
  std::vector<Offset> all;
  for (OperatorHarness& subtask : subtasks) {
    subtask.push_rows<Offset>({{"", -1}});
    for (Offset& offset : subtask.take_rows<Offset>()) all.push_back(std::move(offset));
  }
  std::sort(all.begin(), all.end(),
            [](const Offset& a, const Offset& b) { return a.partition < b.partition; });
  return all;
}

// Each partition is in exactly one subtask after every restore, and the list stays as long as it
// is.
TEST(OperatorStateTest, B35ListStateIsNeitherLostNorDoubledByRescaling) {
  std::vector<OperatorHarness> subtasks;
  for (std::uint32_t i = 0; i < 4; ++i) {
    subtasks.emplace_back(make_reader,
                          HarnessOptions{.subtask = i, .parallelism = 4, .keyed_state = false});
    subtasks[i].push_rows<Offset>({{"p" + std::to_string(i), 100 * (i + 1)}});
    subtasks[i].take_elements();
  }
  for (int cycle = 0; cycle < 10; ++cycle) {
    for (const std::uint32_t parallelism : {1u, 3u, 4u}) {
      std::vector<std::string> snapshots;
      for (OperatorHarness& subtask : subtasks) snapshots.push_back(subtask.snapshot());
      subtasks.clear();
      for (std::uint32_t i = 0; i < parallelism; ++i)
        subtasks.emplace_back(
            make_reader,
            HarnessOptions{.subtask = i, .parallelism = parallelism, .keyed_state = false},
            snapshots);
      const std::vector<Offset> offsets = all_offsets(subtasks);
      ASSERT_EQ(offsets.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(offsets[i].partition, "p" + std::to_string(i));
        EXPECT_EQ(offsets[i].offset, 100 * static_cast<std::int64_t>(i + 1));
      }
    }
  }
}

struct UnionReader {
  OperatorListState<std::int64_t> seen{"seen", Redistribution::kUnion};
  std::uint32_t subtask = 0, parallelism = 1;
  auto states() { return std::tie(seen); }
  void open(const OperatorContext& context) {
    subtask = context.subtask;
    parallelism = context.parallelism;
  }
  void process(const Offset&, StreamContext&, Collector<Offset>& out) {
    // Keeps what is its own of the union, so that it is not written twice.
    std::erase_if(seen.items(), [&](std::int64_t item) {
      return static_cast<std::uint32_t>(item) % parallelism != subtask;
    });
    for (const std::int64_t item : seen.items()) out.emit({"", item});
  }
};

TEST(OperatorStateTest, UnionStateGoesToEverySubtask) {
  const auto make = [] {
    return std::make_unique<api_detail::StreamProcessOperator<UnionReader, Offset, Offset>>(
        UnionReader());
  };
  UnionReader filled;
  filled.seen.items() = {0, 1, 2, 3, 4};
  OperatorHarness first(
      [&] {
        return std::make_unique<api_detail::StreamProcessOperator<UnionReader, Offset, Offset>>(
            filled);
      },
      {.keyed_state = false});
  const std::vector<std::string> snapshots = {first.snapshot()};
  std::size_t items = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    OperatorHarness subtask(make, {.subtask = i, .parallelism = 2, .keyed_state = false},
                            snapshots);
    subtask.push_rows<Offset>({{"", 0}});
    items += subtask.take_rows<Offset>().size();
  }
  EXPECT_EQ(items, 5u);
}

}  // namespace
}  // namespace tidemark
