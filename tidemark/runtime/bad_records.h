// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tidemark/operator/metrics.h"
#include "tidemark/operator/source.h"
#include "tidemark/runtime/dead_letters.h"

namespace tidemark {

/// Applies 'scan.record-errors' to the bad records of one subtask of a source. Thread: the task's.
class BadRecordPolicy final : public BadRecordHandler {
 public:
  /// `dead_letters` is set for kDeadLetter. `metrics` outlives this.
  BadRecordPolicy(RecordErrorPolicy policy, OperatorMetrics& metrics,
                  std::unique_ptr<DeadLetterWriter> dead_letters);

  /// A record that the reader could not turn into a row: it was read, and is not among the rows.
  void reject(BadRecord record) override;
  /// A row of the reader that cannot be used; it has been counted as read.
  void reject_row(BadRecord record);

  /// nullptr unless the policy is kDeadLetter.
  DeadLetterWriter* dead_letters() noexcept { return dead_letters_.get(); }

 private:
  RecordErrorPolicy policy_;
  OperatorMetrics& metrics_;
  std::unique_ptr<DeadLetterWriter> dead_letters_;
};

}  // namespace tidemark
