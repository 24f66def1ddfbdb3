// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tidemark/expr/function.h"

namespace tidemark {

inline constexpr std::int64_t kMillisPerDay = 86'400'000;

/// The date `months` later; a day that the month does not have becomes its last (31 January + 1
/// month is 28 February). nullopt outside DATE.
std::optional<std::int32_t> add_months(std::int32_t days, std::int64_t months) noexcept;
/// The same for a timestamp with `units` a day; the time of day stays.
std::optional<std::int64_t> add_months(std::int64_t value, std::int64_t units_per_day,
                                       std::int64_t months) noexcept;

/// date or time + interval, interval + date or time, date or time - interval, the difference of two
/// dates or times, and intervals among each other. nullopt for other arguments.
std::optional<Resolution> resolve_temporal(char operation, const Expression& a,
                                           const Expression& b);
/// The kernel of what resolve_temporal accepted.
Result<KernelPtr> make_temporal_kernel(char operation, const CallSite& site);

}  // namespace tidemark
