// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "tidemark/base/time.h"
#include "tidemark/data/batch.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// What a channel carries, in order. Rows of a batch all stand between the same control elements.
struct Watermark {
  EventTime time;
};
/// Separates what belongs to checkpoint `checkpoint`, which may be a savepoint, from what does not.
struct Barrier {
  CheckpointId checkpoint;
  ProcessingTime triggered_at;
  SnapshotKind kind = SnapshotKind::kCheckpoint;
};
/// The sender has nothing to say at present (active = false) and must not hold back watermarks.
struct StreamStatus {
  bool active;
};
/// Nothing follows.
struct EndOfInput {};
/// Passes through without being processed, for measuring latency.
struct LatencyMarker {
  std::int64_t sent_ns;
  std::uint32_t source;
};

using Element = std::variant<BatchPtr, Watermark, Barrier, StreamStatus, EndOfInput, LatencyMarker>;

}  // namespace tidemark
