// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/slices.h"

#include <gmock/gmock.h>

#include <set>

#include "tidemark/base/random.h"
#include "tidemark/window/slice_rows.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Slices tumbling(Millis size, Millis offset = 0) {
  return Slices({size, size, offset, 0});
}
Slices hopping(Millis size, Millis slide) {
  return Slices({size, slide, 0, 0});
}

std::vector<EventTime> window_starts(const Slices& slices, EventTime time) {
  std::vector<EventTime> starts;
  for (const TimeWindow& window : slices.windows_of(time)) starts.push_back(window.start);
  return starts;
}

EventTime start_of(const Slices& slices, EventTime time) {
  return slices.slice_start(slices.slice_end(time));
}

// B07 (a), conformance vector 4: times before 1970 are rounded down.
TEST(SlicesTest, TimesBefore1970RoundDown) {
  EXPECT_EQ(start_of(tumbling(5000), -1), -5000);
  EXPECT_EQ(start_of(tumbling(5000), -5000), -5000);
  EXPECT_EQ(start_of(tumbling(5000), -5001), -10000);
  EXPECT_EQ(start_of(tumbling(5000), 0), 0);
  EXPECT_EQ(start_of(tumbling(5000), 4999), 0);
  EXPECT_EQ(start_of(tumbling(10), -1), -10);
  EXPECT_EQ(start_of(tumbling(10), -10), -10);
  EXPECT_EQ(start_of(tumbling(10), -11), -20);
}

// B07 (b): a local midnight at UTC+8.
TEST(SlicesTest, NegativeOffsetsAlignDays) {
  constexpr Millis kHour = 3600 * 1000;
  const Slices days = tumbling(24 * kHour, -8 * kHour);
  constexpr EventTime kMidnight = 1704124800000;  // 2024-01-01T16:00:00Z
  EXPECT_EQ(start_of(days, kMidnight - 1), kMidnight - 24 * kHour);
  EXPECT_EQ(start_of(days, kMidnight), kMidnight);
}

// Conformance vector 5.
TEST(SlicesTest, OffsetsMoveWindows) {
  EXPECT_EQ(start_of(tumbling(600'000, -240'000), 4000), -240'000);
  EXPECT_EQ(start_of(tumbling(600'000, 240'000), 4000), -360'000);
}

// Conformance vector 6.
TEST(SlicesTest, HoppingWindowsOfUnevenCount) {
  EXPECT_THAT(window_starts(hopping(10, 4), 9), ElementsAre(8, 4, 0));
  EXPECT_THAT(window_starts(hopping(10, 4), 11), ElementsAre(8, 4));
}

// Conformance vector 7 and B09 (b): windows with gaps between them.
TEST(SlicesTest, ARowInAGapHasNoWindow) {
  EXPECT_THAT(window_starts(hopping(3, 10), 5), IsEmpty());
  EXPECT_EQ(hopping(3, 10).last_window_end(hopping(3, 10).slice_end(5)), std::nullopt);
  const Slices gaps = hopping(2000, 5000);
  EXPECT_THAT(window_starts(gaps, 3000), IsEmpty());
  EXPECT_EQ(gaps.last_window_end(gaps.slice_end(3000)), std::nullopt);
  EXPECT_THAT(window_starts(gaps, 6000), ElementsAre(5000));
  EXPECT_EQ(gaps.last_window_end(gaps.slice_end(6000)), 7000);
}

// B09 (a): the size is no multiple of the slide.
TEST(SlicesTest, OneRowIsNotPutInTooManyWindows) {
  const Slices slices = hopping(7500, 7000);
  EXPECT_EQ(slices.width(), 500);
  EXPECT_THAT(window_starts(slices, 730200), ElementsAre(728000));
  EXPECT_THAT(window_starts(slices, 735300), ElementsAre(735000, 728000));
}

// The windows found through slices are those found by their definition, s <= t < s + size.
TEST(SlicesTest, AgreeWithTheDefinition) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    const Millis size = 1 + static_cast<Millis>(random.below(30));
    const Millis slide = 1 + static_cast<Millis>(random.below(30));
    const Millis offset = static_cast<Millis>(random.below(2 * slide - 1)) - slide + 1;
    const Slices slices({size, slide, offset, 0});
    const EventTime time = static_cast<EventTime>(random.below(400)) - 200;
    std::vector<EventTime> defined;
    for (EventTime k = -2000; k <= 2000; ++k) {
      const EventTime start = offset + k * slide;
      if (start <= time && time < start + size) defined.insert(defined.begin(), start);
    }
    ASSERT_EQ(window_starts(slices, time), defined);
    const EventTime end = slices.slice_end(time);
    ASSERT_LE(slices.slice_start(end), time);
    ASSERT_LT(time, end);
    std::vector<EventTime> by_slice;
    const auto last = slices.last_window_end(end);
    ASSERT_EQ(last.has_value(), !defined.empty());
    if (!last) continue;
    for (EventTime e = slices.window_end_after(end, kMinTime); e <= *last;
         e = slices.window_end_after(end, e))
      by_slice.insert(by_slice.begin(), slices.window_start(e));
    ASSERT_EQ(by_slice, defined) << "size " << size << " slide " << slide << " time " << time;
  }
}

TEST(SlicesTest, TheEndsOfTimeSaturate) {
  const Slices slices = tumbling(10'000, 3);
  EXPECT_EQ(slices.slice_end(kMaxTime), kMaxTime);
  EXPECT_EQ(slices.last_window_end(kMaxTime), kMaxTime);
  EXPECT_EQ(slices.slice_end(kMaxTime - 20'000) % 10'000, 3);
  EXPECT_GT(slices.slice_end(kMinTime), kMinTime);
  EXPECT_EQ(slices.slice_start(slices.slice_end(kMinTime)), kMinTime);
}

TEST(SliceRowsTest, EveryRowIsInItsSliceOnce) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    const Millis size = 1 + static_cast<Millis>(random.below(50));
    const Slices slices = tumbling(size, static_cast<Millis>(random.below(size)));
    SliceRowsBuilder builder(slices);
    std::vector<EventTime> times(random.below(60));
    const std::uint64_t spread = random.one_in(3) ? 1'000'000 : 1 + random.below(3 * size);
    for (EventTime& time : times)
      time = static_cast<EventTime>(random.below(spread)) - static_cast<EventTime>(spread / 2);
    if (!times.empty() && random.one_in(10)) times[0] = kMaxTime;
    if (!times.empty() && random.one_in(10)) times.back() = kMinTime + 1;
    std::set<RowIndex> seen;
    EventTime last = kMinTime;
    for (const SliceRows& part : builder.build(times)) {
      ASSERT_GT(part.slice_end, last);
      last = part.slice_end;
      ASSERT_FALSE(part.rows.empty());
      for (std::size_t i = 0; i < part.rows.size(); ++i) {
        if (i > 0) {
          ASSERT_LT(part.rows[i - 1], part.rows[i]);
        }
        ASSERT_EQ(slices.slice_end(times[part.rows[i]]), part.slice_end);
        ASSERT_TRUE(seen.insert(part.rows[i]).second);
      }
    }
    ASSERT_EQ(seen.size(), times.size());
  }
}

std::string refusal(WindowDescription window) {
  const Status status = validate(window);
  return status.ok() ? "" : status.error().message;
}

TEST(WindowDescriptionTest, RefusesWhatIsNoWindow) {
  EXPECT_EQ(refusal({5000, 5000, 0, 0}), "");
  EXPECT_EQ(refusal({5000, 5000, -4999, 0}), "");
  EXPECT_EQ(refusal({5000, 5000, 4999, 0}), "");
  EXPECT_THAT(refusal({0, 5000, 0, 0}), HasSubstr("size"));
  EXPECT_THAT(refusal({5000, 0, 0, 0}), HasSubstr("slide"));
  EXPECT_THAT(refusal({5000, 5000, 5000, 0}), HasSubstr("offset"));
  EXPECT_THAT(refusal({5000, 5000, -5000, 0}), HasSubstr("offset"));
  EXPECT_THAT(refusal({5000, 5000, 0, -1}), HasSubstr("lateness"));
}

}  // namespace
}  // namespace tidemark
