// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "tidemark/api/state_value.h"
#include "tidemark/base/time.h"
#include "tidemark/window/window_description.h"

// What is taken out of a window's rows when it fires, before or after its function sees them. With
// an evictor a window keeps all its rows, in the order in which they came. Ready ones:
//   count_evictor(n)               keeps the last n rows
//   time_evictor(length)           keeps the rows that are less than `length` behind the newest
//   delta_evictor(threshold, f)    keeps the rows with f(row, last row) below the threshold
// each before the function, or with Evict::kAfter after it. A program's own evictor has one or both
// of
//   void evict_before(std::vector<TimedRow<T>>& rows, TimeWindow window);
//   void evict_after(std::vector<TimedRow<T>>& rows, TimeWindow window);

namespace tidemark {

/// A row that a window keeps.
template <typename T>
struct TimedRow {
  T row;
  EventTime time = kMinTime;  // kMinTime when it has none

  void encode(ByteWriter& out) const {
    api_detail::encode_value(row, out);
    out.put(time);
  }
  static TimedRow decode(ByteReader& in) {
    T row = api_detail::decode_value<T>(in);
    return {std::move(row), in.get<EventTime>()};
  }
};

enum class Evict : std::uint8_t { kBefore, kAfter };

namespace api_detail {

/// An evictor that does the same thing before or after the function.
template <typename Derived>
class OneSidedEvictor {
 public:
  explicit OneSidedEvictor(Evict when) : when_(when) {}

  template <typename T>
  void evict_before(std::vector<TimedRow<T>>& rows, TimeWindow) const {
    if (when_ == Evict::kBefore && !rows.empty()) static_cast<const Derived&>(*this).evict(rows);
  }
  template <typename T>
  void evict_after(std::vector<TimedRow<T>>& rows, TimeWindow) const {
    if (when_ == Evict::kAfter && !rows.empty()) static_cast<const Derived&>(*this).evict(rows);
  }

 private:
  Evict when_;
};

}  // namespace api_detail

class CountEvictor : public api_detail::OneSidedEvictor<CountEvictor> {
 public:
  CountEvictor(std::size_t keep, Evict when) : OneSidedEvictor(when), keep_(keep) {}

  template <typename T>
  void evict(std::vector<TimedRow<T>>& rows) const {
    if (rows.size() > keep_)
      rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(keep_));
  }

 private:
  std::size_t keep_;
};
inline CountEvictor count_evictor(std::size_t keep, Evict when = Evict::kBefore) {
  return {keep, when};
}

class TimeEvictor : public api_detail::OneSidedEvictor<TimeEvictor> {
 public:
  TimeEvictor(Millis length, Evict when) : OneSidedEvictor(when), length_(length) {}

  /// Rows without event times stay.
  template <typename T>
  void evict(std::vector<TimedRow<T>>& rows) const {
    if (rows.front().time == kMinTime) return;
    EventTime newest = kMinTime;
    for (const TimedRow<T>& row : rows) newest = std::max(newest, row.time);
    const EventTime bound = saturating_sub(newest, length_);
    std::erase_if(rows, [&](const TimedRow<T>& row) { return row.time <= bound; });
  }

 private:
  Millis length_;
};
inline TimeEvictor time_evictor(std::chrono::milliseconds length, Evict when = Evict::kBefore) {
  return {length.count(), when};
}

template <typename F>
class DeltaEvictor : public api_detail::OneSidedEvictor<DeltaEvictor<F>> {
 public:
  DeltaEvictor(double threshold, F delta, Evict when)
      : api_detail::OneSidedEvictor<DeltaEvictor>(when),
        threshold_(threshold),
        delta_(std::move(delta)) {}

  template <typename T>
  void evict(std::vector<TimedRow<T>>& rows) const {
    const T last = rows.back().row;
    std::erase_if(rows,
                  [&](const TimedRow<T>& row) { return delta_(row.row, last) >= threshold_; });
  }

 private:
  double threshold_;
  F delta_;
};
/// delta(const T& row, const T& last) -> double.
template <typename F>
DeltaEvictor<F> delta_evictor(double threshold, F delta, Evict when = Evict::kBefore) {
  return {threshold, std::move(delta), when};
}

}  // namespace tidemark
