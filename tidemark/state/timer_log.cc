// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/timer_log.h"

#include <algorithm>

namespace tidemark {
namespace {

// Below this a comparison sort is faster than clearing the counters of a radix sort.
constexpr std::size_t kFewRecords = 256;
constexpr int kDigitBits = 9;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

}  // namespace

void TimerSorter::sort(const TimerLog& log, std::size_t count, std::vector<TimerRecord>& out) {
  out.assign(log.records.begin(), log.records.begin() + static_cast<std::ptrdiff_t>(count));
  sort_by_rank(out);
  sort_ties(log, out);
  // Of equal timers the last word counts.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool overruled = i + 1 < out.size() && same(log, out[i], out[i + 1]);
    if (!overruled && !out[i].removed()) out[kept++] = out[i];
  }
  out.resize(kept);
}

// Stable. By the digits in which the ranks differ, lowest first.
void TimerSorter::sort_by_rank(std::vector<TimerRecord>& records) {
  if (records.size() < kFewRecords) {
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return a.rank() < b.rank(); });
    return;
  }
  std::uint32_t any = 0;
  for (const TimerRecord& record : records) any |= record.rank() ^ records[0].rank();
  scratch_.resize(records.size());
  for (int shift = 0; shift < 32 && (any >> shift) != 0; shift += kDigitBits) {
    if (((any >> shift) & (kDigits - 1)) == 0) continue;
    counts_.assign(kDigits + 1, 0);
    const auto digit = [shift](const TimerRecord& record) {
      return (record.rank() >> shift) & (kDigits - 1);
    };
    for (const TimerRecord& record : records) ++counts_[digit(record) + 1];
    for (std::size_t i = 1; i < kDigits; ++i) counts_[i] += counts_[i - 1];
    for (const TimerRecord& record : records) scratch_[counts_[digit(record)]++] = record;
    records.swap(scratch_);
  }
}

void TimerSorter::sort_ties(const TimerLog& log, std::vector<TimerRecord>& records) const {
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    while (end < records.size() && records[end].rank() == records[begin].rank()) ++end;
    if (end - begin > 1)
      std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(begin),
                       records.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const auto& a, const auto& b) { return less(log, a, b); });
    begin = end;
  }
}

bool TimerSorter::less(const TimerLog& log, const TimerRecord& a,
                       const TimerRecord& b) const noexcept {
  if (words_) return a.key != b.key ? a.key < b.key : a.ns < b.ns;
  const int order = log.key_of(a).compare(log.key_of(b));
  return order != 0 ? order < 0 : a.ns < b.ns;
}

bool TimerSorter::same(const TimerLog& log, const TimerRecord& a,
                       const TimerRecord& b) const noexcept {
  if (a.rank() != b.rank() || a.ns != b.ns) return false;
  return words_ ? a.key == b.key : log.key_of(a) == log.key_of(b);
}

}  // namespace tidemark
