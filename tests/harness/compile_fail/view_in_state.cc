// SPDX-License-Identifier: Apache-2.0
// Must not compile: the reduced row would point into a batch that is gone.
#include "tidemark/api/stream.h"

struct Reading {
  std::string_view sensor;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (sensor))

auto latest(const tidemark::Stream<Reading>& readings) {
  return readings.key_by(&Reading::sensor)
      .window(tidemark::tumbling(std::chrono::seconds(5)))
      .reduce([](const Reading&, const Reading& b) { return b; });
}
