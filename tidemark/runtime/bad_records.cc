// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/bad_records.h"

#include <fmt/format.h>

#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"

namespace tidemark {

BadRecordPolicy::BadRecordPolicy(RecordErrorPolicy policy, OperatorMetrics& metrics,
                                 std::unique_ptr<DeadLetterWriter> dead_letters)
    : policy_(policy), metrics_(metrics), dead_letters_(std::move(dead_letters)) {
  TIDEMARK_CHECK(policy != RecordErrorPolicy::kDeadLetter || dead_letters_,
                 "a place for dead letters");
}

void BadRecordPolicy::reject(BadRecord record) {
  metrics_.records_in.add(1);
  reject_row(std::move(record));
}

void BadRecordPolicy::reject_row(BadRecord record) {
  switch (policy_) {
    case RecordErrorPolicy::kFail:
      throw Failure(ErrorCode::kInvalidRecord,
                    fmt::format("table '{}', split '{}', offset {}: {} ('scan.record-errors' = "
                                "'skip' or 'dead-letter' goes on without such records)",
                                record.source, record.split, record.offset, record.reason),
                    /*retryable=*/false);
    case RecordErrorPolicy::kSkip: metrics_.rejected_skipped.add(1); break;
    case RecordErrorPolicy::kDeadLetter:
      dead_letters_->write(record);
      metrics_.rejected_dead_letter.add(1);
      break;
  }
}

}  // namespace tidemark
