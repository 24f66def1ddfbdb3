// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/general_window_state.h"
#include "tidemark/api/triggers.h"
#include "tidemark/api/window_aggregator.h"
#include "tidemark/api/window_function.h"
#include "tidemark/window/general_window_core.h"

namespace tidemark::api_detail {

/// Windows of any assigner, trigger, contents and function (flink_semantics 2.4 to 2.6). For each
/// row and each of its windows: the row is added, the trigger is asked, the result is said and the
/// contents are forgotten as it decides. A window is forgotten at its end plus the allowed
/// lateness, whether it has fired or not. Rows are taken one by one; what is shared by them is done
/// by the batch.
template <typename T, typename K, typename Assigner, typename Contents, typename Trigger,
          typename Function>
class GeneralWindowOperator final : public Operator {
  using TriggerState = typename Trigger::State;
  using WindowState = typename Function::WindowState;
  using KeyState = typename Function::KeyState;
  using Kept = KeptWindow<typename Contents::State, TriggerState, WindowState>;
  using Windows = KeyWindows<Kept, KeyState>;
  using Slot = OwnedSlot<Windows>;
  using Row = typename Function::Row;
  static constexpr bool kKeepsKeys = !std::is_same_v<KeyState, NoState>;

  static_assert(is_encodable<TriggerState>() && is_encodable<WindowState>() &&
                    is_encodable<KeyState>(),
                "the state of triggers and functions goes into snapshots: make it trivially "
                "copyable, or describe it with BOOST_DESCRIBE_STRUCT");
  static_assert(!holds_view<TriggerState>() && !holds_view<WindowState>() &&
                    !holds_view<KeyState>(),
                "the state of triggers and functions outlives the rows: hold std::string");
  static_assert(!Assigner::kMerging || MergingTrigger<Trigger>,
                "sessions grow together: their trigger needs on_merge()");
  static_assert(!Assigner::kMerging || Contents::kMergeable,
                "sessions grow together: their aggregate needs merge()");
  static_assert(!Assigner::kMerging || std::is_same_v<WindowState, NoState>,
                "sessions grow together: their function has no state of its window");

 public:
  GeneralWindowOperator(std::shared_ptr<const GeneralWindowDescription> description,
                        Assigner assigner, Contents contents, Trigger trigger, Function function)
      : core_(std::move(description), assigner.time(), assigner.forgets()),
        assigner_(std::move(assigner)),
        contents_(std::move(contents)),
        trigger_(std::move(trigger)),
        function_(std::move(function)) {}

  void open(OperatorContext& context) override {
    core_.open(context, std::make_shared<const SlotOperations<Slot>>(),
               contents_.describe() + "; " + assigner_.describe());
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    if (batch->rows() == 0) return Step::kDone;
    core_.begin_rows(*batch);
    batch_ = batch;
    next_row_ = chunk_end_ = 0;
    late_.clear();
    rows_.attach(*batch);
    contents_.attach(*batch);
    attach_keys(*batch);
    return resume(out);
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    core_.begin_watermark(watermark);
    return resume(out);
  }
  Step on_processing_time(ProcessingTime now, Output& out) override {
    core_.begin_processing_time(now);
    return resume(out);
  }
  ProcessingTime next_processing_time() const override { return core_.next_processing_time(); }

  Step resume(Output& out) override {
    if (batch_ != nullptr) return add_rows(out);
    if (fire_woken(out) == Step::kMore) return Step::kMore;
    out.emit_watermark(core_.clocks().watermark);
    return Step::kDone;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override { return core_.snapshot(); }
  void restore(const SnapshotReader& reader) override {
    core_.restore_watermark(reader);
    std::vector<TableScan::Entry> entries(kDefaultBatchRows);
    const std::unique_ptr<TableScan> scan = core_.table().scan(0);
    while (const std::size_t count = scan->next(entries))
      for (std::size_t i = 0; i < count; ++i)
        for (const Kept& kept : Slot::peek(entries[i].value).windows)
          core_.note_restored(entries[i], kept.window, kept.timers);
  }

 private:
  // ---- Rows ----

  Step add_rows(Output& out) {
    while (next_row_ < batch_->rows()) {
      if (next_row_ == chunk_end_) begin_chunk(core_.look_up_rows(next_row_));
      const std::size_t place = next_row_ - chunk_begin_;
      core_.at(place);
      add_row(windows_at(place), next_row_++);
      if (next_row_ == chunk_end_) end_chunk();
      if (out_.rows() < kDefaultBatchRows) continue;
      flush(out);
      if (!out.ready()) return Step::kMore;
    }
    flush(out);
    if (!late_.empty()) divert_late(out);
    batch_ = nullptr;
    return Step::kDone;
  }

  void add_row(Windows& key, std::size_t row) {
    const T record = rows_.row(row);
    const EventTime time = core_.event_time(row);
    assigned_.clear();
    assigner_.assign(record, core_.window_time(row), assigned_);
    bool accepted = false;
    for (const TimeWindow window : assigned_) {
      Kept* kept = window_for(key, window);
      if (kept == nullptr) continue;
      accepted = true;
      contents_.add(kept->contents, row, record, time);
      TriggerContext context(core_.clocks(), kept->timers);
      decide(trigger_.on_element(kept->trigger, record, time, kept->window, context), key, *kept,
             row);
    }
    if (accepted) return;
    if (assigned_.empty()) {
      core_.metrics().unassigned.add(1);
    } else {
      late_.push_back(static_cast<RowIndex>(row));
    }
  }

  /// The key's window that a row of `window` goes to; nullptr when the row is late for it.
  Kept* window_for(Windows& key, TimeWindow window) {
    if constexpr (Assigner::kMerging) {
      return merge_in(key, window);
    } else {
      if (core_.is_late(window)) return nullptr;
      const auto at = std::lower_bound(
          key.windows.begin(), key.windows.end(), window,
          [](const Kept& kept, TimeWindow w) { return kept.window.start < w.start; });
      if (at != key.windows.end() && at->window == window) return &*at;
      return make_window(key, at, window);
    }
  }

  Kept* make_window(Windows& key, typename std::vector<Kept>::iterator at, TimeWindow window) {
    Kept fresh{};
    fresh.window = window;
    core_.note_end(window);
    return &*key.windows.insert(at, std::move(fresh));
  }

  // Windows of a key do not touch, so those that a new one touches stand next to each other.
  Kept* merge_in(Windows& key, TimeWindow window) {
    const auto first = std::find_if(key.windows.begin(), key.windows.end(), [&](const Kept& kept) {
      return kept.window.end >= window.start;
    });
    auto last = first;
    TimeWindow merged = window;
    for (; last != key.windows.end() && last->window.start <= window.end; ++last) {
      merged.start = std::min(merged.start, last->window.start);
      merged.end = std::max(merged.end, last->window.end);
    }
    if (first == last) return core_.is_late(window) ? nullptr : make_window(key, first, window);
    if (last - first == 1 && first->window == merged) return &*first;
    for (auto other = first + 1; other != last; ++other) {
      contents_.merge(first->contents, other->contents);
      call_merge(trigger_, first->trigger, other->trigger);
    }
    first->window = merged;
    first->timers = {};
    key.windows.erase(first + 1, last);
    if constexpr (MergingTrigger<Trigger>) {
      TriggerContext context(core_.clocks(), first->timers);
      trigger_.on_merge(first->trigger, merged, context);
    }
    core_.note_end(merged);
    return &*first;
  }

  void divert_late(Output& out) {
    if (core_.description().late_side_output) {
      core_.metrics().late_side_output.add(late_.size());
      out.emit_side(1, gather(*batch_, late_));
    } else {
      core_.metrics().late_dropped.add(late_.size());
    }
  }

  // ---- Timers ----

  Step fire_woken(Output& out) {
    for (;;) {
      if (next_woken_ == chunk_size_) {
        if (chunk_size_ > 0) end_chunk();
        begin_woken();
        if (chunk_size_ == 0) break;
      }
      core_.at(next_woken_);
      wake(windows_at(next_woken_), next_woken_);
      ++next_woken_;
      if (out_.rows() < kDefaultBatchRows) continue;
      flush(out);
      if (!out.ready()) return Step::kMore;
    }
    flush(out);
    return Step::kDone;
  }

  void begin_woken() {
    const std::size_t count = core_.look_up_woken();
    chunk_begin_ = next_woken_ = 0;
    chunk_size_ = count;
    if (count == 0) return;
    std::vector<TableScan::Entry> entries;
    for (std::size_t i = 0; i < count; ++i) entries.push_back(entry_of(core_.keys(), i));
    key_batch_ =
        std::make_shared<const Batch>(schema_of<K>(), count, decode_keys(core_.codec(), entries));
    keys_.attach(*key_batch_);
  }

  void wake(Windows& key, std::size_t key_row) {
    const EventTime time = core_.woken_for();
    const bool by_event = core_.woken_by_event_time();
    for (std::size_t i = 0; i < key.windows.size();) {
      Kept& kept = key.windows[i];
      const bool ends = time == core_.kept_until(kept.window) &&
                        (by_event ? core_.by_event_time() : core_.by_processing_time());
      const bool waited = remove_time(by_event ? kept.timers.event : kept.timers.processing, time);
      if (waited || ends) {
        TriggerContext context(core_.clocks(), kept.timers);
        decide(by_event ? call_event_time(trigger_, kept.trigger, time, kept.window, context)
                        : call_processing_time(trigger_, kept.trigger, time, kept.window, context),
               key, kept, key_row);
      }
      if (ends) {
        forget(key, i);
      } else {
        ++i;
      }
    }
  }

  void forget(Windows& key, std::size_t index) {
    Kept& kept = key.windows[index];
    function_.clear(function_context(key, kept));
    TriggerContext context(core_.clocks(), kept.timers);
    call_clear(trigger_, kept.trigger, kept.window, context);
    key.windows.erase(key.windows.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // ---- Results ----

  void decide(TriggerResult result, Windows& key, Kept& kept, std::size_t key_row) {
    if (fires(result) && !contents_.empty(kept.contents)) {
      contents_.fire(kept.contents, kept.window, [&](const typename Contents::Result& input) {
        function_.call(keys_.row(key_row), function_context(key, kept), input, out_);
      });
      out_times_.resize(out_.rows(), last_time(kept.window));
    }
    if (purges(result)) kept.contents = {};
  }

  StatefulWindowContext<WindowState, KeyState> function_context(Windows& key, Kept& kept) {
    return {WindowContext(kept.window, core_.clocks()), kept.state, key.state};
  }

  void flush(Output& out) {
    if (out_.rows() == 0) return;
    const BatchPtr made = out_.finish();
    const auto timed =
        std::make_shared<const Batch>(made->schema_ptr(), made->rows(), made->columns(),
                                      make_time_column(out_times_.data(), out_times_.size()));
    out_times_.clear();
    // One firing may have made more rows than a batch may have.
    for (std::size_t begin = 0; begin < timed->rows(); begin += kMaxBatchRows)
      out.emit(slice(timed, begin, std::min(kMaxBatchRows, timed->rows() - begin)));
  }

  // ---- The chunk at hand ----

  void begin_chunk(std::size_t count) {
    chunk_begin_ = next_row_;
    chunk_end_ = next_row_ + count;
    chunk_size_ = count;
  }

  Windows& windows_at(std::size_t place) {
    return Slot::get(core_.entry(place), [] { return Windows{}; });
  }

  // Keys without windows leave nothing behind, and windows that never end nothing but what a fresh
  // one would not have.
  void end_chunk() {
    std::vector<std::size_t> empty;
    for (std::size_t place = 0; place < chunk_size_; ++place) {
      std::vector<Kept>& windows = windows_at(place).windows;
      if (!assigner_.forgets())
        std::erase_if(windows, [&](const Kept& kept) { return is_fresh(kept); });
      if (!kKeepsKeys && windows.empty()) empty.push_back(place);
    }
    core_.erase(empty);
    chunk_size_ = next_woken_ = 0;
  }

  bool is_fresh(const Kept& kept) const {
    if (!contents_.empty(kept.contents) || !kept.timers.empty() ||
        !std::is_same_v<WindowState, NoState>)
      return false;
    ByteWriter state, fresh;
    encode_value(kept.trigger, state);
    encode_value(TriggerState{}, fresh);
    return state.view() == fresh.view();
  }

  void attach_keys(const Batch& batch) {
    std::vector<ColumnPtr> columns;
    for (const std::size_t column : core_.description().key_columns)
      columns.push_back(batch.column_ptr(column));
    key_batch_ = std::make_shared<const Batch>(schema_of<K>(), batch.rows(), std::move(columns));
    keys_.attach(*key_batch_);
  }

  GeneralWindowCore core_;
  Assigner assigner_;
  Contents contents_;
  Trigger trigger_;
  Function function_;

  // The rows at hand.
  BatchPtr batch_;
  std::size_t next_row_ = 0;
  RecordReader<T> rows_;
  std::vector<TimeWindow> assigned_;
  std::vector<RowIndex> late_;

  // The chunk of rows or of woken keys at hand, and their keys.
  std::size_t chunk_begin_ = 0;
  std::size_t chunk_end_ = 0;
  std::size_t chunk_size_ = 0;
  std::size_t next_woken_ = 0;
  BatchPtr key_batch_;
  RecordReader<K> keys_;

  Collector<Row> out_;
  std::vector<EventTime> out_times_;
};

}  // namespace tidemark::api_detail
