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

void emit_made(const BatchPtr& made, OutputIndex index, Output& out) {
  for (std::size_t begin = 0; begin < made->rows(); begin += kMaxBatchRows) {
    const std::size_t count = std::min(kMaxBatchRows, made->rows() - begin);
    BatchPtr part = count == made->rows() ? made : slice(made, begin, count);
    if (index == kMainOutput) {
      out.emit(std::move(part));
    } else {
      out.emit_side(index, std::move(part));
    }
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
  explicit TimestampOperator(std::function<void(const Batch&, std::span<EventTime>)> extract)
      : extract_(std::move(extract)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    times_.resize(batch->rows());
    extract_(*batch, times_);
    out.emit(std::make_shared<const Batch>(batch->schema_ptr(), batch->rows(), batch->columns(),
                                           make_time_column(times_.data(), times_.size()),
                                           batch->row_kinds_ptr()));
    return Step::kDone;
  }

 private:
  std::function<void(const Batch&, std::span<EventTime>)> extract_;
  std::vector<EventTime> times_;
};

}  // namespace

std::unique_ptr<Operator> make_prefix_operator(SchemaPtr output) {
  return std::make_unique<PrefixOperator>(std::move(output));
}

std::unique_ptr<Operator> make_timestamp_operator(
    std::function<void(const Batch&, std::span<EventTime>)> extract) {
  return std::make_unique<TimestampOperator>(std::move(extract));
}

}  // namespace tidemark::api_detail
