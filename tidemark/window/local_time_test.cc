// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/local_time.h"

#include <gtest/gtest.h>

#include <vector>

#include "tidemark/data/calendar.h"

namespace tidemark {
namespace {

EventTime at(const char* text) {
  return *parse_timestamp(text, 3);
}

std::shared_ptr<const WindowClock> clock_of(std::string_view zone) {
  return make_zone_clock(zone).or_throw();
}

/// The smallest wall-clock time that an instant from `from` on (for two days) shows, a second
/// apart.
EventTime smallest_local(const WindowClock& clock, EventTime from, Millis step) {
  EventTime smallest = kMaxTime;
  for (EventTime instant = from; instant < from + 2 * 86'400'000; instant += step) {
    EventTime local = 0;
    clock.to_local({&instant, 1}, {&local, 1});
    smallest = std::min(smallest, local);
  }
  return smallest;
}

TEST(ZoneClockTest, UtcNeedsNoClock) {
  EXPECT_EQ(clock_of("UTC"), nullptr);
  EXPECT_FALSE(make_zone_clock("Europe/Berlim").ok());
}

// Conformance vector 27: clocks show 01:00 to 02:00 twice; the window of that hour holds both.
TEST(ZoneClockTest, ARepeatedHourIsCompleteAfterItsSecondEnd) {
  const auto clock = clock_of("America/Los_Angeles");
  const EventTime one = at("2021-11-07 01:00:00");
  const EventTime two = at("2021-11-07 02:00:00");
  const EventTime first_one = at("2021-11-07 08:00:00");   // PDT
  const EventTime second_two = at("2021-11-07 10:00:00");  // PST
  EXPECT_EQ(clock->last_instant_before(one), first_one - 1);
  EXPECT_EQ(clock->last_instant_before(two), second_two - 1);
  EXPECT_EQ(clock->complete_through(first_one), one);
  EXPECT_EQ(clock->complete_through(first_one + 1'800'000), one) << "01:30 comes again";
  EXPECT_EQ(clock->complete_through(second_two - 1), two - 1);
  EXPECT_EQ(clock->complete_through(second_two), two);
}

// Conformance vector 26: 02:00 to 03:00 does not exist.
TEST(ZoneClockTest, ASkippedHourIsCompleteWhenTheClocksHaveSkippedIt) {
  const auto clock = clock_of("America/Los_Angeles");
  const EventTime gap = at("2021-03-14 10:00:00");  // 02:00 PST is 03:00 PDT
  EXPECT_EQ(clock->last_instant_before(at("2021-03-14 02:00:00")), gap - 1);
  EXPECT_EQ(clock->last_instant_before(at("2021-03-14 02:30:00")), gap - 1);
  EXPECT_EQ(clock->last_instant_before(at("2021-03-14 03:00:00")), gap - 1);
  EXPECT_EQ(clock->last_instant_before(at("2021-03-14 03:00:01")), gap + 999);
  EXPECT_EQ(clock->complete_through(gap - 1), at("2021-03-14 01:59:59.999"));
  EXPECT_EQ(clock->complete_through(gap), at("2021-03-14 03:00:00"));
}

TEST(ZoneClockTest, TheEndsOfTimeStay) {
  const auto clock = clock_of("Europe/Berlin");
  EXPECT_EQ(clock->complete_through(kMinTime), kMinTime);
  EXPECT_EQ(clock->complete_through(kMaxTime), kMaxTime);
}

// Against the definition, around changes of the clocks; Lord Howe's are half an hour.
TEST(ZoneClockTest, CompleteIsWhatNoLaterInstantShows) {
  struct Change {
    const char* zone;
    const char* around;
  };
  for (const Change change : {Change{"America/Los_Angeles", "2021-11-07 08:59:00"},
                              Change{"America/Los_Angeles", "2021-03-14 09:30:00"},
                              Change{"Australia/Lord_Howe", "2021-04-03 14:30:00"},
                              Change{"Australia/Lord_Howe", "2021-10-02 15:10:00"},
                              Change{"Europe/Berlin", "2024-10-27 00:10:00"},
                              Change{"Asia/Kathmandu", "2024-01-01 00:00:00"}}) {
    const auto clock = clock_of(change.zone);
    constexpr Millis kStep = 60'000;
    for (int i = -90; i <= 90; i += 3) {
      const EventTime instant = at(change.around) / kStep * kStep + i * kStep;
      ASSERT_EQ(clock->complete_through(instant), smallest_local(*clock, instant, kStep))
          << change.zone << " " << event_time_to_string(instant);
    }
  }
}

}  // namespace
}  // namespace tidemark
