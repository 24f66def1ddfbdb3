// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

struct Order {
  std::string_view user;
  std::int32_t item = 0;
  std::int64_t amount = 0;
  std::int64_t at = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (user, item, amount, at))

template <typename Out>
StreamHarness<Order, Out> harness_of(std::function<Stream<Out>(Stream<Order>)> pipeline,
                                     StreamHarnessOptions options = {}) {
  return StreamHarness<Order, Out>(std::move(pipeline), &Order::at, monotonous_timestamps(),
                                   options);
}

TEST(Stream, MapMakesOneRowOfEach) {
  auto harness = harness_of<std::int64_t>([](const Stream<Order>& orders) {
    return orders.map([](const Order& order) { return order.amount * 2; });
  });
  harness.push_all({{"ann", 1, 5, 0}, {"bob", 2, 7, 1}});
  EXPECT_THAT(harness.take(), ElementsAre(10, 14));
  EXPECT_EQ(harness.output_watermark(), 1);
}

TEST(Stream, FilterKeepsTheRowsOfItsPredicate) {
  auto harness = harness_of<std::string>([](const Stream<Order>& orders) {
    return orders.filter([](const Order& order) { return order.amount > 5; })
        .map([](const Order& order) { return std::string(order.user); });
  });
  harness.push_all({{"ann", 1, 5, 0}, {"bob", 2, 7, 1}, {"cid", 2, 9, 2}});
  EXPECT_THAT(harness.take(), ElementsAre("bob", "cid"));
  harness.push({"ann", 1, 1, 3});
  EXPECT_THAT(harness.take(), ElementsAre());
}

TEST(Stream, FlatMapMakesAnyNumberOfRows) {
  const auto repeat = [](const Order& order, Collector<std::int32_t>& out) {
    for (std::int64_t i = 0; i < order.amount; ++i) out.emit(order.item);
  };
  auto harness = harness_of<std::int32_t>(
      [&](const Stream<Order>& orders) { return orders.flat_map<std::int32_t>(repeat); });
  harness.push_all({{"a", 1, 0, 0}, {"a", 2, 3, 1}, {"a", 3, 10'000, 2}});
  const std::vector<std::int32_t> made = harness.take();
  EXPECT_EQ(made.size(), 10'003u);
  EXPECT_EQ(made[2], 2);
  EXPECT_EQ(made[3], 3);
}

TEST(Stream, FlatMapTakesAFunctionThatReturnsARange) {
  auto harness = harness_of<std::string>([](const Stream<Order>& orders) {
    return orders.flat_map([](const Order& order) {
      return std::vector<std::string>{std::string(order.user), std::to_string(order.item)};
    });
  });
  harness.push({"ann", 4, 0, 0});
  EXPECT_THAT(harness.take(), ElementsAre("ann", "4"));
}

TEST(Stream, ProcessWritesToSideOutputs) {
  const OutputTag<std::string> odd{"odd"};
  Collected<std::string> odd_users;
  auto harness = harness_of<std::int32_t>([&](const Stream<Order>& orders) {
    const auto even = orders.process<std::int32_t>(
        [](const Order& order, Collector<std::int32_t>& out, Collector<std::string>& side) {
          if (order.item % 2 == 0) {
            out.emit(order.item);
          } else {
            side.emit(std::string(order.user));
          }
        },
        odd);
    even.side_output(odd).sink_to(odd_users);
    return even;
  });
  harness.push_all({{"ann", 1, 0, 0}, {"bob", 2, 0, 1}, {"cid", 3, 0, 2}});
  EXPECT_THAT(harness.take(), ElementsAre(2));
  EXPECT_THAT(odd_users.rows(), ElementsAre("ann", "cid"));
}

TEST(Stream, UnionCombinesRowsAndTakesTheLowestWatermark) {
  auto harness = harness_of<std::int64_t>([](const Stream<Order>& orders) {
    const auto amounts = orders.map([](const Order& order) { return order.amount; });
    const auto items = orders.map([](const Order& order) { return std::int64_t{order.item}; });
    return amounts.union_with(items);
  });
  harness.push({"ann", 1, 100, 5});
  EXPECT_THAT(harness.take(), UnorderedElementsAre(1, 100));
  EXPECT_EQ(harness.output_watermark(), 5);
}

template <typename K, typename R>
std::vector<std::pair<K, R>> results(const std::vector<WindowResult<K, R>>& fired) {
  std::vector<std::pair<K, R>> rows;
  for (const auto& row : fired) rows.emplace_back(row.key, row.result);
  return rows;
}

TEST(KeyedStream, KeysAreMembersOrFunctionsOfTheRow) {
  const std::vector<Order> orders = {
      {"ann", 1, 1, 0}, {"bob", 1, 2, 1}, {"ann", 2, 4, 2}, {"ann", 1, 8, 3}};
  using Pair = std::tuple<std::string_view, std::int32_t>;

  auto by_member =
      harness_of<WindowResult<std::string_view, std::int64_t>>([](const Stream<Order>& in) {
        return in.key_by(&Order::user).window(tumbling(1min)).sum(&Order::amount);
      });
  by_member.push_all(orders);
  by_member.finish();
  using UserSum = std::pair<std::string_view, std::int64_t>;
  EXPECT_THAT(results(by_member.take()),
              UnorderedElementsAre(UserSum{"ann", 13}, UserSum{"bob", 2}));

  auto by_two = harness_of<WindowResult<Pair, std::int64_t>>([](const Stream<Order>& in) {
    return in.key_by(&Order::user, &Order::item).window(tumbling(1min)).sum(&Order::amount);
  });
  by_two.push_all(orders);
  by_two.finish();
  EXPECT_THAT(results(by_two.take()),
              UnorderedElementsAre(std::pair<Pair, std::int64_t>{{"ann", 1}, 9},
                                   std::pair<Pair, std::int64_t>{{"ann", 2}, 4},
                                   std::pair<Pair, std::int64_t>{{"bob", 1}, 2}));

  auto by_function = harness_of<WindowResult<bool, std::int64_t>>([](const Stream<Order>& in) {
    return in.key_by([](const Order& order) { return order.amount >= 4; })
        .window(tumbling(1min))
        .count();
  });
  by_function.push_all(orders);
  by_function.finish();
  using FlagCount = std::pair<bool, std::int64_t>;
  EXPECT_THAT(results(by_function.take()),
              UnorderedElementsAre(FlagCount{false, 2}, FlagCount{true, 2}));
}

TEST(KeyedStream, ANullKeyIsAKey) {
  using K = std::optional<std::int32_t>;
  auto harness = harness_of<WindowResult<K, std::int64_t>>([](const Stream<Order>& in) {
    return in
        .key_by([](const Order& order) { return order.item > 0 ? K(order.item) : std::nullopt; })
        .window(tumbling(1min))
        .count();
  });
  harness.push_all({{"a", 0, 0, 0}, {"b", 0, 0, 0}, {"c", 7, 0, 0}});
  harness.finish();
  using KeyCount = std::pair<K, std::int64_t>;
  EXPECT_THAT(results(harness.take()),
              UnorderedElementsAre(KeyCount{std::nullopt, 2}, KeyCount{7, 1}));
}

TEST(WindowStream, LateRowsComeOutWithoutTheColumnsOfTheKey) {
  Collected<Order> late;
  auto harness = harness_of<WindowResult<std::int64_t, std::int64_t>>([&](const Stream<Order>& in) {
    const auto windows = in.key_by([](const Order& order) { return order.amount % 2; })
                             .window(tumbling(10ms))
                             .count();
    windows.late_rows().sink_to(late);
    return windows;
  });
  harness.push({"ann", 1, 1, 5});
  harness.push({"bob", 2, 2, 25});
  harness.push({"cid", 3, 3, 7});
  EXPECT_EQ(harness.late_rows(), 1u);
  EXPECT_THAT(harness.late_sample(),
              ElementsAre(testing::AllOf(HasSubstr("user=cid"),
                                         HasSubstr("its time is 1970-01-01 00:00:00.007"))));
  ASSERT_EQ(late.rows().size(), 1u);
  EXPECT_EQ(late.rows()[0].user, "cid");
  EXPECT_EQ(late.rows()[0].at, 7);
}

TEST(WindowStream, AllowedLatenessFiresAgain) {
  auto harness =
      harness_of<WindowResult<std::string_view, std::int64_t>>([](const Stream<Order>& in) {
        return in.key_by(&Order::user)
            .window(tumbling(10ms))
            .allowed_lateness(100ms)
            .sum(&Order::amount);
      });
  using UserSum = std::pair<std::string_view, std::int64_t>;
  harness.push({"ann", 1, 1, 5});
  harness.push({"ann", 1, 2, 25});
  EXPECT_THAT(results(harness.take()), ElementsAre(UserSum{"ann", 1}));
  harness.push({"ann", 1, 4, 6});
  EXPECT_THAT(results(harness.take()), ElementsAre(UserSum{"ann", 5}));
  EXPECT_EQ(harness.late_rows(), 0u);
}

TEST(WindowStream, WindowsOverWindowsNest) {
  using Inner = WindowResult<std::string_view, std::int64_t>;
  auto harness = harness_of<WindowResult<bool, std::int64_t>>([](const Stream<Order>& in) {
    return in.key_by(&Order::user)
        .window(tumbling(10ms))
        .sum(&Order::amount)
        .key_by([](const Inner& inner) { return inner.result > 0; })
        .window(tumbling(20ms))
        .sum(&Inner::result);
  });
  harness.push_all({{"ann", 1, 1, 5}, {"bob", 1, 2, 7}, {"ann", 1, 4, 15}, {"ann", 1, 8, 25}});
  harness.finish();
  using Sum = std::pair<bool, std::int64_t>;
  EXPECT_THAT(results(harness.take()), ElementsAre(Sum{true, 7}, Sum{true, 8}));
}

TEST(Stream, AssignedTimestampsStartTimeAnew) {
  auto harness = StreamHarness<Order, WindowResult<std::string_view, std::int64_t>>(
      [](const Stream<Order>& in) {
        return in.assign_timestamps(&Order::at, bounded_out_of_orderness(2ms))
            .key_by(&Order::user)
            .window(tumbling(10ms))
            .count();
      });
  harness.push_all({{"ann", 1, 1, 5}});
  harness.push_all({{"ann", 1, 1, 11}});
  EXPECT_TRUE(harness.take().empty());
  harness.push_all({{"ann", 1, 1, 12}});
  EXPECT_EQ(harness.take().size(), 1u);
}

// ---- Uids and mistakes ----

std::shared_ptr<api_detail::StreamGraph> graph_with_source(Stream<Order>& stream) {
  auto graph = std::make_shared<api_detail::StreamGraph>();
  api_detail::StreamNode source;
  source.kind = api_detail::StreamNode::Kind::kSource;
  source.name = "orders";
  source.output = schema_of<Order>();
  const auto id = graph->add(std::move(source));
  stream = Stream<Order>({graph, id});
  return graph;
}

struct Built {
  Stream<Order> orders{{nullptr, 0}};
  std::shared_ptr<api_detail::StreamGraph> graph = graph_with_source(orders);
  std::string error() const { return graph->error() ? graph->error()->message : "none"; }
};

TEST(StreamGraph, UidsFollowThePathFromTheSource) {
  Built built;
  const auto even = [](const Order& order) { return order.item % 2 == 0; };
  const auto first = built.orders.filter(even);
  const auto second = built.orders.filter(even).name("second");
  const auto third = second.uid("chosen").filter(even);
  const auto& graph = *built.graph;
  EXPECT_EQ(graph.node(first.handle().node).uid, "orders/filter");
  EXPECT_EQ(graph.node(second.handle().node).uid, "chosen");
  EXPECT_EQ(graph.node(second.handle().node).name, "second");
  EXPECT_EQ(graph.node(third.handle().node).uid, "chosen/filter");
  EXPECT_EQ(graph.node(built.orders.filter(even).handle().node).uid, "orders/filter#2");
}

TEST(StreamGraph, MistakesAreKeptForTheRun) {
  const auto even = [](const Order& order) { return order.item % 2 == 0; };
  Built twice;
  twice.orders.filter(even).uid("x");
  twice.orders.filter(even).uid("x");
  EXPECT_THAT(twice.error(), HasSubstr("uid 'x' is given twice"));

  Built none;
  none.orders.filter(even).parallelism(0);
  EXPECT_THAT(none.error(), HasSubstr("at least 1"));

  Built empty_window;
  empty_window.orders.key_by(&Order::user).window(tumbling(0ms)).count();
  EXPECT_THAT(empty_window.error(), HasSubstr("size"));

  Built no_tag;
  no_tag.orders.side_output(OutputTag<std::int64_t>{"lost"});
  EXPECT_THAT(no_tag.error(), HasSubstr("no side output 'lost'"));

  Built other_type;
  other_type.orders
      .process<std::int64_t>([](const Order&, Collector<std::int64_t>&, Collector<double>&) {},
                             OutputTag<double>{"side"})
      .side_output(OutputTag<std::string>{"side"});
  EXPECT_THAT(other_type.error(), HasSubstr("(value STRING NOT NULL)"));
}

}  // namespace
}  // namespace tidemark
