// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/state/key.h"
#include "tidemark/state/key_group.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

// Timers fall into slices of 1,024 ms. A slice is a log: adding and removing a timer append to it,
// and the last word about a (time, key, namespace) counts when the log is put in order.

inline constexpr int kTimerSliceBits = 10;

constexpr std::int64_t timer_slice_of(std::int64_t time) noexcept {
  return time >> kTimerSliceBits;
}

/// One word about one timer. 24 bytes.
struct TimerRecord {
  std::uint64_t key;  // a fixed8 key, or where its bytes begin in TimerLog::key_bytes
  StateNamespace ns;
  std::uint32_t order;       // from the top: time in the slice (10 bits), key group, removed (1)
  std::uint32_t key_length;  // 0 for fixed8

  static constexpr int kGroupBits = 15;
  static_assert(kMaxMaxParallelism == 1u << kGroupBits);

  static TimerRecord of(std::int64_t time, KeyGroup group, bool removed) noexcept {
    const auto offset = static_cast<std::uint32_t>(time & ((1 << kTimerSliceBits) - 1));
    const std::uint32_t word = (offset << (kGroupBits + 1)) | (group << 1) | (removed ? 1u : 0u);
    return {.key = 0, .ns = 0, .order = word, .key_length = 0};
  }
  std::int64_t time(std::int64_t slice) const noexcept {
    return slice * (std::int64_t{1} << kTimerSliceBits) + (order >> (kGroupBits + 1));
  }
  KeyGroup group() const noexcept { return (order >> 1) & ((1u << kGroupBits) - 1); }
  bool removed() const noexcept { return (order & 1) != 0; }
  /// By time, then key group.
  std::uint32_t rank() const noexcept { return order >> 1; }
};
static_assert(sizeof(TimerRecord) == 24);

/// The timers of one slice of time.
struct TimerLog {
  std::vector<TimerRecord> records;
  std::string key_bytes;  // of keys that are no words

  std::string_view key_of(const TimerRecord& record) const noexcept {
    return {key_bytes.data() + record.key, record.key_length};
  }
  std::size_t memory_bytes() const noexcept {
    return records.capacity() * sizeof(TimerRecord) + key_bytes.capacity() + sizeof(*this);
  }
};

/// Puts the first `count` records of a log into the order of time, key group, key, namespace, and
/// leaves one of each that was not removed. One thread; keeps its buffers.
class TimerSorter {
 public:
  /// Where word keys are used (KeyEncoding::kFixed8).
  explicit TimerSorter(KeyEncoding encoding) : words_(encoding == KeyEncoding::kFixed8) {}

  void sort(const TimerLog& log, std::size_t count, std::vector<TimerRecord>& out);

 private:
  void sort_by_rank(std::vector<TimerRecord>& records);
  void sort_ties(const TimerLog& log, std::vector<TimerRecord>& records) const;
  bool less(const TimerLog& log, const TimerRecord& a, const TimerRecord& b) const noexcept;
  bool same(const TimerLog& log, const TimerRecord& a, const TimerRecord& b) const noexcept;

  bool words_;
  std::vector<TimerRecord> scratch_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace tidemark
