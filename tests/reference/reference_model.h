// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tidemark::reference {

/// What windows, watermarks and lateness mean, in the plainest way there is: every row is kept in
/// every window that holds it, and windows are found by counting. Shares no code with the engine.
class Model {
 public:
  struct Row {
    std::int64_t key, value, time;
  };
  struct Fired {
    std::int64_t start, end, key, sum, count;
    auto operator<=>(const Fired&) const = default;
  };
  struct Windows {
    std::int64_t size, slide, offset, lateness;
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;

  /// Watermarks are `disorder` behind the newest row.
  Model(Windows windows, std::int64_t disorder) : windows_(windows), disorder_(disorder) {}

  void row(const Row& row) {
    const std::vector<std::int64_t> starts = starts_of(row.time);
    if (starts.empty()) ++unassigned;
    bool accepted = false;
    for (const std::int64_t start : starts) {
      const std::int64_t end = start + windows_.size;
      if (end + windows_.lateness <= watermark) continue;
      accepted = true;
      contents_[{end, row.key}].push_back(row.value);
      if (end <= watermark) changed_.insert({end, row.key});
    }
    if (!starts.empty() && !accepted) ++late;
    newest_ = std::max(newest_, row.time);
  }

  /// What the rows since the last call made fire again.
  std::vector<Fired> fire_changed() {
    std::vector<Fired> fired;
    for (const auto& at : changed_) fired.push_back(fire(at));
    changed_.clear();
    return fired;
  }

  /// The promise that the rows seen so far allow.
  std::int64_t promise() const { return newest_ == kNever ? kNever : newest_ - disorder_; }

  std::vector<Fired> advance(std::int64_t to) {
    std::vector<Fired> fired;
    for (const auto& [at, values] : contents_)
      if (at.first > watermark && at.first <= to) fired.push_back(fire(at));
    watermark = std::max(watermark, to);
    std::erase_if(contents_, [&](const auto& entry) {
      return entry.first.first + windows_.lateness <= watermark;
    });
    return fired;
  }

  std::int64_t watermark = kNever;
  std::uint64_t late = 0;
  std::uint64_t unassigned = 0;

 private:
  std::vector<std::int64_t> starts_of(std::int64_t time) const {
    std::int64_t start = windows_.offset;
    while (start > time) start -= windows_.slide;
    while (start + windows_.slide <= time) start += windows_.slide;
    std::vector<std::int64_t> starts;
    for (; time < start + windows_.size; start -= windows_.slide) starts.push_back(start);
    return starts;
  }

  Fired fire(const std::pair<std::int64_t, std::int64_t>& at) const {
    Fired fired{at.first - windows_.size, at.first, at.second, 0, 0};
    for (const std::int64_t value : contents_.at(at)) {
      fired.sum += value;
      ++fired.count;
    }
    return fired;
  }

  Windows windows_;
  std::int64_t disorder_;
  std::int64_t newest_ = kNever;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> contents_;
  std::set<std::pair<std::int64_t, std::int64_t>> changed_;
};

}  // namespace tidemark::reference
