// SPDX-License-Identifier: Apache-2.0
// Visits to a shop: clicks of a visitor that are at most half an hour apart, and visits whose
// length the visitor's last page decides. Teaches session windows, gaps of the row, and results
// that late rows correct.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Click {
  std::string visitor;
  std::string page;
  std::int64_t cents = 0;
  std::int64_t at = 0;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Click, (), (visitor, page, cents, at))

struct Visit {
  std::int64_t clicks = 0;
  std::int64_t cents = 0;
};
BOOST_DESCRIBE_STRUCT(Visit, (), (clicks, cents))

using VisitResult = WindowResult<std::string, Visit>;

constexpr std::int64_t minutes(std::int64_t count) {
  return count * 60'000;
}

void print(const char* title, std::vector<VisitResult> visits) {
  std::sort(visits.begin(), visits.end(), [](const VisitResult& a, const VisitResult& b) {
    return std::tuple(a.key, a.window.start) < std::tuple(b.key, b.window.start);
  });
  fmt::print("{}\n", title);
  for (const auto& [visitor, window, visit] : visits)
    fmt::print("  {} from minute {} to {}: {} clicks, {} cents\n", visitor,
               window.start / minutes(1), window.end / minutes(1), visit.clicks, visit.cents);
}

int main() {
  const std::vector<Click> clicks = {
      {"ann", "shoes", 0, minutes(0)},         {"bob", "hats", 0, minutes(5)},
      {"ann", "checkout", 4'900, minutes(55)},  // 55 minutes after shoes
      {"ann", "sizes", 0, minutes(28)},         // out of order: joins the two
      {"bob", "checkout", 1'500, minutes(40)},  // 35 minutes after hats: another visit
  };

  Environment env("click-sessions");
  const auto by_visitor =
      env.source(from_values(clicks), &Click::at, bounded_out_of_orderness(30min))
          .key_by(&Click::visitor);
  const auto visit = combine<Visit>(count(), sum(&Click::cents));

  Collected<VisitResult> half_hours;
  by_visitor.window(session(30min)).aggregate(visit).sink_to(half_hours);

  // Who pays is gone a minute later; who looks may come back within the hour.
  Collected<VisitResult> patient;
  by_visitor
      .window(session([](const Click& click) -> std::chrono::milliseconds {
        return click.page == "checkout" ? 1min : 60min;
      }))
      .aggregate(visit)
      .sink_to(patient);

  const auto report = env.run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  print("visits with gaps of half an hour", half_hours.rows());
  print("visits with gaps by page", patient.rows());
  return 0;
}
