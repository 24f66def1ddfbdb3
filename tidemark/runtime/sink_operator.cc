// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/sink_operator.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tidemark/operator/snapshot_parts.h"

namespace tidemark {

SinkOperator::SinkOperator(SinkPtr sink, SinkContext context, SchemaPtr schema,
                           BlockingContext blocking)
    : sink_(std::move(sink)),
      context_(std::move(context)),
      schema_(std::move(schema)),
      blocking_(std::move(blocking)) {}

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
  check_nulls(*batch);
  writer_->write(batch);
  return Step::kDone;
}

// An expression that cannot fail by its types is NULL all the same under record-errors = null.
void SinkOperator::check_nulls(const Batch& batch) const {
  if (!schema_) return;
  for (std::size_t i = 0; i < schema_->fields.size(); ++i)
    if (!schema_->fields[i].type.nullable && batch.column(i).has_nulls())
      throw Failure(ErrorCode::kEvaluation,
                    fmt::format("NULL in '{}' of '{}', which is NOT NULL", schema_->fields[i].name,
                                context_.table),
                    /*retryable=*/false);
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
