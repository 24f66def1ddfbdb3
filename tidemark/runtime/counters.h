// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tidemark/operator/metrics.h"

namespace tidemark {

/// The totals of a job, or of one task, that go on over restores.
struct JobCounters {
  std::uint64_t rows_read = 0;
  std::uint64_t rows_written = 0;
  std::uint64_t filtered = 0;
  std::uint64_t late_dropped = 0;
  std::uint64_t late_side_output = 0;
  std::uint64_t rejected_skipped = 0;
  std::uint64_t rejected_dead_letter = 0;
  std::uint64_t nulled = 0;

  JobCounters& operator+=(const JobCounters& other) noexcept;
  friend bool operator==(const JobCounters&, const JobCounters&) = default;
};

/// What an operator is to the totals.
enum class OperatorRole : std::uint8_t { kSource, kOperator, kSink };

/// The share of one operator of one subtask as it stands now.
JobCounters read_counters(const OperatorMetrics& metrics, OperatorRole role) noexcept;

/// By name, as checkpoint metadata keeps them. Unknown names are ignored, missing ones are 0.
std::map<std::string, std::uint64_t> to_map(const JobCounters& counters);
template <typename Map>
JobCounters counters_from(const Map& map);

namespace counters_detail {
struct Entry {
  std::string_view name;
  std::uint64_t JobCounters::*member;
};
inline constexpr std::array<Entry, 8> kEntries{{
    {"rows_read", &JobCounters::rows_read},
    {"rows_written", &JobCounters::rows_written},
    {"filtered", &JobCounters::filtered},
    {"late_dropped", &JobCounters::late_dropped},
    {"late_side_output", &JobCounters::late_side_output},
    {"rejected_skipped", &JobCounters::rejected_skipped},
    {"rejected_dead_letter", &JobCounters::rejected_dead_letter},
    {"nulled", &JobCounters::nulled},
}};
}  // namespace counters_detail

template <typename Map>
JobCounters counters_from(const Map& map) {
  JobCounters counters;
  for (const auto& entry : counters_detail::kEntries) {
    const auto found = map.find(std::string(entry.name));
    if (found != map.end()) counters.*entry.member = found->second;
  }
  return counters;
}

}  // namespace tidemark
