// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/data/batch.h"
#include "tidemark/state/key.h"
#include "tidemark/state/key_group.h"

namespace tidemark {

/// Cuts batches by the key groups of their rows, so that each subtask gets the groups it owns: hash
/// all keys, count the rows of each target, order the row numbers by target (a counting sort, so
/// rows of equal target keep their order), then gather each target's range. One thread.
class KeyGroupPartitioner {
 public:
  /// `key_columns` index the batches' schema and have `key_types`.
  KeyGroupPartitioner(std::vector<std::size_t> key_columns, std::vector<DataType> key_types,
                      std::uint32_t targets, std::uint32_t max_parallelism);

  /// parts[t] becomes the rows of target t, null when it gets none.
  void split(const BatchPtr& batch, std::vector<BatchPtr>& parts);

  std::uint32_t targets() const noexcept { return targets_; }

 private:
  void count_rows(std::size_t rows);
  void order_rows(std::size_t rows);

  KeyCodec codec_;
  std::uint32_t targets_;
  std::uint32_t max_parallelism_;
  std::vector<std::uint16_t> target_of_group_;
  KeyBatch keys_;
  std::vector<std::uint16_t> target_of_row_;
  std::vector<std::uint32_t> begins_;  // of each target's range in ordered_, and the end
  std::vector<RowIndex> ordered_;
};

}  // namespace tidemark
