// SPDX-License-Identifier: Apache-2.0
// The least program: what a project of one's own needs from its build.
#include <cstdint>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;

struct Reading {
  std::int64_t at = 0;
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (at, value))

int main() {
  const std::vector<Reading> readings = {{1'000, 1}, {2'000, 2}};
  tidemark::Environment env("embedded");
  tidemark::Collected<Reading> kept;
  env.source(tidemark::from_values(readings), &Reading::at, tidemark::bounded_out_of_orderness(1s))
      .filter([](const Reading& reading) { return reading.value > 1; })
      .sink_to(kept);
  return env.run().ok() && kept.rows().size() == 1 ? 0 : 1;
}
