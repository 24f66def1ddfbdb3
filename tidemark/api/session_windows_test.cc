// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/session_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tidemark/api/general_windows.h"
#include "tidemark/api/stream_harness.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Click {
  std::string user;
  std::int64_t cents = 0;
  std::int64_t at = 0;
};
BOOST_DESCRIBE_STRUCT(Click, (), (user, cents, at))

using Session = WindowResult<std::string, std::int64_t>;
using Harness = StreamHarness<Click, Session>;
using Shown = std::tuple<std::string, EventTime, EventTime, std::int64_t>;

std::vector<Shown> shown(const std::vector<Session>& sessions) {
  std::vector<Shown> result;
  for (const Session& s : sessions)
    result.emplace_back(s.key, s.window.start, s.window.end, s.result);
  return result;
}

TEST(SessionWindows, MergeAcrossRowsOutOfOrder) {
  Harness harness(
      [](const Stream<Click>& clicks) {
        return clicks.key_by(&Click::user).window(session(10s)).sum(&Click::cents);
      },
      &Click::at, bounded_out_of_orderness(6s), {.parallelism = 2});
  harness.push({"ann", 1, 0});
  harness.push({"ann", 2, 15'000});
  harness.push({"ann", 4, 8'000});
  harness.push({"bob", 8, 30'999});
  EXPECT_THAT(shown(harness.take()), IsEmpty());
  harness.push({"bob", 16, 31'000});
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"ann", 0, 25'000, 7}));
  const std::string snapshot = harness.snapshot();
  harness.restore(snapshot);
  harness.finish();
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"bob", 30'999, 41'000, 24}));
}

TEST(SessionWindows, ReduceAndStringsInTheAccumulator) {
  StreamHarness<Click, WindowResult<std::string, Click>> harness([](const Stream<Click>& clicks) {
    return clicks.key_by(&Click::user)
        .window(session(10ms))
        .reduce([](const Click& a, const Click& b) {
          return Click{a.user + b.user, a.cents + b.cents, b.at};
        });
  });
  harness.push({"ann", 1, 0}, 0);
  harness.push({"ann", 2, 0}, 30);
  harness.push({"ann", 4, 0}, 20);
  harness.push({"ann", 8, 0}, 10);
  const std::string snapshot = harness.snapshot();
  harness.restore(snapshot);
  harness.advance_watermark(40);
  const auto fired = harness.take();
  ASSERT_EQ(fired.size(), 1u);
  EXPECT_EQ(fired[0].result.user.size(), 12u);
  EXPECT_EQ(fired[0].result.cents, 15);
}

TEST(SessionWindows, TheGapMayComeFromTheRow) {
  Harness harness([](const Stream<Click>& clicks) {
    return clicks.key_by(&Click::user)
        .window(session([](const Click& click) { return std::chrono::milliseconds(click.cents); }))
        .sum(&Click::cents);
  });
  harness.push({"ann", 5, 0}, 0);
  harness.push({"ann", 30, 0}, 4);
  harness.push({"ann", 7, 0}, 40);
  harness.advance_watermark(34);
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"ann", 0, 34, 35}));
}

// A key of two words: NULLs are one key.
TEST(SessionWindows, KeysMayBeNull) {
  using Row = std::pair<std::optional<std::int64_t>, std::int64_t>;
  using Sum = WindowResult<std::optional<std::int64_t>, std::int64_t>;
  const auto by_first = [](const Stream<Row>& rows) {
    return rows.key_by([](const Row& row) { return row.first; });
  };
  const auto last = [](const Row& row) { return row.second; };
  for (const bool general : {false, true}) {
    StreamHarness<Row, Sum> harness([&](const Stream<Row>& rows) -> Stream<Sum> {
      const auto windows = by_first(rows).window(session(10ms));
      if (general) return windows.trigger(event_time_trigger()).sum(last);
      return windows.sum(last);
    });
    for (const std::int64_t value : {1, 2, 4}) {
      harness.push({std::nullopt, value}, value);
      harness.push({7, 10 * value}, value);
    }
    harness.restore(harness.snapshot());
    harness.finish();
    std::vector<std::int64_t> sums(2);
    for (const Sum& sum : harness.take()) sums[sum.key ? 1 : 0] = sum.result;
    EXPECT_THAT(sums, ElementsAre(7, 70));
  }
}

TEST(SessionWindows, LateRowsAndAllowedLateness) {
  Collected<Click> late;
  Harness harness([&](const Stream<Click>& clicks) {
    const auto sessions =
        clicks.key_by(&Click::user).window(session(10ms)).allowed_lateness(20ms).sum(&Click::cents);
    sessions.late_rows().sink_to(late);
    return sessions;
  });
  harness.push({"ann", 1, 0}, 0);
  harness.advance_watermark(29);
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"ann", 0, 10, 1}));
  harness.push({"ann", 2, 0}, 3);
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"ann", 0, 13, 3}));
  harness.advance_watermark(33);
  harness.push({"ann", 4, 77}, 3);
  EXPECT_THAT(shown(harness.take()), IsEmpty());
  ASSERT_EQ(late.rows().size(), 1u);
  EXPECT_EQ(late.rows()[0].at, 77);
  EXPECT_EQ(harness.late_rows(), 1u);
}

TEST(SessionWindows, ProcessingTimeFollowsTheClock) {
  Harness harness([](const Stream<Click>& clicks) {
    return clicks.key_by(&Click::user).window(processing_time(session(10ms))).sum(&Click::cents);
  });
  harness.push({"ann", 1, 0}, 900);
  harness.advance_processing_time(9);
  harness.push({"ann", 2, 0}, 5);
  harness.advance_processing_time(9);
  EXPECT_THAT(shown(harness.take()), IsEmpty());
  harness.advance_processing_time(1);
  EXPECT_THAT(shown(harness.take()), ElementsAre(Shown{"ann", 0, 19, 3}));
}

void expect_refused(const Harness::Pipeline& pipeline, const char* message) {
  EXPECT_THAT([&] { Harness harness(pipeline); },
              ::testing::ThrowsMessage<Failure>(HasSubstr(message)));
}

TEST(SessionWindows, MistakesAreFoundBeforeTheJobStarts) {
  expect_refused(
      [](const Stream<Click>& clicks) {
        return clicks.key_by(&Click::user).window(session(0s)).sum(&Click::cents);
      },
      "the gap of sessions is 0 ms");
  expect_refused(
      [](const Stream<Click>& clicks) {
        return clicks.key_by(&Click::user)
            .window(processing_time(session(1s)))
            .allowed_lateness(1s)
            .sum(&Click::cents);
      },
      "no late rows");
}

}  // namespace
}  // namespace tidemark
