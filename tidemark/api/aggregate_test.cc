// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Eq;

struct Row {
  std::int32_t group = 0;
  std::int64_t whole = 0;
  double real = 0;
  std::string text;
  std::optional<std::int64_t> maybe;
};
BOOST_DESCRIBE_STRUCT(Row, (), (group, whole, real, text, maybe))

// The result over one window of all rows. Half of them come before a snapshot, and the rest after a
// restore: every accumulator also goes through its encoding.
template <typename Aggregate>
auto aggregate(const Aggregate& spec, const std::vector<Row>& rows) {
  using R = typename decltype(api_detail::bind_aggregate<Row>(spec))::Result;
  using Harness = StreamHarness<Row, WindowResult<std::int32_t, R>>;
  const auto pipeline = [&](const Stream<Row>& in) {
    return in.key_by(&Row::group).window(tumbling(1s)).aggregate(spec);
  };
  Harness before(pipeline);
  const std::size_t half = rows.size() / 2;
  for (std::size_t i = 0; i < half; ++i) before.push(rows[i], 0);
  Harness after(pipeline);
  after.restore(before.snapshot());
  for (std::size_t i = half; i < rows.size(); ++i) after.push(rows[i], 0);
  after.finish();
  const auto fired = after.take();
  EXPECT_EQ(fired.size(), 1u);
  return fired.at(0).result;
}

const std::vector<Row> kRows = {{1, 5, 0.5, "pear", std::nullopt},
                                {1, -7, 1.5, "a fruit with a long name, fig", 4},
                                {1, 3, -2.0, "plum", std::nullopt},
                                {1, 9, 8.0, "apple", 2}};

TEST(Aggregate, ReadyOnesOverMembers) {
  EXPECT_EQ(aggregate(count(), kRows), 4);
  EXPECT_EQ(aggregate(sum(&Row::whole), kRows), 10);
  EXPECT_EQ(aggregate(sum(&Row::real), kRows), 8.0);
  EXPECT_EQ(aggregate(min(&Row::whole), kRows), -7);
  EXPECT_EQ(aggregate(max(&Row::real), kRows), 8.0);
  EXPECT_EQ(aggregate(avg(&Row::whole), kRows), 2.5);
  EXPECT_EQ(aggregate(min(&Row::text), kRows), "a fruit with a long name, fig");
  EXPECT_EQ(aggregate(max(&Row::text), kRows), "plum");
}

TEST(Aggregate, ReadyOnesOverFunctions) {
  EXPECT_EQ(aggregate(sum([](const Row& row) { return row.real * 2; }), kRows), 16.0);
  const auto length = [](const Row& row) { return static_cast<std::int64_t>(row.text.size()); };
  EXPECT_EQ(aggregate(max(length), kRows), 29);
}

TEST(Aggregate, NullsDoNotCount) {
  EXPECT_THAT(aggregate(sum(&Row::maybe), kRows), Eq(std::optional<std::int64_t>(6)));
  EXPECT_THAT(aggregate(avg(&Row::maybe), kRows), Eq(std::optional<double>(3)));
  EXPECT_THAT(aggregate(min(&Row::maybe), kRows), Eq(std::optional<std::int64_t>(2)));
  const std::vector<Row> nulls = {{1, 0, 0, "", std::nullopt}, {1, 0, 0, "", std::nullopt}};
  EXPECT_THAT(aggregate(sum(&Row::maybe), nulls), Eq(std::nullopt));
}

TEST(Aggregate, NaNIsTheLargestWhateverTheOrder) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Row> first = {{1, 0, nan, "", {}}, {1, 0, 1, "", {}}};
  const std::vector<Row> last = {{1, 0, 1, "", {}}, {1, 0, nan, "", {}}};
  for (const auto& rows : {first, last}) {
    EXPECT_EQ(aggregate(min(&Row::real), rows), 1);
    EXPECT_TRUE(std::isnan(aggregate(max(&Row::real), rows)));
  }
}

TEST(Aggregate, AnIntegerSumThatOverflowsFails) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(aggregate(sum(&Row::whole), {{1, most, 0, "", {}}, {1, 0, 0, "", {}}}), most);
  EXPECT_THROW(aggregate(sum(&Row::whole), {{1, most, 0, "", {}}, {1, 1, 0, "", {}}}), Failure);
}

struct Summary {
  std::int64_t rows = 0;
  double total = 0;
  std::string last;
  friend bool operator==(const Summary&, const Summary&) = default;
};
BOOST_DESCRIBE_STRUCT(Summary, (), (rows, total, last))

TEST(Aggregate, CombinedToATupleAndToAStruct) {
  EXPECT_EQ(aggregate(combine(count(), max(&Row::whole), min(&Row::maybe)), kRows),
            (std::tuple<std::int64_t, std::int64_t, std::optional<std::int64_t>>(4, 9, 2)));
  EXPECT_EQ(aggregate(combine<Summary>(count(), sum(&Row::real), max(&Row::text)), kRows),
            (Summary{4, 8.0, "plum"}));
}

// Plain bytes whose starting value is not all zero.
struct Span {
  struct Accumulator {
    double low;
    double high;
  };
  Accumulator create() const { return {1e300, -1e300}; }
  void add(Accumulator& acc, const Row& row) const {
    acc.low = std::min(acc.low, row.real);
    acc.high = std::max(acc.high, row.real);
  }
  double result(const Accumulator& acc) const { return acc.high - acc.low; }
};

// Owns memory.
struct Longest {
  struct Accumulator {
    std::string text = "none";
    std::vector<std::int64_t> lengths;
    BOOST_DESCRIBE_CLASS(Accumulator, (), (text, lengths), (), ())
  };
  Accumulator create() const { return {}; }
  void add(Accumulator& acc, const Row& row) const {
    if (acc.lengths.empty() || row.text.size() > acc.text.size()) acc.text = row.text;
    acc.lengths.push_back(static_cast<std::int64_t>(row.text.size()));
  }
  std::string result(const Accumulator& acc) const {
    return acc.text + " of " + std::to_string(acc.lengths.size());
  }
  void merge(Accumulator& acc, const Accumulator& other) const {
    if (acc.lengths.empty() || other.text.size() > acc.text.size()) acc.text = other.text;
    acc.lengths.insert(acc.lengths.end(), other.lengths.begin(), other.lengths.end());
  }
};

// Encodes itself.
struct Product {
  class Accumulator {
   public:
    void multiply(double by) { *value_ *= by; }
    double value() const { return *value_; }
    void encode(ByteWriter& out) const { out.put(*value_); }
    static Accumulator decode(ByteReader& in) {
      Accumulator acc;
      *acc.value_ = in.get<double>();
      return acc;
    }

   private:
    std::shared_ptr<double> value_ = std::make_shared<double>(1);
  };
  Accumulator create() const { return {}; }
  void add(Accumulator& acc, const Row& row) const { acc.multiply(row.real); }
  double result(const Accumulator& acc) const { return acc.value(); }
};

TEST(Aggregate, AProgramsOwn) {
  EXPECT_EQ(aggregate(Span(), kRows), 10.0);
  EXPECT_EQ(aggregate(Longest(), kRows), "a fruit with a long name, fig of 4");
  EXPECT_EQ(aggregate(Product(), kRows), -12.0);
  EXPECT_EQ(aggregate(combine(Span(), count()), kRows), (std::tuple<double, std::int64_t>(10, 4)));
}

TEST(Aggregate, ReduceFoldsFromTheFirstRowOn) {
  using Harness = StreamHarness<Row, WindowResult<std::int32_t, Row>>;
  Harness harness([](const Stream<Row>& in) {
    return in.key_by(&Row::group).window(tumbling(1s)).reduce([](const Row& a, const Row& b) {
      Row joined = a;
      joined.text += "," + b.text;
      joined.whole = a.whole * 10 + b.whole;
      return joined;
    });
  });
  harness.push({2, 1, 0, "x", {}}, 0);
  harness.push({2, 2, 0, "y", {}}, 0);
  harness.push({2, 3, 0, "z", 1}, 0);
  harness.finish();
  const auto fired = harness.take();
  ASSERT_EQ(fired.size(), 1u);
  EXPECT_EQ(fired[0].result.text, "x,y,z");
  EXPECT_EQ(fired[0].result.whole, 123);
  EXPECT_EQ(fired[0].result.maybe, std::nullopt);
}

// A window of several slices, taken out one by one or merged, says what one slice of the same rows
// says.
template <typename Aggregate>
void expect_same_by_slices(const Aggregate& spec, WindowDescription windows) {
  using R = typename decltype(api_detail::bind_aggregate<Row>(spec))::Result;
  using Result = WindowResult<std::int32_t, R>;
  using Harness = StreamHarness<Row, Result>;
  std::vector<std::pair<Row, EventTime>> rows;
  for (std::int64_t i = 0; i < 40; ++i)
    rows.push_back({{static_cast<std::int32_t>(i % 3), i * 7 % 11 - 5, static_cast<double>(i % 5),
                     "text " + std::to_string(i * 13 % 17),
                     i % 4 == 0 ? std::nullopt : std::optional<std::int64_t>(i)},
                    i * 3});
  Harness harness([&](const Stream<Row>& in) {
    return in.key_by(&Row::group).window(windows).aggregate(spec);
  });
  for (const auto& [row, time] : rows) {
    harness.push(row, time);
    harness.advance_watermark(time);
  }
  harness.finish();
  const std::vector<Result> results = harness.take();
  EXPECT_GE(results.size(), 30u);
  for (const Result& result : results) {
    Harness alone([&](const Stream<Row>& in) {
      return in.key_by(&Row::group).window(tumbling(1s)).aggregate(spec);
    });
    for (const auto& [row, time] : rows)
      if (row.group == result.key && time >= result.window.start && time < result.window.end)
        alone.push(row, 0);
    alone.finish();
    EXPECT_EQ(alone.take().at(0).result, result.result)
        << "window " << result.window.start << " to " << result.window.end;
  }
}

TEST(Aggregate, WindowsOfSeveralSlicesSayTheSame) {
  for (const WindowDescription& windows :
       {sliding(40ms, 10ms), sliding(25ms, 10ms, -3ms), cumulating(60ms, 12ms)}) {
    expect_same_by_slices(count(), windows);
    expect_same_by_slices(sum(&Row::whole), windows);
    expect_same_by_slices(sum(&Row::real), windows);
    expect_same_by_slices(max(&Row::text), windows);
    expect_same_by_slices(sum(&Row::maybe), windows);
    expect_same_by_slices(combine(count(), sum(&Row::whole)), windows);
    expect_same_by_slices(combine(count(), avg(&Row::whole), min(&Row::text)), windows);
    expect_same_by_slices(Longest(), windows);
  }
}

// What cannot be state is found by the compiler.
static_assert(api_detail::holds_view<std::tuple<std::int64_t, std::string_view>>());
static_assert(api_detail::holds_view<std::optional<std::string_view>>());
static_assert(!api_detail::holds_view<Row>());
static_assert(!api_detail::is_encodable<std::shared_ptr<int>>());
static_assert(api_detail::is_encodable<std::vector<std::optional<std::string>>>());

}  // namespace
}  // namespace tidemark
