// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/window/window_operator.h"

// What tests below the public harness need to drive a window operator by hand: rows, an aggregator,
// an output that can refuse, and one subtask that can be snapshotted and restored.

namespace tidemark {

struct TestRow {
  std::int64_t key;
  std::int64_t value;
  EventTime time;
};

/// sum and count of one key in one window.
struct TestResult {
  TimeWindow window;
  std::int64_t key;
  std::int64_t sum;
  std::int64_t count;

  friend bool operator==(const TestResult&, const TestResult&) = default;
  friend bool operator<(const TestResult& a, const TestResult& b) {
    return std::tuple(a.window.end, a.window.start, a.key, a.sum, a.count) <
           std::tuple(b.window.end, b.window.start, b.key, b.sum, b.count);
  }
  friend std::ostream& operator<<(std::ostream& out, const TestResult& r) {
    return out << "[" << r.window.start << ", " << r.window.end << ") key " << r.key << " sum "
               << r.sum << " count " << r.count;
  }
};

inline SchemaPtr test_schema() {
  static const SchemaPtr schema =
      make_schema({{"key", DataType::big_int().with_nullable(false)},
                   {"value", DataType::big_int().with_nullable(false)}});
  return schema;
}

inline ColumnPtr big_int_column(const std::vector<std::int64_t>& values) {
  ColumnBuilder builder(DataType::big_int().with_nullable(false));
  std::int64_t* out = builder.extend<std::int64_t>(values.size());
  std::copy(values.begin(), values.end(), out);
  return builder.finish();
}

inline BatchPtr test_batch(const std::vector<TestRow>& rows) {
  std::vector<std::int64_t> keys, values, times;
  for (const TestRow& row : rows) {
    keys.push_back(row.key);
    values.push_back(row.value);
    times.push_back(row.time);
  }
  return std::make_shared<const Batch>(test_schema(), rows.size(),
                                       std::vector{big_int_column(keys), big_int_column(values)},
                                       big_int_column(times));
}

class SumCountAggregator : public WindowAggregator {
 public:
  struct Accumulator {
    std::int64_t sum;
    std::int64_t count;
  };

  /// With totals, slices are taken out of sliding windows again; without, they are merged.
  explicit SumCountAggregator(bool has_totals = false) : has_totals_(has_totals) {}

  std::shared_ptr<const ValueOperations> values() const override {
    return std::make_shared<const Operations>();
  }
  std::string schema() const override { return "SUM(BIGINT), COUNT"; }
  void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) override {
    const auto* column = batch.column(1).values<std::int64_t>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto* accumulator = reinterpret_cast<Accumulator*>(entries[i]);
      accumulator->sum += column[rows[i]];
      accumulator->count += 1;
    }
  }
  void merge(std::byte* into, const std::byte* other) override {
    auto* to = reinterpret_cast<Accumulator*>(into);
    const auto* from = reinterpret_cast<const Accumulator*>(other);
    to->sum += from->sum;
    to->count += from->count;
  }
  std::shared_ptr<const ValueOperations> totals() const override {
    return has_totals_ ? values() : nullptr;
  }
  void add(std::span<std::byte* const> totals, std::span<const std::byte* const> entries) override {
    merge_all(totals, entries);
  }
  void subtract(std::span<std::byte* const> totals,
                std::span<const std::byte* const> entries) override {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      auto* to = reinterpret_cast<Accumulator*>(totals[i]);
      const auto* from = reinterpret_cast<const Accumulator*>(entries[i]);
      to->sum -= from->sum;
      to->count -= from->count;
    }
  }
  BatchPtr fire_totals(TimeWindow window, std::span<const TableScan::Entry> totals) override {
    return fire(window, totals);
  }
  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    return fire_each(std::vector<TimeWindow>(entries.size(), window), entries);
  }
  BatchPtr fire_each(std::span<const TimeWindow> windows,
                     std::span<const TableScan::Entry> entries) override {
    std::vector<std::vector<std::int64_t>> columns(5);
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const TableScan::Entry& entry = entries[i];
      const TimeWindow window = windows[i];
      times.push_back(window.end - 1);
      const auto* accumulator = reinterpret_cast<const Accumulator*>(entry.value);
      const std::int64_t row[] = {static_cast<std::int64_t>(entry.fixed_key), window.start,
                                  window.end, accumulator->sum, accumulator->count};
      for (std::size_t c = 0; c < 5; ++c) columns[c].push_back(row[c]);
    }
    static const SchemaPtr schema = [] {
      std::vector<Field> fields;
      for (const char* name : {"key", "window_start", "window_end", "sum", "count"})
        fields.push_back({name, DataType::big_int().with_nullable(false)});
      return make_schema(fields);
    }();
    std::vector<ColumnPtr> built;
    for (const auto& column : columns) built.push_back(big_int_column(column));
    return std::make_shared<const Batch>(schema, entries.size(), built, big_int_column(times));
  }

 private:
  class Operations final : public ValueOperations {
   public:
    std::size_t width() const override { return sizeof(Accumulator); }
    bool is_plain() const override { return true; }
    void destroy(std::byte*) const noexcept override {}
    void encode(const std::byte*, ByteWriter&) const override {}
    void decode(ByteReader&, std::byte*) const override {}
  };

  bool has_totals_;
};

/// The order of values matters: `sum` is a polynomial of the values, in the order of slices and in
/// a slice in that of rows.
class OrderedAggregator final : public SumCountAggregator {
 public:
  static constexpr std::uint64_t kBase = 1'000'003;

  std::string schema() const override { return "ORDERED"; }
  void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) override {
    const auto* column = batch.column(1).values<std::int64_t>();
    for (std::size_t i = 0; i < rows.size(); ++i)
      append(*reinterpret_cast<Accumulator*>(entries[i]), {column[rows[i]], 1});
  }
  void merge(std::byte* into, const std::byte* other) override {
    append(*reinterpret_cast<Accumulator*>(into), *reinterpret_cast<const Accumulator*>(other));
  }

 private:
  static void append(Accumulator& to, const Accumulator& more) {
    auto sum = static_cast<std::uint64_t>(to.sum);
    for (std::int64_t i = 0; i < more.count; ++i) sum *= kBase;
    to.sum = static_cast<std::int64_t>(sum + static_cast<std::uint64_t>(more.sum));
    to.count += more.count;
  }
};

inline WindowOperatorDescription tumbling(Millis size, Millis offset = 0, Millis lateness = 0) {
  return {.window = {.size = size, .slide = size, .offset = offset, .allowed_lateness = lateness},
          .key_columns = {0},
          .key_types = {DataType::big_int().with_nullable(false)}};
}

/// Keeps what is emitted, in order. With `refusing` it has no room after every emit until asked a
/// second time.
class CollectingOutput final : public Output {
 public:
  void emit(BatchPtr batch) override {
    if (batch->rows() == 0) return;
    full_ = refusing;
    if (on_batch) return on_batch(batch);
    batches.push_back(std::move(batch));
  }
  void emit_side(OutputIndex, BatchPtr batch) override { side.push_back(std::move(batch)); }
  void emit_watermark(EventTime watermark) override {
    if (watermark <= last_watermark) return;
    watermarks.push_back(watermark);
    last_watermark = watermark;
    if (on_watermark) on_watermark(watermark);
  }
  bool ready() const override { return !std::exchange(full_, false); }

  bool refusing = false;
  /// Where set, elements of the main output go there instead of being kept.
  std::function<void(const BatchPtr&)> on_batch;
  std::function<void(EventTime)> on_watermark;
  std::vector<BatchPtr> batches;
  std::vector<BatchPtr> side;
  std::vector<EventTime> watermarks;
  EventTime last_watermark = kMinTime;

 private:
  mutable bool full_ = false;
};

/// The results in emitted batches of SumCountAggregator, in order.
inline std::vector<TestResult> results_of(const std::vector<BatchPtr>& batches) {
  std::vector<TestResult> results;
  for (const BatchPtr& batch : batches) {
    const auto at = [&](std::size_t c, std::size_t row) {
      return batch->column(c).value<std::int64_t>(row);
    };
    for (std::size_t row = 0; row < batch->rows(); ++row)
      results.push_back({{at(1, row), at(2, row)}, at(0, row), at(3, row), at(4, row)});
  }
  return results;
}

/// One subtask of an operator with its state, as a task holds it.
class TestSubtask {
 public:
  explicit TestSubtask(std::unique_ptr<Operator> op, std::uint32_t subtask = 0,
                       std::uint32_t parallelism = 1)
      : backend_(make_hashmap_backend(range_of(subtask, parallelism, kDefaultMaxParallelism),
                                      kDefaultMaxParallelism)),
        context_{.uid = "window-1",
                 .subtask = subtask,
                 .parallelism = parallelism,
                 .clock = &clock,
                 .keyed_state = backend_.get(),
                 .metrics = &metrics},
        operator_(std::move(op)) {
    operator_->open(context_);
  }

  void process(const std::vector<TestRow>& rows) { process(test_batch(rows)); }
  void process(const BatchPtr& batch) { finish_step(operator_->process(batch, 0, out)); }
  void watermark(EventTime watermark) { finish_step(operator_->on_watermark(watermark, out)); }
  Operator& get() { return *operator_; }

  /// Adds this subtask's share to `snapshot`, as a task does it.
  void snapshot(MemorySnapshot& snapshot) {
    const auto keyed = backend_->snapshot(SnapshotKind::kCheckpoint);
    if (const auto part = operator_->snapshot(1)) snapshot.take(*part);
    snapshot.take(*keyed);
  }
  void restore(const MemorySnapshot& snapshot) {
    const MemorySnapshotReader reader(snapshot, context_.subtask, context_.parallelism);
    backend_->restore(reader);
    operator_->restore(reader);
  }

  std::vector<TestResult> take_results() { return results_of(std::exchange(out.batches, {})); }

  OperatorMetrics metrics;
  ManualClock clock;
  CollectingOutput out;

 private:
  void finish_step(Step step) {
    while (step == Step::kMore) step = operator_->resume(out);
  }

  std::unique_ptr<KeyedStateBackend> backend_;
  OperatorContext context_;
  std::unique_ptr<Operator> operator_;
};

/// How an aggregator lets windows of several slices be made.
enum class Merging : std::uint8_t { kMerge, kTotals, kOrdered };
inline constexpr Merging kEveryMerging[] = {Merging::kMerge, Merging::kTotals, Merging::kOrdered};

inline std::unique_ptr<WindowAggregator> make_test_aggregator(Merging merging) {
  if (merging == Merging::kOrdered) return std::make_unique<OrderedAggregator>();
  return std::make_unique<SumCountAggregator>(merging == Merging::kTotals);
}

inline TestSubtask window_subtask(WindowOperatorDescription description, std::uint32_t subtask = 0,
                                  std::uint32_t parallelism = 1,
                                  Merging merging = Merging::kMerge) {
  return TestSubtask(make_window_operator(std::move(description), make_test_aggregator(merging)),
                     subtask, parallelism);
}

}  // namespace tidemark
