// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tidemark/window/session_operator.h"
#include "tidemark/window/window_fixture.h"

// Sessions of SUM and COUNT by a BIGINT key, for tests.

namespace tidemark {

inline SessionOperatorDescription sessions(Millis gap, Millis lateness = 0) {
  return {.session = {.gap = gap, .allowed_lateness = lateness},
          .key_columns = {0},
          .key_types = {DataType::big_int().with_nullable(false)}};
}

inline TestSubtask session_subtask(SessionOperatorDescription description,
                                   std::uint32_t subtask = 0, std::uint32_t parallelism = 1) {
  return TestSubtask(
      make_session_operator(std::move(description), std::make_unique<SumCountAggregator>()),
      subtask, parallelism);
}

/// Keys of the table of sessions.
inline std::size_t stored_keys(TestSubtask& subtask) {
  MemorySnapshot snapshot;
  subtask.snapshot(snapshot);
  return snapshot.find("window-sessions")->blocks.size();
}

}  // namespace tidemark
