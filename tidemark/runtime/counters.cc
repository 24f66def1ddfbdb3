// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/counters.h"

namespace tidemark {

JobCounters& JobCounters::operator+=(const JobCounters& other) noexcept {
  for (const auto& entry : counters_detail::kEntries) this->*entry.member += other.*entry.member;
  return *this;
}

JobCounters read_counters(const OperatorMetrics& metrics, OperatorRole role) noexcept {
  return {.rows_read = role == OperatorRole::kSource ? metrics.records_in.get() : 0,
          .rows_written = role == OperatorRole::kSink ? metrics.records_in.get() : 0,
          .filtered = metrics.filtered.get(),
          .late_dropped = metrics.late_dropped.get(),
          .late_side_output = metrics.late_side_output.get(),
          .rejected_skipped = metrics.rejected_skipped.get(),
          .rejected_dead_letter = metrics.rejected_dead_letter.get(),
          .nulled = metrics.nulled.get()};
}

std::map<std::string, std::uint64_t> to_map(const JobCounters& counters) {
  std::map<std::string, std::uint64_t> map;
  for (const auto& entry : counters_detail::kEntries)
    map[std::string(entry.name)] = counters.*entry.member;
  return map;
}

}  // namespace tidemark
