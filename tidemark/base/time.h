// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

// Time in Tidemark is a signed 64-bit count of milliseconds since 1970-01-01T00:00:00Z. Columns
// hold raw integers so that kernels vectorise; the aliases say which clock a number belongs to.

namespace tidemark {

/// When something happened, by the data. Milliseconds since the epoch, UTC; may be negative.
using EventTime = std::int64_t;
/// What the wall clock (base/clock.h) said. Milliseconds since the epoch, UTC.
using ProcessingTime = std::int64_t;
/// A length of time in milliseconds.
using Millis = std::int64_t;

/// Before every event: the watermark of an input that has promised nothing yet.
inline constexpr EventTime kMinTime = std::numeric_limits<std::int64_t>::min();
/// After every event: the watermark of an input that has ended.
inline constexpr EventTime kMaxTime = std::numeric_limits<std::int64_t>::max();

/// a + b that stops at kMinTime and kMaxTime instead of wrapping.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMaxTime : kMinTime;
}

/// a - b that stops at kMinTime and kMaxTime instead of wrapping.
constexpr std::int64_t saturating_sub(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kMaxTime : kMinTime;
}

/// The remainder of a / b in [0, b). C++'s % is negative for negative a, which puts times before
/// 1970 into the wrong window. Requires b > 0.
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

/// The quotient of a / b rounded towards minus infinity. Requires b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace tidemark
