// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tidemark/operator/operator.h"
#include "tidemark/runtime/publish_queue.h"

namespace tidemark {

/// Names of a sink's operator states.
inline constexpr std::string_view kPreparedOutputState = "prepared-output";
inline constexpr std::string_view kWriterState = "writer";

/// The end of a chain: writes rows to a sink, and publishes them under the two-phase protocol
/// (publish_queue.h). Restored committables are not its concern: the job commits them, once for the
/// whole sink, before any task starts (deployment.h).
class SinkOperator final : public Operator {
 public:
  /// `schema` has the columns of the table, NULL in one that is NOT NULL fails the job; a null
  /// `schema` checks nothing.
  SinkOperator(SinkPtr sink, SinkContext context, SchemaPtr schema, BlockingContext blocking);

  void open(OperatorContext& context) override;
  void restore(const SnapshotReader& reader) override;
  Step process(const BatchPtr& batch, std::size_t input, Output& out) override;
  std::unique_ptr<SnapshotPart> snapshot(CheckpointId checkpoint) override;
  void on_checkpoint_complete(CheckpointId checkpoint) override;

  /// See PublishQueue::poll().
  CheckpointId poll_published() { return queue_->poll(); }

 private:
  void check_nulls(const Batch& batch) const;

  SinkPtr sink_;
  SinkContext context_;
  SchemaPtr schema_;
  BlockingContext blocking_;
  std::unique_ptr<SinkWriter> writer_;
  std::unique_ptr<PublishQueue> queue_;
};

}  // namespace tidemark
