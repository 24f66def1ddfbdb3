// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/source.h"

namespace tidemark {

/// One split that replays `rows` from memory. Its position is the number of rows read; opening it
/// at a position beyond the last throws a Failure (kCheckpointMismatch).
SourcePtr make_batch_source(BatchPtr rows);

}  // namespace tidemark
