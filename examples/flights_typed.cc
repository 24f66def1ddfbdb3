// SPDX-License-Identifier: Apache-2.0
// The job of flights/hourly_delays.sql as a program: flights are read from a CSV file in the order
// in which they were observed, and counted by origin and hour of their schedule. Teaches tables of
// connectors as sources, nullable columns, and several aggregates at once.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

using WallClock = std::chrono::local_time<std::chrono::milliseconds>;

// The columns of the file, in order. A CSV field may be empty, so all but the event time are
// optional here, as they are nullable in SQL.
struct Flight {
  std::optional<WallClock> observed_at;
  std::optional<WallClock> scheduled_at;
  std::optional<std::string_view> origin;
  std::optional<std::string_view> destination;
  std::optional<std::int32_t> delay_minutes;
  std::optional<std::int32_t> distance_miles;
};
BOOST_DESCRIBE_STRUCT(Flight, (),
                      (observed_at, scheduled_at, origin, destination, delay_minutes,
                       distance_miles))

struct Delays {
  std::int64_t flights = 0;
  std::optional<std::int32_t> worst;
  std::optional<double> average;
};
BOOST_DESCRIBE_STRUCT(Delays, (), (flights, worst, average))

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "flights/flights_2001.csv";

  WatermarkStrategy two_hours_behind = bounded_out_of_orderness(120min);
  two_hours_behind.emission = WatermarkEmission::kPerEvent;

  Environment env("flights-typed");
  Collected<WindowResult<std::optional<std::string_view>, Delays>> hours;
  env.source(from_table<Flight>("flights",
                                {{"connector", "filesystem"}, {"path", file}, {"format", "csv"}}),
             &Flight::scheduled_at, two_hours_behind)
      .key_by(&Flight::origin)
      .window(tumbling(1h))
      .aggregate(combine<Delays>(count(), max(&Flight::delay_minutes), avg(&Flight::delay_minutes)))
      .sink_to(hours);

  const auto report = env.run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  std::int64_t flights = 0;
  std::size_t windows = 0;
  for (const auto& hour : hours.rows()) {
    flights += hour.result.flights;
    ++windows;
  }
  fmt::print("{} rows read, {} results that count {} flights, {} late\n", report->rows_read,
             windows, flights, report->late_rows);
  return 0;
}
