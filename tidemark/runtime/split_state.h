// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// Name of a source's operator state: one item a split, and one for the whole source.
inline constexpr std::string_view kSplitsState = "splits";

/// How far a split has been read. Finished ones are remembered, so that they are never read again.
struct SplitState {
  Split split;
  std::optional<std::string> position;  // absent: from the beginning
  EventTime watermark = kMinTime;
  bool finished = false;
  std::uint64_t rows_read = 0;
  std::uint64_t bytes_read = 0;
  std::string generator;  // WatermarkGenerator::snapshot(); empty: none yet
};

std::string encode(const SplitState& state);
/// Throws a Failure (kCheckpointDamaged) for bytes that encode() cannot have written.
SplitState decode_split_state(std::string_view item);

/// The splits of a source after a restore: those of the checkpoint as they stood there (also when
/// they are not found any more: their reader then says so), then those found only now, from their
/// beginning.
std::vector<SplitState> merge_splits(std::vector<SplitState> restored, std::vector<Split> found);

/// Hands the splits to the subtasks: unfinished ones in turn, so that all get the same number but
/// for one, then finished ones likewise. Depends on the order of `splits` alone.
std::vector<std::vector<SplitState>> assign_splits(std::vector<SplitState> splits,
                                                   std::uint32_t parallelism);

}  // namespace tidemark
