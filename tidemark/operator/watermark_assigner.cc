// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/watermark_assigner.h"

#include <utility>
#include <vector>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"
#include "tidemark/operator/event_time.h"
#include "tidemark/operator/metrics.h"

namespace tidemark {
namespace {

constexpr OutputIndex kDeadLetterOutput = 1;
constexpr const char* kStateName = "watermark-generator";

class WatermarkAssigner final : public Operator {
 public:
  explicit WatermarkAssigner(WatermarkAssignerDescription description)
      : description_(std::move(description)), generator_(description_.strategy.make_generator()) {}

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    if (context.metrics != nullptr) metrics_ = context.metrics;
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    TIDEMARK_CHECK(pending_ == nullptr, "resume() before the next batch");
    BatchPtr rows = description_.rowtime ? with_event_times(batch, out) : batch;
    if (rows->rows() == 0) return Step::kDone;
    // After a restore: those downstream may have forgotten what was promised.
    emit_watermark(generator_->current(), out);
    if (description_.strategy.emission == WatermarkEmission::kPerBatch) {
      generator_->observe(*rows, {});
      out.emit(std::move(rows));
      emit_watermark(generator_->current(), out);
      return Step::kDone;
    }
    watermarks_.resize(rows->rows());
    generator_->observe(*rows, watermarks_);
    pending_ = std::move(rows);
    next_row_ = 0;
    return resume(out);
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    if (watermark == kMaxTime) out.emit_watermark(watermark);
    return Step::kDone;
  }

  // Rows up to and including each one that raises the promise, then the promise.
  Step resume(Output& out) override {
    while (pending_ != nullptr) {
      std::size_t end = next_row_;
      while (end < pending_->rows() && watermarks_[end] <= emitted_) ++end;
      const bool raised = end < pending_->rows();
      const std::size_t count = end - next_row_ + (raised ? 1 : 0);
      out.emit(slice(pending_, next_row_, count));
      if (raised) emit_watermark(watermarks_[end], out);
      next_row_ += count;
      if (next_row_ == pending_->rows()) pending_ = nullptr;
      if (pending_ != nullptr && !out.ready()) return Step::kMore;
    }
    return Step::kDone;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override {
    TIDEMARK_CHECK(pending_ == nullptr, "a snapshot stands between batches");
    ByteWriter item;
    item.put(generator_->current());
    generator_->snapshot(item);
    return make_operator_state_part({.name = kStateName,
                                     .redistribution = Redistribution::kUnion,
                                     .schema = "watermark, generator"},
                                    {item.take()});
  }

  void restore(const SnapshotReader& reader) override {
    std::optional<EventTime> slowest;
    for (const std::string& item : reader.read_operator(kStateName)) {
      ByteReader in(item);
      const auto promise = in.get<EventTime>();
      if (slowest && promise >= *slowest) continue;
      slowest = promise;
      generator_ = description_.strategy.make_generator();
      generator_->restore(in);
    }
  }

 private:
  void emit_watermark(EventTime watermark, Output& out) {
    if (watermark <= emitted_) return;
    emitted_ = watermark;
    out.emit_watermark(watermark);
  }

  BatchPtr with_event_times(const BatchPtr& batch, Output& out) {
    const ColumnPtr& column = batch->column_ptr(*description_.rowtime);
    if (!column->has_nulls()) return with_times_of(batch, column);
    std::vector<RowIndex> kept;
    std::vector<RowIndex> nulls;
    for (RowIndex row = 0; row < batch->rows(); ++row)
      (column->is_null(row) ? nulls : kept).push_back(row);
    reject(*batch, nulls, out);
    const BatchPtr rest = gather(*batch, kept);
    return with_times_of(rest, rest->column_ptr(*description_.rowtime));
  }

  void reject(const Batch& batch, const std::vector<RowIndex>& nulls, Output& out) {
    const std::string& name = batch.schema().fields[*description_.rowtime].name;
    switch (description_.errors) {
      case RecordErrorPolicy::kFail:
        throw Failure(
            ErrorCode::kInvalidRecord,
            "operator '" + uid_ + "': the time column '" + name +
                "' is NULL; filter such rows out, or drop them with 'tidemark.record-errors' = "
                "'null'",
            /*retryable=*/false);
      case RecordErrorPolicy::kSkip: metrics_->rejected_skipped.add(nulls.size()); break;
      case RecordErrorPolicy::kDeadLetter:
        metrics_->rejected_dead_letter.add(nulls.size());
        out.emit_side(kDeadLetterOutput, gather(batch, nulls));
        break;
    }
  }

  static BatchPtr with_times_of(const BatchPtr& batch, const ColumnPtr& column) {
    return std::make_shared<const Batch>(batch->schema_ptr(), batch->rows(), batch->columns(),
                                         to_event_times(column), batch->row_kinds_ptr());
  }

  WatermarkAssignerDescription description_;
  std::unique_ptr<WatermarkGenerator> generator_;
  std::string uid_;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  EventTime emitted_ = kMinTime;
  BatchPtr pending_;  // per event: a batch that is being handed on
  std::size_t next_row_ = 0;
  std::vector<EventTime> watermarks_;
};

}  // namespace

std::unique_ptr<Operator> make_watermark_assigner(WatermarkAssignerDescription description) {
  return std::make_unique<WatermarkAssigner>(std::move(description));
}

}  // namespace tidemark
