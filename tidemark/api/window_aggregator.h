// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/aggregate.h"
#include "tidemark/api/state_value.h"
#include "tidemark/data/record.h"
#include "tidemark/state/key.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

// The columns of a window in results: window.start and window.end, milliseconds since the epoch.
BOOST_DESCRIBE_STRUCT(TimeWindow, (), (start, end))

/// What a window says when it fires: one for each key that had rows in it. Its event time is the
/// last millisecond of the window, so that windows over windows nest.
template <typename K, typename R>
struct WindowResult {
  K key;
  TimeWindow window;
  R result;

  BOOST_DESCRIBE_CLASS(WindowResult, (), (key, window, result), (), ())
};

namespace api_detail {

/// The values of `rows` equal 64-bit integers.
ColumnPtr repeat_time(EventTime value, std::size_t rows);

/// Decodes the keys of `entries` to columns, one a key column.
std::vector<ColumnPtr> decode_keys(const KeyCodec& codec,
                                   std::span<const TableScan::Entry> entries);

/// A bound aggregate as what the window operator calls: one virtual call a batch.
template <typename T, typename K, typename Bound>
class TypedWindowAggregator final : public WindowAggregator {
  using Accumulator = typename Bound::Accumulator;
  using Slot = SlotFor<Accumulator, Bound::kZeroIsEmpty>;
  static_assert(alignof(Accumulator) <= 8, "an accumulator in state is aligned to 8 bytes");
  static_assert(is_encodable<Accumulator>(),
                "an accumulator goes into snapshots: make it trivially copyable, describe it with "
                "BOOST_DESCRIBE_STRUCT, or give it encode and decode");
  static_assert(!holds_view<Accumulator>(),
                "an accumulator outlives the rows it saw: hold std::string, not std::string_view");

 public:
  using Result = WindowResult<K, typename Bound::Result>;

  TypedWindowAggregator(Bound bound, const std::vector<std::size_t>& key_columns,
                        const std::vector<DataType>& key_types)
      : bound_(std::move(bound)), codec_(key_columns, key_types) {}

  std::shared_ptr<const ValueOperations> values() const override {
    return std::make_shared<const SlotOperations<Slot>>();
  }
  std::string schema() const override { return bound_.describe(); }

  void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) override {
    bound_.attach(batch);
    const auto make = [this] { return bound_.create(); };
    for (std::size_t i = 0; i < rows.size(); ++i) bound_.add(Slot::get(entries[i], make), rows[i]);
  }

  void merge(std::byte* into, const std::byte* other) override {
    bound_.merge(Slot::get(into, [this] { return bound_.create(); }), Slot::peek(other));
  }

  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    const std::size_t rows = entries.size();
    return make_results(repeat_time(window.start, rows), repeat_time(window.end, rows),
                        repeat_time(window.end - 1, rows), entries, [this](const std::byte* value) {
                          return bound_.result(Slot::peek(value));
                        });
  }

  BatchPtr fire_each(std::span<const TimeWindow> windows,
                     std::span<const TableScan::Entry> entries) override {
    std::vector<EventTime> starts, ends, times;
    for (const TimeWindow& window : windows) {
      starts.push_back(window.start);
      ends.push_back(window.end);
      times.push_back(window.end - 1);
    }
    const auto column = [](const std::vector<EventTime>& values) {
      return make_time_column(values.data(), values.size());
    };
    return make_results(
        column(starts), column(ends), column(times), entries,
        [this](const std::byte* value) { return bound_.result(Slot::peek(value)); });
  }

  std::shared_ptr<const ValueOperations> totals() const override {
    if constexpr (HasTotals<Bound>) {
      return std::make_shared<const SlotOperations<TotalSlot>>();
    } else {
      return nullptr;
    }
  }
  void add(std::span<std::byte* const> totals, std::span<const std::byte* const> entries) override {
    if constexpr (HasTotals<Bound>)
      for (std::size_t i = 0; i < totals.size(); ++i)
        bound_.add_total(total_at(totals[i]), Slot::peek(entries[i]));
  }
  void subtract(std::span<std::byte* const> totals,
                std::span<const std::byte* const> entries) override {
    if constexpr (HasTotals<Bound>)
      for (std::size_t i = 0; i < totals.size(); ++i)
        bound_.subtract_total(total_at(totals[i]), Slot::peek(entries[i]));
  }
  BatchPtr fire_totals(TimeWindow window, std::span<const TableScan::Entry> totals) override {
    if constexpr (HasTotals<Bound>) {
      const std::size_t rows = totals.size();
      return make_results(
          repeat_time(window.start, rows), repeat_time(window.end, rows),
          repeat_time(window.end - 1, rows), totals,
          [this](const std::byte* value) { return bound_.total_result(TotalSlot::peek(value)); });
    } else {
      return nullptr;
    }
  }

 private:
  template <typename B>
  struct TotalType {
    using Type = std::int64_t;
  };
  template <HasTotals B>
  struct TotalType<B> {
    using Type = typename B::Total;
  };
  using Total = typename TotalType<Bound>::Type;
  using TotalSlot = SlotFor<Total, true>;
  static Total& total_at(std::byte* value) {
    return TotalSlot::get(value, [] { return Total{}; });
  }

  template <typename ResultOf>
  BatchPtr make_results(ColumnPtr starts, ColumnPtr ends, ColumnPtr times,
                        std::span<const TableScan::Entry> entries, ResultOf result_of) {
    std::vector<ColumnPtr> columns = decode_keys(codec_, entries);
    columns.push_back(std::move(starts));
    columns.push_back(std::move(ends));
    writer_.reserve(entries.size());
    for (const TableScan::Entry& entry : entries) writer_.append(result_of(entry.value));
    std::ranges::move(writer_.finish_columns(), std::back_inserter(columns));
    return std::make_shared<const Batch>(schema_of<Result>(), entries.size(), std::move(columns),
                                         std::move(times));
  }

  Bound bound_;
  KeyCodec codec_;
  RecordWriter<typename Bound::Result> writer_;
};

}  // namespace api_detail
}  // namespace tidemark
