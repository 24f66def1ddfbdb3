// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/restart_policy.h"

#include <algorithm>

namespace tidemark {

std::optional<Millis> RestartPolicy::on_failure(ProcessingTime now) {
  switch (config_.type) {
    case RestartConfig::Type::kNone: return std::nullopt;
    case RestartConfig::Type::kFixedDelay:
      if (attempts_ == config_.attempts_max) return std::nullopt;
      ++attempts_;
      return config_.delay;
    case RestartConfig::Type::kExponentialDelay: return exponential(now);
    case RestartConfig::Type::kFailureRate: return by_rate(now);
  }
  return std::nullopt;
}

std::optional<Millis> RestartPolicy::exponential(ProcessingTime now) {
  if (last_failure_ && saturating_sub(now, *last_failure_) >= config_.reset_after) attempts_ = 0;
  last_failure_ = now;
  if (attempts_ == config_.attempts_max) return std::nullopt;
  next_delay_ =
      attempts_ == 0
          ? std::min(config_.delay, config_.delay_max)
          : std::min(config_.delay_max,
                     static_cast<Millis>(static_cast<double>(next_delay_) * config_.backoff));
  ++attempts_;
  return next_delay_;
}

std::optional<Millis> RestartPolicy::by_rate(ProcessingTime now) {
  while (!recent_.empty() && saturating_sub(now, recent_.front()) >= config_.failure_interval)
    recent_.pop_front();
  recent_.push_back(now);
  if (recent_.size() > config_.failures_per_interval) return std::nullopt;
  return config_.delay;
}

}  // namespace tidemark
