// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/data/batch.h"

namespace tidemark {

/// Appends a row as Flink prints it: "+I[a, 1, null, 2001-01-01T01:24]". Values look as those of
/// java.time and java.lang do.
void append_row_text(std::string& out, const Batch& batch, std::size_t row);

}  // namespace tidemark
