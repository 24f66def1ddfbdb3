// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "tidemark/operator/operator.h"
#include "tidemark/operator/source.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

struct WatermarkAssignerDescription {
  WatermarkStrategy strategy;
  /// The column that becomes the rows' event time: TIMESTAMP, TIMESTAMP_LTZ, or BIGINT of
  /// milliseconds. Absent: rows keep the times they come with.
  std::optional<std::size_t> rowtime;
  /// A NULL in the rowtime column: kFail throws a Failure, kSkip drops the row and counts it,
  /// kDeadLetter hands it to output 1 and counts it.
  RecordErrorPolicy errors = RecordErrorPolicy::kFail;
};

/// Gives a stream event times and watermarks in the middle of a graph (Flink's
/// assignTimestampsAndWatermarks). It stands for a new beginning of time: watermarks from upstream
/// are swallowed, except for the end of input. Its generator's state is in its snapshots; after a
/// rescale each subtask goes on from the slowest promise that was made.
std::unique_ptr<Operator> make_watermark_assigner(WatermarkAssignerDescription description);

}  // namespace tidemark
