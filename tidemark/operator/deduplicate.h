// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/data/type.h"
#include "tidemark/operator/operator.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark {

struct DeduplicateDescription {
  std::vector<std::size_t> key_columns;
  std::vector<DataType> key_types;
  std::string key_schema;  // "(id STRING)", stored beside the state
  /// How long a key is known after the row that was kept. By event time: after that row's time.
  Millis ttl = 0;
  TimeToLive::Clock clock = TimeToLive::Clock::kProcessingTime;
  /// Of the filter in front of a table whose look-ups are expensive (state/blind_insert.h).
  double false_positive_rate = 0.01;
  std::size_t expected_keys = std::size_t{1} << 20;
};

/// How often the filter was asked, and what its answers were worth.
struct DeduplicateCounts {
  std::uint64_t asked = 0;
  std::uint64_t never_seen = 0;       // answered without the table
  std::uint64_t false_positives = 0;  // the table did not know the key either
};

/// Keeps the first row of each key within a time to live; the others are counted as filtered. Rows
/// keep their order.
class DeduplicateOperator : public Operator {
 public:
  /// Of this subtask, so far.
  virtual const DeduplicateCounts& counts() const noexcept = 0;
};

/// Requires ttl > 0.
std::unique_ptr<DeduplicateOperator> make_deduplicate_operator(DeduplicateDescription description);

}  // namespace tidemark
