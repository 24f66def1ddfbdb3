// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
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
    bool cumulating = false;  // windows grow by `slide` up to `size`
    bool updating = false;    // windows that fire again take back what they said
    bool ordered = false;     // `sum` is the polynomial of OrderedAggregator
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;

  /// Watermarks are `disorder` behind the newest row.
  Model(Windows windows, std::int64_t disorder) : windows_(windows), disorder_(disorder) {}

  void row(const Row& row) {
    const std::vector<Span> spans = windows_of(row.time);
    if (spans.empty()) ++unassigned;
    bool accepted = false;
    for (const auto& [start, end] : spans) {
      if (end + windows_.lateness <= watermark) continue;
      accepted = true;
      contents_[{end, row.key}].push_back(row);
      starts_[end] = start;
      if (end <= watermark) changed_.insert({end, row.key});
    }
    if (!spans.empty() && !accepted) ++late;
    newest_ = std::max(newest_, row.time);
  }

  /// One row of the output: with `updating` windows take back what they said before.
  struct Change {
    enum Kind { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2 };
    Kind kind;
    Fired fired;
    auto operator<=>(const Change&) const = default;
  };

  /// What the rows since the last call made fire again.
  std::vector<Change> fire_changed() {
    std::vector<Change> fired;
    for (const auto& at : changed_) say(at, fired);
    changed_.clear();
    return fired;
  }

  /// The promise that the rows seen so far allow.
  std::int64_t promise() const { return newest_ == kNever ? kNever : newest_ - disorder_; }

  std::vector<Change> advance(std::int64_t to) {
    std::vector<Change> fired;
    for (const auto& [at, rows] : contents_)
      if (at.first > watermark && at.first <= to) say(at, fired);
    watermark = std::max(watermark, to);
    std::erase_if(contents_, [&](const auto& entry) {
      return entry.first.first + windows_.lateness <= watermark;
    });
    return fired;
  }

  /// What each window and key said last.
  std::vector<Fired> last_said() const {
    std::vector<Fired> fired;
    for (const auto& [at, last] : said_) fired.push_back(last);
    return fired;
  }

  std::int64_t watermark = kNever;
  std::uint64_t late = 0;
  std::uint64_t unassigned = 0;

 private:
  using Span = std::pair<std::int64_t, std::int64_t>;

  std::vector<Span> windows_of(std::int64_t time) const {
    const std::int64_t every = windows_.cumulating ? windows_.size : windows_.slide;
    std::int64_t start = windows_.offset;
    while (start > time) start -= every;
    while (start + every <= time) start += every;
    std::vector<Span> spans;
    if (windows_.cumulating) {
      for (std::int64_t end = start + windows_.slide; end <= start + windows_.size;
           end += windows_.slide)
        if (time < end) spans.push_back({start, end});
      return spans;
    }
    for (; time < start + windows_.size; start -= windows_.slide)
      spans.push_back({start, start + windows_.size});
    return spans;
  }

  /// Rows in the order in which ordered aggregates take them: by slice, then as they came.
  std::vector<Row> in_order(std::vector<Row> rows) const {
    const std::int64_t width = std::gcd(windows_.size, windows_.slide);
    const auto slice_of = [&](const Row& row) {
      const std::int64_t from = row.time - windows_.offset;
      return from >= 0 ? from / width : -((-from + width - 1) / width);
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return slice_of(a) < slice_of(b); });
    return rows;
  }

  void say(const std::pair<std::int64_t, std::int64_t>& at, std::vector<Change>& out) {
    const Fired now = fire(at);
    const auto before = said_.find(at);
    if (!windows_.updating || before == said_.end()) {
      out.push_back({Change::kInsert, now});
    } else if (before->second != now) {
      out.push_back({Change::kUpdateBefore, before->second});
      out.push_back({Change::kUpdateAfter, now});
    }
    said_[at] = now;
  }

  Fired fire(const std::pair<std::int64_t, std::int64_t>& at) const {
    Fired fired{starts_.at(at.first), at.first, at.second, 0, 0};
    std::uint64_t sum = 0;
    for (const Row& row : in_order(contents_.at(at))) {
      if (windows_.ordered) sum *= 1'000'003;
      sum += static_cast<std::uint64_t>(row.value);
      ++fired.count;
    }
    fired.sum = static_cast<std::int64_t>(sum);
    return fired;
  }

  Windows windows_;
  std::int64_t disorder_;
  std::int64_t newest_ = kNever;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Row>> contents_;
  std::map<std::int64_t, std::int64_t> starts_;  // of windows, by their ends
  std::set<std::pair<std::int64_t, std::int64_t>> changed_;
  std::map<std::pair<std::int64_t, std::int64_t>, Fired> said_;
};

}  // namespace tidemark::reference
