// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/aggregate.h"

namespace tidemark::api_detail {

void throw_sum_overflow() {
  throw Failure(ErrorCode::kEvaluation,
                "the sum of a window left the range of a 64-bit integer: sum a double instead, as "
                "in sum([](const Row& row) { return double(row.value); })",
                /*retryable=*/false);
}

}  // namespace tidemark::api_detail
