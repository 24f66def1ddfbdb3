// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/operators.h"

#include <cstring>

namespace tidemark::api_detail {

std::pair<ColumnPtr, ColumnPtr> RowNotes::finish() {
  ColumnPtr times;
  ColumnPtr kinds;
  if (source_times_ != nullptr) times = make_time_column(times_.data(), times_.size());
  if (source_kinds_ != nullptr) {
    ColumnBuilder builder(DataType::tiny_int().with_nullable(false));
    std::memcpy(builder.extend<std::int8_t>(kinds_.size()), kinds_.data(), kinds_.size());
    kinds = builder.finish();
  }
  times_.clear();
  kinds_.clear();
  return {std::move(times), std::move(kinds)};
}

void emit_selected(const BatchPtr& batch, const std::vector<RowIndex>& rows, Output& out,
                   OperatorMetrics* metrics) {
  if (metrics != nullptr) metrics->filtered.add(batch->rows() - rows.size());
  if (rows.size() == batch->rows()) {
    out.emit(batch);
  } else if (!rows.empty()) {
    out.emit(gather(*batch, rows));
  }
}

namespace {

class PrefixOperator final : public Operator {
 public:
  explicit PrefixOperator(SchemaPtr output) : output_(std::move(output)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    const auto begin = batch->columns().begin();
    std::vector<ColumnPtr> columns(begin, begin + static_cast<std::ptrdiff_t>(output_->size()));
    out.emit(std::make_shared<const Batch>(output_, batch->rows(), std::move(columns),
                                           batch->event_times_ptr(), batch->row_kinds_ptr()));
    return Step::kDone;
  }

 private:
  SchemaPtr output_;
};

class TimestampOperator final : public Operator {
 public:
  TimestampOperator(std::function<void(const Batch&, std::span<EventTime>)> extract,
                    WatermarkStrategy strategy)
      : extract_(std::move(extract)),
        generator_(strategy.make_generator()),
        per_event_(strategy.emission == WatermarkEmission::kPerEvent) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    times_.resize(batch->rows());
    extract_(*batch, times_);
    batch_ = std::make_shared<const Batch>(batch->schema_ptr(), batch->rows(), batch->columns(),
                                           make_time_column(times_.data(), times_.size()),
                                           batch->row_kinds_ptr());
    watermarks_.resize(batch->rows());
    generator_->observe(*batch_, watermarks_);
    next_row_ = 0;
    return resume(out);
  }

  Step resume(Output& out) override {
    while (next_row_ < batch_->rows()) {
      const std::size_t end = end_of_piece();
      out.emit(slice(batch_, next_row_, end - next_row_));
      next_row_ = end;
      emitted_ = std::max(emitted_, watermarks_[end - 1]);
      out.emit_watermark(emitted_);
      if (next_row_ < batch_->rows() && !out.ready()) return Step::kMore;
    }
    batch_ = nullptr;
    return Step::kDone;
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    if (watermark == kMaxTime) out.emit_watermark(watermark);
    return Step::kDone;
  }

 private:
  // Rows up to and including the first that raises the watermark; all rows when that waits for the
  // end of the batch.
  std::size_t end_of_piece() const {
    if (!per_event_) return batch_->rows();
    std::size_t row = next_row_;
    while (row < batch_->rows() && watermarks_[row] <= emitted_) ++row;
    return std::min(row + 1, batch_->rows());
  }

  std::function<void(const Batch&, std::span<EventTime>)> extract_;
  std::unique_ptr<WatermarkGenerator> generator_;
  bool per_event_;
  BatchPtr batch_;
  std::size_t next_row_ = 0;
  EventTime emitted_ = kMinTime;
  std::vector<EventTime> times_;
  std::vector<EventTime> watermarks_;
};

}  // namespace

std::unique_ptr<Operator> make_prefix_operator(SchemaPtr output) {
  return std::make_unique<PrefixOperator>(std::move(output));
}

std::unique_ptr<Operator> make_timestamp_operator(
    std::function<void(const Batch&, std::span<EventTime>)> extract, WatermarkStrategy strategy) {
  return std::make_unique<TimestampOperator>(std::move(extract), std::move(strategy));
}

}  // namespace tidemark::api_detail
