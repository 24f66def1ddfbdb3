// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/partitioner.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {

KeyGroupPartitioner::KeyGroupPartitioner(std::vector<std::size_t> key_columns,
                                         std::vector<DataType> key_types, std::uint32_t targets,
                                         std::uint32_t max_parallelism)
    : codec_(std::move(key_columns), std::move(key_types)),
      targets_(targets),
      max_parallelism_(max_parallelism),
      begins_(targets + 1) {
  TIDEMARK_CHECK(targets > 0 && targets <= max_parallelism && max_parallelism <= kMaxMaxParallelism,
                 "the parallelism is within the number of key groups");
  // A table, because subtask_of divides, once a row.
  target_of_group_.resize(max_parallelism);
  for (KeyGroup group = 0; group < max_parallelism; ++group)
    target_of_group_[group] =
        static_cast<std::uint16_t>(subtask_of(group, targets, max_parallelism));
}

void KeyGroupPartitioner::split(const BatchPtr& batch, std::vector<BatchPtr>& parts) {
  parts.assign(targets_, nullptr);
  const std::size_t rows = batch->rows();
  codec_.encode(*batch, keys_);
  count_rows(rows);
  for (std::uint32_t target = 0; target < targets_; ++target) {
    if (begins_[target + 1] != rows) continue;
    parts[target] = batch;  // all rows have one target: nothing to copy
    return;
  }
  order_rows(rows);
  std::uint32_t begin = 0;
  for (std::uint32_t target = 0; target < targets_; ++target) {
    const std::uint32_t end = begins_[target];  // order_rows moved each begin to its end
    if (end > begin)
      parts[target] = gather(*batch, Selection(ordered_.data() + begin, end - begin));
    begin = end;
  }
}

void KeyGroupPartitioner::count_rows(std::size_t rows) {
  target_of_row_.resize(rows);
  std::fill(begins_.begin(), begins_.end(), 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint16_t target =
        target_of_group_[key_group_of(keys_.hashes[row], max_parallelism_)];
    target_of_row_[row] = target;
    ++begins_[target + 1u];
  }
}

void KeyGroupPartitioner::order_rows(std::size_t rows) {
  for (std::uint32_t target = 0; target < targets_; ++target)
    begins_[target + 1] += begins_[target];
  ordered_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row)
    ordered_[begins_[target_of_row_[row]]++] = static_cast<RowIndex>(row);
}

}  // namespace tidemark
