// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/data/column.h"

namespace tidemark {

/// A time column as the event times of a batch: TIMESTAMP, TIMESTAMP_LTZ, or BIGINT of
/// milliseconds. What stands under a NULL is converted too. Milliseconds are shared, not copied.
ColumnPtr to_event_times(const ColumnPtr& column);

}  // namespace tidemark
