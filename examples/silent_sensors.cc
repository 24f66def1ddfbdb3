// SPDX-License-Identifier: Apache-2.0
// A function with state and timers for each key: tells when a sensor has been silent for 10 s, when
// it reports again, and how far it rose within a minute. Teaches process(), ValueState, MapState
// and event-time timers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Reading {
  std::string sensor;
  double celsius = 0;
  std::int64_t at = 0;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor, celsius, at))

struct Alert {
  std::int64_t at = 0;
  std::string sensor;
  std::string what;
};
BOOST_DESCRIBE_STRUCT(Alert, (), (at, sensor, what))

// Each subtask has its own copy. States are members, and states() lists them.
struct WatchSensor {
  static constexpr Millis kSilence = 10'000;

  ValueState<std::int64_t> last{"last report"};
  MapState<std::int64_t, double> readings{"readings of a minute"};

  auto states() { return std::tie(last, readings); }

  void process(const Reading& row, KeyedContext<std::string>& context, Collector<Alert>& out) {
    if (row.at - last.value_or(row.at) > kSilence)
      out.emit({row.at, row.sensor,
                fmt::format("reports again after {} s", (row.at - *last.get()) / 1000)});
    last.set(std::max(last.value_or(row.at), row.at));
    context.register_event_timer(row.at + kSilence);

    // A map is in the order of its keys, here of time.
    readings.put(row.at, row.celsius);
    readings.erase_range(0, row.at - 60'000);
    double lowest = row.celsius;
    readings.for_each([&](std::int64_t, double celsius) { lowest = std::min(lowest, celsius); });
    if (row.celsius - lowest >= 3)
      out.emit({row.at, row.sensor, fmt::format("{} degrees, up from {}", row.celsius, lowest)});
  }

  // Every row with event time <= timer.time has come.
  void on_timer(const Timer& timer, KeyedContext<std::string>& context, Collector<Alert>& out) {
    if (last.value_or(0) + kSilence == timer.time)
      out.emit({timer.time, context.key(), "has been silent for 10 s"});
  }
};

int main() {
  const std::vector<Reading> readings = {
      {"kitchen", 21.0, 0},      {"cellar", 12.0, 1'000},  {"kitchen", 22.0, 6'000},
      {"kitchen", 24.5, 14'000},  // the watermark is 12 s: the cellar has been silent
      {"cellar", 12.5, 25'000},  {"kitchen", 23.0, 15'000}};

  // On event: the watermark rises after each row, as the comment above says.
  WatermarkStrategy strategy = bounded_out_of_orderness(2s);
  strategy.emission = WatermarkEmission::kPerEvent;

  Environment env("silent-sensors");
  Collected<Alert> alerts;
  env.source(from_values(readings), &Reading::at, strategy)
      .key_by(&Reading::sensor)
      .process<Alert>(WatchSensor())
      .uid("watch")
      .sink_to(alerts);

  const auto report = env.run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  std::vector<Alert> rows = alerts.rows();
  std::sort(rows.begin(), rows.end(), [](const Alert& a, const Alert& b) {
    return std::tie(a.at, a.sensor) < std::tie(b.at, b.sensor);
  });
  for (const Alert& alert : rows)
    fmt::print("{:>2} s {}: {}\n", alert.at / 1000, alert.sensor, alert.what);
  return 0;
}
