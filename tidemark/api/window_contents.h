// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/aggregate.h"
#include "tidemark/api/evictors.h"
#include "tidemark/api/state_value.h"

// What a window of the general operator keeps of its rows: an accumulator, or the rows themselves,
// where a function wants to see them or an evictor chooses among them.
//   State, Result, attach(batch), add(state, row, record, time), merge(into, other), empty(state),
//   fire(state, window, use): calls use(Result) with what the state amounts to

namespace tidemark::api_detail {

template <typename T, typename Bound>
class FoldedContents {
 public:
  using State = std::optional<typename Bound::Accumulator>;
  using Result = typename Bound::Result;
  static constexpr bool kMergeable = Bound::kMergeable;
  static_assert(is_encodable<typename Bound::Accumulator>(),
                "an accumulator goes into snapshots: make it trivially copyable, describe it with "
                "BOOST_DESCRIBE_STRUCT, or give it encode and decode");
  static_assert(!holds_view<typename Bound::Accumulator>(),
                "an accumulator outlives the rows it saw: hold std::string, not std::string_view");

  explicit FoldedContents(Bound bound) : bound_(std::move(bound)) {}

  std::string describe() const { return bound_.describe(); }
  void attach(const Batch& batch) { bound_.attach(batch); }
  void add(State& state, std::size_t row, const T&, EventTime) const {
    if (!state) state = bound_.create();
    bound_.add(*state, row);
  }
  void merge(State& into, State& other) const {
    if (!other) return;
    if (into) {
      bound_.merge(*into, *other);
    } else {
      into = std::move(other);
    }
  }
  bool empty(const State& state) const { return !state; }
  template <typename Use>
  void fire(State& state, TimeWindow, Use use) const {
    use(bound_.result(*state));
  }

 private:
  Bound bound_;
};

template <typename T>
struct CheckKeptRow {
  static_assert(is_encodable<T>(), "rows that windows keep go into snapshots");
  static_assert(!holds_view<T>(), "rows that windows keep must own their strings: use std::string");
};

struct NoEvictor {};

template <typename Evictor, typename T>
void evict_before(Evictor& evictor, std::vector<TimedRow<T>>& rows, TimeWindow window) {
  if constexpr (requires { evictor.evict_before(rows, window); })
    evictor.evict_before(rows, window);
}
template <typename Evictor, typename T>
void evict_after(Evictor& evictor, std::vector<TimedRow<T>>& rows, TimeWindow window) {
  if constexpr (requires { evictor.evict_after(rows, window); }) evictor.evict_after(rows, window);
}

/// All rows, in the order in which they came. The function sees them as std::vector<T>.
template <typename T, typename Evictor>
class ListedContents : private CheckKeptRow<T> {
 public:
  using State = std::vector<TimedRow<T>>;
  using Result = std::vector<T>;
  static constexpr bool kMergeable = true;

  explicit ListedContents(Evictor evictor) : evictor_(std::move(evictor)) {}

  std::string describe() const { return "ROWS" + to_string(*schema_of<T>()); }
  void attach(const Batch&) {}
  void add(State& state, std::size_t, const T& row, EventTime time) const {
    state.push_back({row, time});
  }
  void merge(State& into, State& other) const {
    for (TimedRow<T>& row : other) into.push_back(std::move(row));
  }
  bool empty(const State& state) const { return state.empty(); }
  /// Not called when the evictor has left nothing.
  template <typename Use>
  void fire(State& state, TimeWindow window, Use use) {
    evict_before(evictor_, state, window);
    if (!state.empty()) {
      Result rows;
      rows.reserve(state.size());
      for (const TimedRow<T>& row : state) rows.push_back(row.row);
      use(std::move(rows));
    }
    evict_after(evictor_, state, window);
  }

 private:
  Evictor evictor_;
};

/// All rows, of which the result is computed anew at each firing from what the evictor leaves.
template <typename T, typename Bound, typename Evictor>
class EvictedContents {
 public:
  using State = typename ListedContents<T, Evictor>::State;
  using Result = typename Bound::Result;
  static constexpr bool kMergeable = true;

  EvictedContents(Bound bound, Evictor evictor)
      : bound_(std::move(bound)), rows_(std::move(evictor)) {}

  std::string describe() const { return rows_.describe(); }
  void attach(const Batch& batch) { rows_.attach(batch); }
  void add(State& state, std::size_t row, const T& record, EventTime time) const {
    rows_.add(state, row, record, time);
  }
  void merge(State& into, State& other) const { rows_.merge(into, other); }
  bool empty(const State& state) const { return state.empty(); }
  template <typename Use>
  void fire(State& state, TimeWindow window, Use use) {
    rows_.fire(state, window, [&](const std::vector<T>& rows) {
      for (const T& row : rows) writer_.append(row);
      const BatchPtr batch = writer_.finish();
      bound_.attach(*batch);
      auto accumulator = bound_.create();
      for (std::size_t row = 0; row < batch->rows(); ++row) bound_.add(accumulator, row);
      use(bound_.result(accumulator));
    });
  }

 private:
  Bound bound_;
  ListedContents<T, Evictor> rows_;
  RecordWriter<T> writer_;
};

}  // namespace tidemark::api_detail
