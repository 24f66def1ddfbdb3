// SPDX-License-Identifier: Apache-2.0
// Event time, watermarks and tumbling windows in their smallest form: three readings of one sensor
// arrive out of order, the watermark passes the end of their window, and the window fires.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/api/stream_harness.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Reading {
  std::string sensor;
  std::int64_t at = 0;  // milliseconds
  double value = 0;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor, at, value))

struct Totals {
  std::int64_t count = 0;
  double sum = 0;
};
BOOST_DESCRIBE_STRUCT(Totals, (), (count, sum))

using SensorWindow = WindowResult<std::string, Totals>;

int main() {
  constexpr std::chrono::milliseconds kWindow = 5s;
  constexpr std::chrono::milliseconds kOutOfOrderness = 2s;
  fmt::print("=== Stream Processing: Event Time, Watermarks & Tumbling Windows ===\n");

  // Each reading moves the watermark to the highest time seen minus the out-of-orderness.
  StreamHarness<Reading, SensorWindow> engine(
      [&](Stream<Reading> readings) {
        return readings.key_by(&Reading::sensor)
            .window(tumbling(kWindow))
            .aggregate(combine<Totals>(count(), sum(&Reading::value)));
      },
      &Reading::at, bounded_out_of_orderness(kOutOfOrderness));
  fmt::print("Initialized StatefulStreamEngine: Window={}ms, AllowedLateness={}ms\n",
             kWindow.count(), kOutOfOrderness.count());

  const std::vector<Reading> readings = {
      {"sensor-A", 1000, 24.5}, {"sensor-A", 4500, 25.0}, {"sensor-A", 2000, 26.5}};
  std::string times;
  for (const Reading& reading : readings) {
    engine.push(reading);
    times += fmt::format("{}{}", times.empty() ? "" : ", ", reading.at);
  }
  fmt::print("Ingested {} events with out-of-order timestamps ({})\n", readings.size(), times);

  const EventTime past_the_window = kWindow.count() + kOutOfOrderness.count();
  fmt::print("Advancing watermark past window boundary to {}ms...\n", past_the_window);
  engine.advance_watermark(past_the_window);

  const std::vector<SensorWindow> fired = engine.take();
  fmt::print("Windows triggered: {}\n", fired.size());
  for (const auto& [key, window, result] : fired)
    fmt::print("  Window [{}ms - {}ms]: key='{}', count={}, sum={}\n", window.start, window.end,
               key, result.count, result.sum);
  return 0;
}
