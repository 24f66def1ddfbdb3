// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/batch.h"

#include <algorithm>
#include <cstring>

namespace tidemark {
namespace {

// Applies `change` to the columns, event times and row kinds of a batch.
template <typename Change>
BatchPtr rebuild(const SchemaPtr& schema, const Batch& batch, std::size_t rows, Change change) {
  std::vector<ColumnPtr> columns;
  columns.reserve(batch.columns().size());
  for (const ColumnPtr& column : batch.columns()) columns.push_back(change(column));
  const auto change_optional = [&](const ColumnPtr& column) {
    return column ? change(column) : nullptr;
  };
  return std::make_shared<const Batch>(schema, rows, std::move(columns),
                                       change_optional(batch.event_times_ptr()),
                                       change_optional(batch.row_kinds_ptr()));
}

ColumnPtr concatenate_event_times(std::span<const BatchPtr> batches) {
  std::vector<ColumnPtr> parts;
  for (const BatchPtr& batch : batches) {
    TIDEMARK_CHECK((batch->event_times() == nullptr) == (batches[0]->event_times() == nullptr),
                   "batches of one stream all have event times, or none has");
    parts.push_back(batch->event_times_ptr());
  }
  return parts[0] ? concatenate(parts) : nullptr;
}

ColumnPtr all_inserts(std::size_t rows) {
  ColumnBuilder builder(DataType::tiny_int().with_nullable(false));
  std::memset(builder.extend<std::int8_t>(rows), 0, rows);
  return builder.finish();
}

ColumnPtr concatenate_row_kinds(std::span<const BatchPtr> batches) {
  const auto has_kinds = [](const BatchPtr& batch) { return batch->row_kinds() != nullptr; };
  if (std::none_of(batches.begin(), batches.end(), has_kinds)) return nullptr;
  std::vector<ColumnPtr> parts;
  for (const BatchPtr& batch : batches)
    parts.push_back(has_kinds(batch) ? batch->row_kinds_ptr() : all_inserts(batch->rows()));
  return concatenate(parts);
}

}  // namespace

Batch::Batch(SchemaPtr schema, std::size_t rows, std::vector<ColumnPtr> columns,
             ColumnPtr event_times, ColumnPtr row_kinds)
    : schema_(std::move(schema)),
      rows_(rows),
      columns_(std::move(columns)),
      event_times_(std::move(event_times)),
      row_kinds_(std::move(row_kinds)) {
  TIDEMARK_CHECK(columns_.size() == schema_->size(), "a column for each field");
  for (const ColumnPtr& column : columns_)
    TIDEMARK_CHECK(column->size() == rows, "columns of equal length");
  TIDEMARK_CHECK(!event_times_ || event_times_->size() == rows, "an event time for each row");
  TIDEMARK_CHECK(!row_kinds_ || row_kinds_->size() == rows, "a row kind for each row");
}

std::size_t Batch::memory_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const ColumnPtr& column : columns_) bytes += column->memory_bytes();
  if (event_times_) bytes += event_times_->memory_bytes();
  if (row_kinds_) bytes += row_kinds_->memory_bytes();
  return bytes;
}

BatchPtr gather(const Batch& batch, Selection rows) {
  return rebuild(batch.schema_ptr(), batch, rows.size(),
                 [&](const ColumnPtr& column) { return gather(*column, rows); });
}

BatchPtr slice(const BatchPtr& batch, std::size_t begin, std::size_t count) {
  if (begin == 0 && count == batch->rows()) return batch;
  return rebuild(batch->schema_ptr(), *batch, count,
                 [&](const ColumnPtr& column) { return slice(column, begin, count); });
}

BatchPtr concatenate(std::span<const BatchPtr> batches) {
  TIDEMARK_CHECK(!batches.empty(), "at least one batch to concatenate");
  if (batches.size() == 1) return batches[0];
  std::size_t rows = 0;
  for (const BatchPtr& batch : batches) rows += batch->rows();
  std::vector<ColumnPtr> columns;
  std::vector<ColumnPtr> parts(batches.size());
  for (std::size_t c = 0; c < batches[0]->columns().size(); ++c) {
    for (std::size_t i = 0; i < batches.size(); ++i) parts[i] = batches[i]->column_ptr(c);
    columns.push_back(concatenate(parts));
  }
  return std::make_shared<const Batch>(batches[0]->schema_ptr(), rows, std::move(columns),
                                       concatenate_event_times(batches),
                                       concatenate_row_kinds(batches));
}

}  // namespace tidemark
