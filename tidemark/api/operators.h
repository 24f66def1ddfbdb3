// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemark/api/collector.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"

// The operators behind Stream<T>: one virtual call a batch, then the program's function in a typed
// loop over columns, where the compiler can inline it. Each subtask has its own copy of the
// function.

namespace tidemark::api_detail {

/// One row out for each row in.
template <typename T, typename U, typename F>
class MapOperator final : public Operator {
 public:
  explicit MapOperator(F function) : function_(std::move(function)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    const std::size_t rows = batch->rows();
    reader_.attach(*batch);
    writer_.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) writer_.append(std::invoke(function_, reader_.row(i)));
    out.emit(writer_.finish(batch->event_times_ptr(), batch->row_kinds_ptr()));
    return Step::kDone;
  }

 private:
  F function_;
  RecordReader<T> reader_;
  RecordWriter<U> writer_;
};

/// Hands on `rows` of `batch` (the batch itself when they are all of it) and counts the others.
void emit_selected(const BatchPtr& batch, const std::vector<RowIndex>& rows, Output& out,
                   OperatorMetrics* metrics);

/// Emits what a function made. One row may have made more rows than a batch may have.
void emit_made(const BatchPtr& made, OutputIndex index, Output& out);

template <typename T, typename F>
class FilterOperator final : public Operator {
 public:
  explicit FilterOperator(F predicate) : predicate_(std::move(predicate)) {}

  void open(OperatorContext& context) override { metrics_ = context.metrics; }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    reader_.attach(*batch);
    selected_.resize(batch->rows());
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch->rows(); ++i) {
      selected_[count] = static_cast<RowIndex>(i);
      count += std::invoke(predicate_, reader_.row(i)) ? 1 : 0;
    }
    selected_.resize(count);
    emit_selected(batch, selected_, out, metrics_);
    return Step::kDone;
  }

 private:
  F predicate_;
  RecordReader<T> reader_;
  std::vector<RowIndex> selected_;
  OperatorMetrics* metrics_ = nullptr;
};

/// Any number of rows out for each row in, to the main output and to side outputs. Stops between
/// rows when the output is full, and goes on in resume().
template <typename F, typename T, typename U, typename... Sides>
class FlatMapOperator final : public Operator {
 public:
  explicit FlatMapOperator(F function) : function_(std::move(function)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    batch_ = batch;
    next_row_ = 0;
    return resume(out);
  }

  Step resume(Output& out) override {
    reader_.attach(*batch_);
    std::apply([&](auto&... collector) { (collector.attach(*batch_), ...); }, collectors_);
    while (next_row_ < batch_->rows()) {
      run_row(next_row_++);
      if (largest() < kDefaultBatchRows) continue;
      flush(out);
      if (!out.ready()) return Step::kMore;
    }
    flush(out);
    batch_ = nullptr;
    return Step::kDone;
  }

 private:
  void run_row(std::size_t row) {
    std::apply(
        [&](auto&... collector) {
          (collector.at_row(row), ...);
          std::invoke(function_, reader_.row(row), collector...);
        },
        collectors_);
  }

  std::size_t largest() const {
    return std::apply([](const auto&... collector) { return std::max({collector.rows()...}); },
                      collectors_);
  }

  void flush(Output& out) {
    OutputIndex index = kMainOutput;
    std::apply([&](auto&... collector) { (flush_one(collector, index++, out), ...); }, collectors_);
  }

  template <typename Row>
  static void flush_one(Collector<Row>& collector, OutputIndex index, Output& out) {
    if (collector.rows() > 0) emit_made(collector.finish(), index, out);
  }

  F function_;
  RecordReader<T> reader_;
  std::tuple<Collector<U>, Collector<Sides>...> collectors_;
  BatchPtr batch_;
  std::size_t next_row_ = 0;
};

/// Appends the columns of the key that a function computes, so that rows can be partitioned by it.
template <typename T, typename K, typename F>
class KeyOperator final : public Operator {
 public:
  KeyOperator(F key_of, SchemaPtr output)
      : key_of_(std::move(key_of)), output_(std::move(output)) {}

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    reader_.attach(*batch);
    writer_.reserve(batch->rows());
    for (std::size_t i = 0; i < batch->rows(); ++i)
      writer_.append(K(std::invoke(key_of_, reader_.row(i))));
    std::vector<ColumnPtr> columns(batch->columns().begin(),
                                   batch->columns().begin() + kColumnsOf<T>);
    for (ColumnPtr& column : writer_.finish_columns()) columns.push_back(std::move(column));
    out.emit(std::make_shared<const Batch>(output_, batch->rows(), std::move(columns),
                                           batch->event_times_ptr(), batch->row_kinds_ptr()));
    return Step::kDone;
  }

 private:
  F key_of_;
  SchemaPtr output_;
  RecordReader<T> reader_;
  RecordWriter<K> writer_;
};

/// Keeps the first columns of each batch: takes away what KeyOperator appended.
std::unique_ptr<Operator> make_prefix_operator(SchemaPtr output);

/// Gives rows their event times, by a function that fills them in for a batch. Watermarks are made
/// by a watermark assigner (operator/watermark_assigner.h) behind it.
std::unique_ptr<Operator> make_timestamp_operator(
    std::function<void(const Batch&, std::span<EventTime>)> extract);

}  // namespace tidemark::api_detail
