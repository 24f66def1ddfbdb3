// SPDX-License-Identifier: Apache-2.0
// A job that is restored with other types of its states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  std::string key;
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Row, (), (key, value))

struct Totals1 {
  std::int32_t count = 0;
  float sum = 0;
};
BOOST_DESCRIBE_STRUCT(Totals1, (), (count, sum))

// Wider, with a string and a limit more, in another order.
struct Totals2 {
  std::string note;
  double sum = 0;
  std::int64_t limit = 5;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Totals2, (), (note, sum, limit, count))

// Without the sum.
struct Totals3 {
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Totals3, (), (count))

struct Narrow {
  std::int16_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Narrow, (), (count))

template <typename Totals, typename Item>
struct Function {
  ValueState<Totals> totals{"totals"};
  ListState<Item> list{"list"};
  MapState<std::int64_t, Item> map{"map"};
  auto states() { return std::tie(totals, list, map); }

  void process(const Row& row, KeyedContext<std::string>& context, Collector<Row>& out) {
    context.register_event_timer(1000);
    auto& value = totals.modify();
    if (row.value > 0) {
      ++value.count;
      if constexpr (requires { value.sum; }) value.sum += 1.5f;
      list.add(static_cast<Item>(row.value));
      map.put(row.value, static_cast<Item>(10 * row.value));
      return;
    }
    out.emit({"count", value.count});
    if constexpr (requires { value.sum; })
      out.emit({"sum", static_cast<std::int64_t>(value.sum * 10)});
    if constexpr (requires { value.limit; }) out.emit({value.note + "limit", value.limit});
    for (const Item item : list.get()) out.emit({"item", static_cast<std::int64_t>(item)});
    for (const auto& [key, item] : map.entries())
      out.emit({"entry", key * 1000 + static_cast<std::int64_t>(item)});
  }
};

template <typename Totals, typename Item>
auto job() {
  return StreamHarness<Row, Row>([](Stream<Row> in) {
    return in.key_by(&Row::key).process<Row>(Function<Totals, Item>()).uid("totals of keys");
  });
}

std::vector<std::string> said(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(row.key + " " + std::to_string(row.value));
  return texts;
}

std::string stored() {
  auto first = job<Totals1, std::int32_t>();
  for (int i = 0; i < 3; ++i) first.push({"a", 7 + i});
  return first.snapshot();
}

TEST(StateEvolutionTest, FieldsAreAddedAndWidened) {
  auto second = job<Totals2, std::int64_t>();
  second.restore(stored());
  second.push({"a", 0});
  EXPECT_THAT(said(second.take()), ElementsAre("count 3", "sum 45", "limit 5", "item 7", "item 8",
                                               "item 9", "entry 7070", "entry 8080", "entry 9090"));
  auto third = job<Totals2, std::int64_t>();
  third.restore(second.snapshot());
  third.push({"a", 10});
  third.push({"a", 0});
  EXPECT_THAT(said(third.take())[0], "count 4");
}

TEST(StateEvolutionTest, FieldsAreDropped) {
  auto second = job<Totals3, double>();
  second.restore(stored());
  second.push({"a", 0});
  EXPECT_THAT(said(second.take()), ElementsAre("count 3", "item 7", "item 8", "item 9",
                                               "entry 7070", "entry 8080", "entry 9090"));
}

template <typename Harness>
std::string refusal(Harness harness) {
  try {
    harness.restore(stored());
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kCheckpointMismatch);
    EXPECT_FALSE(failure.retryable());
    return failure.what();
  }
  return "";
}

TEST(StateEvolutionTest, ARefusalNamesOperatorStateFieldAndBothTypes) {
  EXPECT_THAT(refusal(job<Narrow, std::int32_t>()),
              AllOf(HasSubstr("operator 'totals of keys'"), HasSubstr("state 'totals'"),
                    HasSubstr("field 'count' is INT in the checkpoint, but SMALLINT in the job")));
  EXPECT_THAT(refusal(job<Totals1, std::int16_t>()),
              AllOf(HasSubstr("state 'list'"), HasSubstr("INT"), HasSubstr("SMALLINT")));
}

}  // namespace
}  // namespace tidemark
