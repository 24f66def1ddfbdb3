// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/data/column.h"
#include "tidemark/data/schema.h"

namespace tidemark {

/// Rows of a batch when nothing argues for another number: large enough that the cost of a batch
/// does not count, small enough that its columns stay in the second-level cache.
inline constexpr std::size_t kDefaultBatchRows = 1024;
inline constexpr std::size_t kMaxBatchRows = 4096;

/// What a row says about a changelog (Flink's RowKind, same numbers).
enum class RowKind : std::uint8_t {
  kInsert = 0,        // +I
  kUpdateBefore = 1,  // -U
  kUpdateAfter = 2,   // +U
  kDelete = 3,        // -D
};

class Batch;
using BatchPtr = std::shared_ptr<const Batch>;

/// Rows that stand between the same two control elements of a stream: columns of equal length,
/// optionally each row's event time and row kind. Immutable and shared; a projection shares
/// columns.
class Batch {
 public:
  /// `event_times` and `row_kinds` may be null; otherwise they have `rows` values (BIGINT NOT NULL
  /// in milliseconds, TINYINT NOT NULL holding RowKind).
  Batch(SchemaPtr schema, std::size_t rows, std::vector<ColumnPtr> columns,
        ColumnPtr event_times = nullptr, ColumnPtr row_kinds = nullptr);

  const Schema& schema() const noexcept { return *schema_; }
  const SchemaPtr& schema_ptr() const noexcept { return schema_; }
  std::size_t rows() const noexcept { return rows_; }
  const Column& column(std::size_t i) const noexcept { return *columns_[i]; }
  const ColumnPtr& column_ptr(std::size_t i) const noexcept { return columns_[i]; }
  const std::vector<ColumnPtr>& columns() const noexcept { return columns_; }

  /// nullptr when the stream has no event time.
  const EventTime* event_times() const noexcept {
    return event_times_ ? event_times_->values<EventTime>() : nullptr;
  }
  const ColumnPtr& event_times_ptr() const noexcept { return event_times_; }
  /// nullptr when every row is an insert.
  const std::int8_t* row_kinds() const noexcept {
    return row_kinds_ ? row_kinds_->values<std::int8_t>() : nullptr;
  }
  const ColumnPtr& row_kinds_ptr() const noexcept { return row_kinds_; }

  std::size_t memory_bytes() const noexcept;

 private:
  SchemaPtr schema_;
  std::size_t rows_;
  std::vector<ColumnPtr> columns_;
  ColumnPtr event_times_;
  ColumnPtr row_kinds_;
};

/// The rows named by `rows`, in that order, with their event times and kinds.
BatchPtr gather(const Batch& batch, Selection rows);
/// Rows [begin, begin + count).
BatchPtr slice(const BatchPtr& batch, std::size_t begin, std::size_t count);
/// One batch after the other; all have the schema of the first. Requires at least one.
BatchPtr concatenate(std::span<const BatchPtr> batches);

/// Bytes of a batch for snapshots and the wire: a header, then the buffers. See batch_codec.cc.
void encode_batch(const Batch& batch, std::string& out);
/// Throws a Failure (kCheckpointDamaged) for bytes that encode_batch cannot have written for
/// `schema`.
BatchPtr decode_batch(std::string_view bytes, const SchemaPtr& schema);

}  // namespace tidemark
