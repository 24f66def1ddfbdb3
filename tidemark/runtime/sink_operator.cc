// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/sink_operator.h"

#include <utility>
#include <vector>

#include "tidemark/runtime/snapshot_parts.h"

namespace tidemark {

SinkOperator::SinkOperator(SinkPtr sink, SinkContext context, BlockingContext blocking)
    : sink_(std::move(sink)), context_(std::move(context)), blocking_(std::move(blocking)) {}

void SinkOperator::open(OperatorContext& context) {
  static_cast<void>(context);
  auto handle = std::make_shared<CommitterHandle>();
  handle->context = context_;
  handle->committer = sink_->open_committer(handle->context);
  queue_ = std::make_unique<PublishQueue>(std::move(handle), blocking_);
  writer_ = sink_->open_writer(context_);
}

void SinkOperator::restore(const SnapshotReader& reader) {
  const std::vector<std::string> states = reader.read_operator(kWriterState);
  if (!states.empty()) writer_->restore_state(states);
}

Step SinkOperator::process(const BatchPtr& batch, std::size_t input, Output& out) {
  static_cast<void>(input), static_cast<void>(out);
  writer_->write(batch);
  return Step::kDone;
}

std::unique_ptr<SnapshotPart> SinkOperator::snapshot(CheckpointId checkpoint) {
  queue_->add(checkpoint, writer_->prepare(checkpoint));
  std::vector<std::unique_ptr<SnapshotPart>> parts;
  parts.push_back(make_operator_state_part(
      {.name = std::string(kPreparedOutputState), .schema = "(checkpoint, committable)"},
      queue_->encode_unpublished()));
  std::string state = writer_->state();
  if (!state.empty())
    parts.push_back(make_operator_state_part({.name = std::string(kWriterState),
                                              .redistribution = Redistribution::kUnion,
                                              .schema = "writer"},
                                             {std::move(state)}));
  return join_parts(std::move(parts));
}

void SinkOperator::on_checkpoint_complete(CheckpointId checkpoint) {
  queue_->complete(checkpoint);
}

}  // namespace tidemark
