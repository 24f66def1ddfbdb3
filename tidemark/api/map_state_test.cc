// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/map_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tidemark/api/stream_harness.h"
#include "tidemark/base/random.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

enum class Color : std::int32_t { kRed = -1, kGreen = 0, kBlue = 7 };

struct Place {
  std::string city;
  std::int32_t floor = 0;
  std::optional<double> height;

  friend auto operator<=>(const Place&, const Place&) = default;
};
BOOST_DESCRIBE_STRUCT(Place, (), (city, floor, height))

template <typename K>
std::string encoded(const K& key) {
  std::string bytes;
  api_detail::encode_order_key(key, bytes);
  return bytes;
}

template <typename K>
void expect_in_order(const std::vector<K>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(api_detail::decode_order_key<K>(encoded(keys[i])), keys[i]);
    if (i == 0) continue;
    EXPECT_LT(encoded(keys[i - 1]), encoded(keys[i])) << "at " << i;
  }
}

TEST(OrderKeyTest, BytesAreInTheOrderOfKeys) {
  expect_in_order<std::int64_t>({INT64_MIN, -256, -1, 0, 1, 255, 256, INT64_MAX});
  expect_in_order<std::int8_t>({-128, -1, 0, 127});
  expect_in_order<std::uint16_t>({0, 1, 255, 256, 65535});
  expect_in_order<std::string>({"", std::string(1, '\0'), "a", "a\x01", "ab", "b"});
  expect_in_order<Color>({Color::kRed, Color::kGreen, Color::kBlue});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_in_order<double>({-kInfinity, -1.5, -1e-300, 0.0, 1e-300, 2.5, kInfinity});
  EXPECT_EQ(encoded(0.0), encoded(-0.0));
  EXPECT_GT(encoded(std::numeric_limits<double>::quiet_NaN()), encoded(kInfinity));
  expect_in_order<Place>({{"", 5, {}},
                          {std::string(1, '\0'), -5, {}},
                          {"a", -5, 1.0},
                          {"a", 3, {}},
                          {"a", 3, -2.0},
                          {"ab", 0, {}}});
  expect_in_order<std::pair<std::string, std::int64_t>>({{"a", 5}, {"a", 6}, {"ab", -1}});
}

struct Put {
  std::string key;
  std::int64_t at = 0;
  std::int64_t what = 0;
};
BOOST_DESCRIBE_STRUCT(Put, (), (key, at, what))

struct Found {
  std::int64_t at = 0;
  std::string value;

  friend bool operator==(const Found&, const Found&) = default;
};
BOOST_DESCRIBE_STRUCT(Found, (), (at, value))

// what: 0 put, 1 erase, 2 range from at on, 3 count, 4 erase below at
struct Log {
  MapState<std::int64_t, std::string> log;
  explicit Log(TimeToLive ttl = {}) : log("log", ttl) {}
  auto states() { return std::tie(log); }

  void process(const Put& row, KeyedContext<std::string>&, Collector<Found>& out) {
    switch (row.what) {
      case 0: log.put(row.at, "v" + std::to_string(row.at)); break;
      case 1: log.erase(row.at); break;
      case 2:
        for (const auto& [at, value] : log.range(row.at, row.at + 10)) out.emit({at, value});
        break;
      case 3: out.emit({static_cast<std::int64_t>(log.entries().size()), ""}); break;
      default: log.erase_range(INT64_MIN, row.at);
    }
  }
};

auto logged(TimeToLive ttl = {}) {
  return [ttl](Stream<Put> in) { return in.key_by(&Put::key).process<Found>(Log(ttl)); };
}

TEST(MapStateTest, RangesAreInOrder) {
  StreamHarness<Put, Found> harness(logged());
  for (std::int64_t i = 200; i-- > -200;) harness.push({"a", i, 0});
  harness.push({"a", -3, 1});
  harness.push({"a", -5, 2});
  std::vector<std::int64_t> found;
  for (const Found& entry : harness.take()) found.push_back(entry.at);
  EXPECT_THAT(found, ElementsAre(-5, -4, -2, -1, 0, 1, 2, 3, 4));
  harness.push({"b", -5, 2});
  EXPECT_THAT(harness.take(), IsEmpty());
  harness.push_all({{"a", 100, 4}, {"a", 0, 3}});
  EXPECT_EQ(harness.take()[0].at, 100);
}

TEST(MapStateTest, IsAsAMapAtAnyParallelism) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto make = [&] {
      return std::make_unique<StreamHarness<Put, Found>>(
          logged(),
          StreamHarnessOptions{.parallelism = static_cast<std::uint32_t>(1 + random.below(3))});
    };
    auto harness = make();
    std::map<std::string, std::map<std::int64_t, std::string>> model;
    for (int step = 0; step < 30; ++step) {
      const std::string key(1, static_cast<char>('a' + random.below(5)));
      std::vector<Put> puts;
      for (std::uint64_t i = random.below(200); i > 0; --i) {
        const auto at = static_cast<std::int64_t>(random.below(500));
        const auto what = random.one_in(3) ? std::int64_t{1} : std::int64_t{0};
        puts.push_back({key, at, what});
        if (what == 0) model[key][at] = "v" + std::to_string(at);
        if (what == 1) model[key].erase(at);
      }
      puts.push_back({key, 100, 2});
      harness->push_all(puts);
      std::vector<Found> expected;
      for (const auto& [at, value] : model[key])
        if (at >= 100 && at < 110) expected.push_back({at, value});
      ASSERT_EQ(harness->take(), expected);
      if (!random.one_in(5)) continue;
      const std::string snapshot = harness->snapshot();
      harness = make();
      harness->restore(snapshot);
    }
  }
}

TEST(MapStateTest, EachEntryHasItsTimeToLive) {
  StreamHarness<Put, Found> harness(logged({.ttl = 1000}));
  harness.push({"a", 1, 0});
  harness.advance_processing_time(600);
  harness.push({"a", 2, 0});
  harness.advance_processing_time(399);
  harness.push({"a", 0, 2});
  EXPECT_EQ(harness.take().size(), 2u);
  harness.advance_processing_time(1);
  harness.push({"a", 0, 2});
  EXPECT_EQ(harness.take(), (std::vector<Found>{{2, "v2"}}));
}

struct Values {
  ListState<std::int64_t> list;
  ValueState<std::int64_t> value;
  explicit Values(TimeToLive ttl) : list("list", ttl), value("value", ttl) {}
  auto states() { return std::tie(list, value); }

  void process(const Put& row, KeyedContext<std::string>&, Collector<Found>& out) {
    if (row.what == 0) {
      list.add(row.at);
      value.set(row.at);
      return;
    }
    std::string all;
    for (const std::int64_t item : list.get()) all += std::to_string(item) + ",";
    out.emit({value.value_or(-1), all});
  }
};

auto valued(TimeToLive ttl) {
  return [ttl](Stream<Put> in) { return in.key_by(&Put::key).process<Found>(Values(ttl)); };
}

TEST(TimeToLiveTest, ElementsOfAListExpireOneByOne) {
  StreamHarness<Put, Found> harness(valued({.ttl = 1000}));
  harness.push({"a", 1, 0});
  harness.advance_processing_time(600);
  harness.push({"a", 2, 0});
  harness.advance_processing_time(400);
  harness.push({"a", 0, 1});
  EXPECT_EQ(harness.take(), (std::vector<Found>{{2, "2,"}}));
  harness.advance_processing_time(600);
  harness.push({"a", 0, 1});
  EXPECT_EQ(harness.take(), (std::vector<Found>{{-1, ""}}));
}

TEST(TimeToLiveTest, Flink21WrittenAt5000IsReadAt5999AndNotAt6000) {
  for (const auto clock : {TimeToLive::Clock::kProcessingTime, TimeToLive::Clock::kEventTime}) {
    StreamHarness<Put, Found> harness(valued({.ttl = 1000, .clock = clock}));
    auto go_to = [&, at = std::int64_t{0}](std::int64_t time) mutable {
      harness.advance_processing_time(time - std::exchange(at, time));
      harness.advance_watermark(time);
    };
    go_to(5000);
    harness.push({"a", 7, 0}, 5000);
    go_to(5999);
    harness.push({"a", 0, 1}, 5999);
    EXPECT_EQ(harness.take(), (std::vector<Found>{{7, "7,"}}));
    go_to(6000);
    harness.push({"a", 0, 1}, 6000);
    EXPECT_EQ(harness.take(), (std::vector<Found>{{-1, ""}}));
  }
}

TEST(TimeToLiveTest, B28AChangedOneCountsFromTheLastWrite) {
  StreamHarness<Put, Found> harness(valued({.ttl = 600'000}));
  harness.push({"a", 7, 0});
  harness.advance_processing_time(60'000);
  StreamHarness<Put, Found> same(valued({.ttl = 600'000}));
  same.restore(harness.snapshot());
  // A harness begins at time 0 again, so the value seems written in the future of nothing: it
  // lives.
  same.advance_processing_time(599'999);
  same.push({"a", 0, 1});
  EXPECT_EQ(same.take(), (std::vector<Found>{{7, "7,"}}));
  StreamHarness<Put, Found> longer(valued({.ttl = 1'800'000}));
  longer.restore(harness.snapshot());
  longer.advance_processing_time(1'799'999);
  longer.push({"a", 0, 1});
  EXPECT_EQ(longer.take(), (std::vector<Found>{{7, "7,"}}));
  longer.advance_processing_time(1);
  longer.push({"a", 0, 1});
  EXPECT_EQ(longer.take(), (std::vector<Found>{{-1, ""}}));
}

}  // namespace
}  // namespace tidemark
