// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace tidemark {
namespace {

constexpr double kNanosPerSecond = 1e9;
constexpr double kNanosPerMilli = 1e6;
constexpr double kKeptSeconds = 0.1;
// With high rates rows come in pieces of this length of time rather than one by one.
constexpr double kPieceSeconds = 0.005;

}  // namespace

RateLimiter::RateLimiter(double rows_per_second, std::int64_t now_ns)
    : rows_per_ns_(rows_per_second / kNanosPerSecond),
      rows_kept_max_(std::max(1.0, rows_per_second * kKeptSeconds)),
      updated_ns_(now_ns) {}

RateLimiter::Grant RateLimiter::take(std::size_t wanted, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  const auto elapsed = static_cast<double>(std::max<std::int64_t>(0, now_ns - updated_ns_));
  updated_ns_ = std::max(updated_ns_, now_ns);
  available_ = std::min(rows_kept_max_, available_ + elapsed * rows_per_ns_);
  const double piece = std::clamp(rows_per_ns_ * kNanosPerSecond * kPieceSeconds, 1.0,
                                  static_cast<double>(std::max<std::size_t>(wanted, 1)));
  if (available_ < piece) {
    const double wait = (piece - available_) / rows_per_ns_ / kNanosPerMilli;
    return {.rows = 0, .wait = std::max<Millis>(1, static_cast<Millis>(std::ceil(wait)))};
  }
  const auto rows = std::min(wanted, static_cast<std::size_t>(available_));
  available_ -= static_cast<double>(rows);
  return {.rows = rows, .wait = 0};
}

void RateLimiter::give_back(std::size_t rows) {
  const std::lock_guard lock(mutex_);
  available_ = std::min(rows_kept_max_, available_ + static_cast<double>(rows));
}

}  // namespace tidemark
