// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/operator/operator.h"
#include "tidemark/operator/sink.h"
#include "tidemark/operator/source.h"

// For tests only: a source and a two-phase sink in memory, and a keyed sum.

namespace tidemark {

/// (k BIGINT, n BIGINT); event time is n.
inline SchemaPtr pair_schema() {
  static const SchemaPtr schema = make_schema({{"k", DataType::big_int().with_nullable(false)},
                                               {"n", DataType::big_int().with_nullable(false)}});
  return schema;
}
inline BatchPtr pairs(const std::vector<std::pair<std::int64_t, std::int64_t>>& rows) {
  ColumnBuilder keys(DataType::big_int().with_nullable(false));
  ColumnBuilder values(DataType::big_int().with_nullable(false));
  ColumnBuilder times(DataType::big_int().with_nullable(false));
  for (const auto& [key, value] : rows) {
    keys.append<std::int64_t>(key);
    values.append<std::int64_t>(value);
    times.append<std::int64_t>(value);
  }
  return std::make_shared<const Batch>(pair_schema(), rows.size(),
                                       std::vector<ColumnPtr>{keys.finish(), values.finish()},
                                       times.finish());
}

/// Counts from 1 to `rows` in each of `splits` splits; the key is n % keys.
struct CountingPlan {
  std::size_t splits = 1;
  std::int64_t rows = 100;
  std::int64_t keys = 10;
  /// Throws once when the split reaches this row; 0: never.
  std::shared_ptr<std::atomic<std::int64_t>> fail_at =
      std::make_shared<std::atomic<std::int64_t>>(0);
  bool retryable = true;
  bool unbounded = false;  // waits at the end instead of finishing
};

class CountingReader final : public SplitReader {
 public:
  CountingReader(CountingPlan plan, std::int64_t next) : plan_(std::move(plan)), next_(next) {}

  ReadResult read(std::size_t rows_max) override {
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    while (rows.size() < rows_max && next_ <= plan_.rows) {
      std::int64_t expected = next_;
      if (plan_.fail_at->compare_exchange_strong(expected, 0))
        throw Failure(ErrorCode::kIo, "the source broke", plan_.retryable);
      rows.emplace_back(next_ % plan_.keys, next_);
      ++next_;
    }
    ReadResult result;
    if (!rows.empty()) result.batch = pairs(rows);
    if (next_ > plan_.rows)
      result.state = plan_.unbounded ? ReadResult::State::kWait : ReadResult::State::kFinished;
    return result;
  }
  std::string position() const override {
    ByteWriter out;
    out.put(next_);
    return out.take();
  }
  std::uint64_t bytes_read() const override { return static_cast<std::uint64_t>(next_ - 1); }
  std::uint64_t bytes_total() const override { return static_cast<std::uint64_t>(plan_.rows); }

 private:
  CountingPlan plan_;
  std::int64_t next_;
};

class CountingSource final : public Source {
 public:
  explicit CountingSource(CountingPlan plan) : plan_(std::move(plan)) {}
  SchemaPtr schema() const override { return pair_schema(); }
  bool bounded() const override { return !plan_.unbounded; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    std::vector<Split> splits;
    for (std::size_t i = 0; i < plan_.splits; ++i) splits.push_back({"s" + std::to_string(i), ""});
    return splits;
  }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                    const std::optional<std::string>& position) const override {
    return std::make_unique<CountingReader>(
        plan_, position ? ByteReader(*position).get<std::int64_t>() : 1);
  }

 private:
  CountingPlan plan_;
};

/// What a sink in memory has: the outside world, which outlives jobs and crashes.
struct MemoryTable {
  std::mutex mutex;                 // guards the rest while a job runs on several threads
  std::set<std::string> prepared;   // in phase one
  std::set<std::string> committed;  // by id
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  std::size_t commits = 0;
  std::size_t aborts = 0;
};

/// A committable is an id and the rows.
class MemoryWriter final : public SinkWriter {
 public:
  MemoryWriter(std::shared_ptr<MemoryTable> table, std::string id)
      : table_(std::move(table)), id_(std::move(id)) {}

  void write(const BatchPtr& batch) override {
    const auto* keys = batch->column(0).values<std::int64_t>();
    const auto* values = batch->column(1).values<std::int64_t>();
    for (std::size_t i = 0; i < batch->rows(); ++i) open_.emplace_back(keys[i], values[i]);
  }
  std::vector<std::string> prepare(CheckpointId checkpoint) override {
    if (open_.empty()) return {};
    ByteWriter out;
    out.put_string(id_ + "/" + std::to_string(checkpoint));
    for (const auto& [key, value] : open_) {
      out.put(key);
      out.put(value);
    }
    open_.clear();
    std::string committable = out.take();
    const std::lock_guard lock(table_->mutex);
    table_->prepared.insert(committable);
    return {committable};
  }

 private:
  std::shared_ptr<MemoryTable> table_;
  std::string id_;
  std::vector<std::pair<std::int64_t, std::int64_t>> open_;
};

class MemoryCommitter final : public Committer {
 public:
  explicit MemoryCommitter(std::shared_ptr<MemoryTable> table) : table_(std::move(table)) {}

  void commit(std::span<const std::string> committables) override {
    const std::lock_guard lock(table_->mutex);
    for (const std::string& committable : committables) {
      ByteReader in(committable);
      const std::string id(in.get_string());
      ++table_->commits;
      if (!table_->committed.insert(id).second) continue;
      if (table_->prepared.erase(committable) == 0)
        throw Failure(ErrorCode::kIo, "what is to be committed is gone", false);
      while (!in.at_end()) {
        const auto key = in.get<std::int64_t>();
        table_->rows.emplace_back(key, in.get<std::int64_t>());
      }
    }
  }
  void abort_unknown() override {
    const std::lock_guard lock(table_->mutex);
    ++table_->aborts;
    table_->prepared.clear();
  }

 private:
  std::shared_ptr<MemoryTable> table_;
};

class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::shared_ptr<MemoryTable> table) : table_(std::move(table)) {}
  std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const override {
    return std::make_unique<MemoryWriter>(
        table_,
        context.job_id + "/" + std::to_string(context.subtask) + "/" + std::to_string(++writers_));
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override {
    return std::make_unique<MemoryCommitter>(table_);
  }

 private:
  std::shared_ptr<MemoryTable> table_;
  mutable std::atomic<int> writers_{0};
};

class SumOperations final : public ValueOperations {
 public:
  std::size_t width() const override { return sizeof(std::int64_t); }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte* value, ByteWriter& out) const override {
    std::int64_t number;
    std::memcpy(&number, value, sizeof(number));
    out.put(number);
  }
  void decode(ByteReader& in, std::byte* value) const override {
    const auto number = in.get<std::int64_t>();
    std::memcpy(value, &number, sizeof(number));
  }
};

/// Sums n by k in keyed state; says the sums when the input ends.
class KeyedSum final : public Operator {
 public:
  void open(OperatorContext& context) override {
    table_ = &context.keyed_state->open_table({.name = "sums",
                                               .key_encoding = codec_.encoding(),
                                               .values = std::make_shared<SumOperations>(),
                                               .schema = "(k BIGINT) -> SUM(n)"});
  }
  Step process(const BatchPtr& batch, std::size_t, Output&) override {
    codec_.encode(*batch, keys_);
    std::vector<RowIndex> rows(batch->rows());
    for (RowIndex i = 0; i < rows.size(); ++i) rows[i] = i;
    std::vector<std::byte*> values(rows.size());
    table_->find_or_insert(0, keys_, rows, values);
    const auto* added = batch->column(1).values<std::int64_t>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::int64_t sum;
      std::memcpy(&sum, values[i], sizeof(sum));
      sum += added[i];
      std::memcpy(values[i], &sum, sizeof(sum));
    }
    return Step::kDone;
  }
  Step finish(Output& out) override {
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    std::vector<TableScan::Entry> entries(16);
    const std::unique_ptr<TableScan> scan = table_->scan(0);
    while (const std::size_t count = scan->next(entries)) {
      for (std::size_t i = 0; i < count; ++i) {
        std::int64_t sum;
        std::memcpy(&sum, entries[i].value, sizeof(sum));
        rows.emplace_back(static_cast<std::int64_t>(entries[i].fixed_key), sum);
      }
    }
    out.emit(pairs(rows));
    return Step::kDone;
  }

 private:
  KeyCodec codec_{{0}, {DataType::big_int().with_nullable(false)}};
  KeyBatch keys_;
  KeyedTable* table_ = nullptr;
};

}  // namespace tidemark
