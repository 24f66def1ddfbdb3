// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/sink.h"

namespace tidemark {

namespace api_detail {

/// Batches that a job has committed, for the program that ran it. Thread-safe.
class CollectedBatches {
 public:
  explicit CollectedBatches(SchemaPtr schema) : schema_(std::move(schema)) {}

  const SchemaPtr& schema() const noexcept { return schema_; }
  /// Publishes a batch once: `id` is that of the committable, which may come again.
  void commit(const std::string& id, BatchPtr batch);
  std::vector<BatchPtr> batches() const;

 private:
  SchemaPtr schema_;
  mutable std::mutex mutex_;
  std::set<std::string> committed_;
  std::vector<BatchPtr> batches_;
};

SinkPtr make_collect_sink(std::shared_ptr<CollectedBatches> into);

/// Calls `write` with each batch on the task's thread. What is written is final, so after a restore
/// rows may come twice: at-least-once.
SinkPtr make_function_sink(std::function<std::function<void(const Batch&)>()> make_write);

}  // namespace api_detail

/// Collects a stream's rows in memory, exactly once over restarts of the job within this process:
/// rows appear when the checkpoint that holds them completes, and the last at the end of input.
///   Collected<Word> words;
///   stream.sink_to(words);
///   env.run();
///   for (const Word& word : words.rows()) ...
/// std::string_view members of rows point into memory that lives as long as this object or a copy.
template <typename T>
class Collected {
 public:
  Collected() : batches_(std::make_shared<api_detail::CollectedBatches>(schema_of<T>())) {}

  /// What is published so far, in the order of commits. May be called while the job runs.
  std::vector<T> rows() const {
    std::vector<T> rows;
    for (const BatchPtr& batch : batches_->batches())
      for (T& row : read_records<T>(*batch)) rows.push_back(std::move(row));
    return rows;
  }

  /// The same with what each row says about the changelog, for a stream that takes rows back
  /// (WindowedStream::updating()). All are inserts where it does not.
  std::vector<std::pair<RowKind, T>> changes() const {
    std::vector<std::pair<RowKind, T>> changes;
    for (const BatchPtr& batch : batches_->batches()) {
      const std::int8_t* kinds = batch->row_kinds();
      for (T& row : read_records<T>(*batch))
        changes.emplace_back(kinds == nullptr ? RowKind::kInsert : static_cast<RowKind>(*kinds++),
                             std::move(row));
    }
    return changes;
  }

  SinkPtr sink() const { return api_detail::make_collect_sink(batches_); }

 private:
  std::shared_ptr<api_detail::CollectedBatches> batches_;
};

/// A table written by a connector, as CREATE TABLE ... WITH (options) would:
///   stream.sink_to(table("results", {{"connector", "filesystem"}, {"path", "out"}, ...}))
struct TableSink {
  std::string name;
  OptionMap options;
};
inline TableSink table(std::string name, OptionMap options) {
  return {std::move(name), std::move(options)};
}

}  // namespace tidemark
