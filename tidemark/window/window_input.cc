// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_input.h"

#include <algorithm>

#include "tidemark/base/error.h"

namespace tidemark {

void refuse_changes(const Batch& batch, const std::string& uid) {
  const std::int8_t* kinds = batch.row_kinds();
  if (kinds == nullptr) return;
  const auto is_change = [](std::int8_t kind) {
    return kind != static_cast<std::int8_t>(RowKind::kInsert);
  };
  if (std::none_of(kinds, kinds + batch.rows(), is_change)) return;
  throw Failure(ErrorCode::kUnsupported,
                "operator '" + uid +
                    "': a window aggregate takes new rows only, but its input updates or deletes "
                    "earlier ones",
                /*retryable=*/false);
}

const EventTime* event_times_of(const Batch& batch, const std::string& uid) {
  const EventTime* times = batch.event_times();
  if (times != nullptr && *std::min_element(times, times + batch.rows()) != kMinTime) return times;
  throw Failure(ErrorCode::kInvalidRecord,
                "operator '" + uid +
                    "': a row has no event time; a window needs one for every row. Name the time "
                    "column with WATERMARK FOR or a timestamp assigner",
                /*retryable=*/false);
}

}  // namespace tidemark
