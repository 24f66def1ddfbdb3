// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tidemark {

/// The unit in which keyed state moves between subtasks. In [0, max_parallelism).
using KeyGroup = std::uint32_t;

/// Cheap by design, because a job cannot change it once it has state.
inline constexpr std::uint32_t kDefaultMaxParallelism = 4096;
inline constexpr std::uint32_t kMaxMaxParallelism = 32768;

/// A key group is a range of hashes: the hash scaled from [0, 2^64) to [0, max_parallelism). A
/// table laid out in the order of its hashes is therefore in the order of its key groups, and a
/// snapshot by key group is one pass over it without a sort.
constexpr KeyGroup key_group_of(std::uint64_t hash, std::uint32_t max_parallelism) noexcept {
  return static_cast<KeyGroup>((static_cast<unsigned __int128>(hash) * max_parallelism) >> 64);
}

/// The smallest hash of a key group.
constexpr std::uint64_t first_hash_of(KeyGroup group, std::uint32_t max_parallelism) noexcept {
  return static_cast<std::uint64_t>(
      ((static_cast<unsigned __int128>(group) << 64) + max_parallelism - 1) / max_parallelism);
}

/// Key groups [begin, end) that one subtask owns.
struct KeyGroupRange {
  KeyGroup begin = 0;
  KeyGroup end = 0;

  constexpr bool contains(KeyGroup group) const noexcept { return group >= begin && group < end; }
  friend bool operator==(const KeyGroupRange&, const KeyGroupRange&) = default;
};

/// The subtask that owns a group: group * parallelism / max_parallelism (Flink's rule).
constexpr std::uint32_t subtask_of(KeyGroup group, std::uint32_t parallelism,
                                   std::uint32_t max_parallelism) noexcept {
  return static_cast<std::uint32_t>(std::uint64_t{group} * parallelism / max_parallelism);
}

/// Inverse of subtask_of. The ranges of all subtasks are contiguous, ascending, and cover all
/// groups.
constexpr KeyGroupRange range_of(std::uint32_t subtask, std::uint32_t parallelism,
                                 std::uint32_t max_parallelism) noexcept {
  const auto bound = [&](std::uint32_t s) {
    return static_cast<KeyGroup>((std::uint64_t{s} * max_parallelism + parallelism - 1) /
                                 parallelism);
  };
  return {bound(subtask), bound(subtask + 1)};
}

}  // namespace tidemark
