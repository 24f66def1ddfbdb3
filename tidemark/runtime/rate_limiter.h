// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "tidemark/base/time.h"

namespace tidemark {

/// Rows a second of a whole source, shared by its subtasks ('scan.rows-per-second'). What is not
/// used within a tenth of a second is lost, so a pause is not followed by a burst. Thread-safe; one
/// call a batch.
class RateLimiter {
 public:
  /// Requires rows_per_second > 0.
  RateLimiter(double rows_per_second, std::int64_t now_ns);

  /// Up to `wanted` rows that may be read now; 0: ask again after `wait` milliseconds.
  struct Grant {
    std::size_t rows = 0;
    Millis wait = 0;
  };
  Grant take(std::size_t wanted, std::int64_t now_ns);
  /// Rows that were granted and not read.
  void give_back(std::size_t rows);

 private:
  const double rows_per_ns_;
  const double rows_kept_max_;
  std::mutex mutex_;
  std::int64_t updated_ns_;
  double available_ = 0;
};

}  // namespace tidemark
