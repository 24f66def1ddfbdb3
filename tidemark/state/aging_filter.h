// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tidemark/base/time.h"

namespace tidemark {

/// A Bloom filter in blocks of one cache line. Grows by filters of twice the size, each with half
/// the share of false positives, so that the sum stays below the rate that was asked for.
class BlockedFilter {
 public:
  /// `rate` in (0, 1): of the keys that were not added, how many at most it may hold to have been.
  BlockedFilter(std::size_t expected_keys, double rate);

  void add(std::uint64_t hash);
  bool may_contain(std::uint64_t hash) const noexcept;
  void prefetch(std::uint64_t hash) const noexcept;
  std::size_t memory_bytes() const noexcept;

 private:
  struct alignas(64) Block {
    std::uint64_t words[8];
  };
  struct Layer {
    std::vector<Block> blocks;
    std::size_t capacity;  // keys
    std::size_t keys = 0;
    int probes;
  };
  void add_layer(std::size_t keys, double rate);
  static const Block& block_of(const Layer& layer, std::uint64_t hash) noexcept;

  double rate_;  // of the next layer
  std::vector<Layer> layers_;
};

/// What was added within the last `ttl`, give or take a quarter: hashes, each with a time, in
/// filters of a quarter of the ttl each. A filter whose last possible entry has expired is dropped
/// whole. "No" is always right; "maybe" is wrong at the rate asked for. Thread: the task's.
class AgingFilter {
 public:
  struct Options {
    Millis ttl = 0;
    double false_positive_rate = 0.01;
    std::size_t expected_keys = std::size_t{1} << 16;  // within a ttl; grows beyond
  };

  explicit AgingFilter(const Options& options);

  void add(std::uint64_t hash, std::int64_t time);
  /// Whether a hash may have been added at a time later than now - ttl.
  bool may_contain(std::uint64_t hash) const noexcept;
  void prefetch(std::uint64_t hash) const noexcept;
  /// Drops what has expired.
  void advance(std::int64_t now);

  std::size_t memory_bytes() const noexcept;

 private:
  // With the quarter that is only begun, five filters are asked at most.
  static constexpr std::int64_t kFilters = 4;

  Options options_;
  Millis span_;  // of one filter
  std::map<std::int64_t, BlockedFilter> filters_;
};

}  // namespace tidemark
