// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

#include "tidemark/state/rocksdb/namespace_tier.h"

namespace tidemark {

struct RocksdbShared;

/// The memory of all tiers of a backend: decides which grow and which must let go of entries.
/// Within a tier a clock's hand goes round and evicts what was not looked up since it last came by
/// (second chance); among tiers, those not looked up for longest give first. Thread: the task's.
class TierSpace {
 public:
  TierSpace(RocksdbShared& shared, std::size_t bytes_max)
      : shared_(shared), bytes_max_(bytes_max) {}

  bool over_budget() const noexcept { return bytes_ > bytes_max_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Takes note of a look-up in a tier.
  void touch(NamespaceTier& tier) {
    if (!order_.empty() && order_.front() == &tier) return;
    list(tier);
  }
  /// Makes the tier's array have room for `slots` more, for a look-up that must not move slots.
  void make_room(NamespaceTier& tier, std::size_t slots);
  /// Gives the tier an array of `slots` if there is memory for one without taking any away.
  void offer(NamespaceTier& tier, std::size_t slots);
  /// The tier will not be used any more.
  void forget(NamespaceTier& tier) noexcept;

 private:
  void list(NamespaceTier& tier);
  static bool fits(const NamespaceTier& tier, std::size_t slots) noexcept;
  /// Slots that the tier may use when others keep what they have.
  std::size_t share_of(const NamespaceTier& tier, std::size_t slots) const;
  void grow(NamespaceTier& tier, std::size_t slots);
  void shrink(NamespaceTier& tier, std::size_t slots);
  void rebuild(NamespaceTier& tier, std::size_t entries);
  void evict(NamespaceTier& tier, std::size_t left);
  void reclaim(std::size_t bytes, const NamespaceTier& taker);
  void spill(NamespaceTier& tier);
  void halve(NamespaceTier& tier);

  RocksdbShared& shared_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::list<NamespaceTier*> order_;  // of tiers with arrays; the one looked up last is first
};

}  // namespace tidemark
