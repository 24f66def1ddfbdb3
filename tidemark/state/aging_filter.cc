// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/aging_filter.h"

#include <algorithm>
#include <cmath>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

constexpr std::size_t kBlockBits = 512;
// Keys are spread unevenly over blocks, and the fuller ones answer "maybe" more often. So many more
// bits make up for it at rates down to 1 in 1,000.
constexpr double kUnevenness = 1.25;
constexpr int kMostProbes = 8;

// Hashes of one subtask share their high bits, by which key groups are cut.
std::uint64_t spread(std::uint64_t hash) noexcept {
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

}  // namespace

BlockedFilter::BlockedFilter(std::size_t expected_keys, double rate) : rate_(rate / 2) {
  TIDEMARK_CHECK(rate > 0 && rate < 1, "a share of false positives");
  add_layer(std::max<std::size_t>(64, expected_keys), rate_);
}

void BlockedFilter::add_layer(std::size_t keys, double rate) {
  const double bits_a_key = -std::log2(rate) / std::log(2.0);
  const double bits = kUnevenness * bits_a_key * static_cast<double>(keys);
  Layer layer;
  layer.blocks.resize(static_cast<std::size_t>(bits / kBlockBits) + 1);
  layer.capacity = keys;
  layer.probes =
      std::clamp(static_cast<int>(std::lround(bits_a_key * std::log(2.0))), 1, kMostProbes);
  layers_.push_back(std::move(layer));
  rate_ = rate / 2;
}

const BlockedFilter::Block& BlockedFilter::block_of(const Layer& layer,
                                                    std::uint64_t hash) noexcept {
  return layer.blocks[static_cast<std::size_t>(
      (static_cast<unsigned __int128>(spread(hash)) * layer.blocks.size()) >> 64)];
}

void BlockedFilter::add(std::uint64_t hash) {
  if (may_contain(hash)) return;
  if (layers_.back().keys >= layers_.back().capacity) add_layer(2 * layers_.back().capacity, rate_);
  Layer& layer = layers_.back();
  auto& block = const_cast<Block&>(block_of(layer, hash));
  // Nine bits of the hash a probe; those that chose the block are others.
  std::uint64_t bits = hash * 0xd6e8feb86659fd93ull;
  for (int i = 0; i < layer.probes; ++i) {
    const std::uint64_t bit = bits >> 55;
    block.words[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    bits = bits * 0x9e3779b97f4a7c15ull + 1;
  }
  ++layer.keys;
}

bool BlockedFilter::may_contain(std::uint64_t hash) const noexcept {
  return std::any_of(layers_.begin(), layers_.end(), [&](const Layer& layer) {
    const Block& block = block_of(layer, hash);
    std::uint64_t bits = hash * 0xd6e8feb86659fd93ull;
    for (int i = 0; i < layer.probes; ++i) {
      const std::uint64_t bit = bits >> 55;
      if ((block.words[bit >> 6] >> (bit & 63) & 1) == 0) return false;
      bits = bits * 0x9e3779b97f4a7c15ull + 1;
    }
    return true;
  });
}

void BlockedFilter::prefetch(std::uint64_t hash) const noexcept {
  for (const Layer& layer : layers_) __builtin_prefetch(&block_of(layer, hash));
}

std::size_t BlockedFilter::memory_bytes() const noexcept {
  std::size_t bytes = sizeof(*this);
  for (const Layer& layer : layers_) bytes += layer.blocks.size() * sizeof(Block) + sizeof(Layer);
  return bytes;
}

AgingFilter::AgingFilter(const Options& options)
    : options_(options), span_(std::max<Millis>(1, options.ttl / kFilters)) {
  TIDEMARK_CHECK(options.ttl > 0, "a time to live");
}

void AgingFilter::add(std::uint64_t hash, std::int64_t time) {
  const auto made = filters_.try_emplace(
      floor_div(time, span_), options_.expected_keys / static_cast<std::size_t>(kFilters),
      options_.false_positive_rate / static_cast<double>(kFilters + 1));
  made.first->second.add(hash);
}

bool AgingFilter::may_contain(std::uint64_t hash) const noexcept {
  return std::any_of(filters_.begin(), filters_.end(),
                     [&](const auto& filter) { return filter.second.may_contain(hash); });
}

void AgingFilter::prefetch(std::uint64_t hash) const noexcept {
  for (const auto& [number, filter] : filters_) filter.prefetch(hash);
}

void AgingFilter::advance(std::int64_t now) {
  // The last time of a filter is (number + 1) * span - 1.
  while (!filters_.empty() &&
         saturating_add((filters_.begin()->first + 1) * span_ - 1, options_.ttl) <= now)
    filters_.erase(filters_.begin());
}

std::size_t AgingFilter::memory_bytes() const noexcept {
  std::size_t bytes = sizeof(*this);
  for (const auto& [number, filter] : filters_) bytes += filter.memory_bytes();
  return bytes;
}

}  // namespace tidemark
