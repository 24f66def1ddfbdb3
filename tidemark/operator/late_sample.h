// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tidemark/data/batch.h"

namespace tidemark {

/// The first late rows of an operator, as text, for whoever wonders what comes late and how late it
/// is. Written by the operator's task, read by anyone.
class LateSample {
 public:
  static constexpr std::size_t kRows = 10;

  /// Rows of `batch` that came when the watermark was `watermark`. Cheap once the sample is full.
  void add(const Batch& batch, std::span<const RowIndex> rows, EventTime watermark);
  /// "k=a, v=1; its time is 1970-01-01 00:00:05.000, the watermark was 1970-01-01 00:00:20.000".
  std::vector<std::string> rows() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> rows_;
};

}  // namespace tidemark
