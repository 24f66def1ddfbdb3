// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_contents.h"

#include "tidemark/window/slice_reader.h"

namespace tidemark {
namespace {

class SingleSlice final : public WindowContents {
 public:
  explicit SingleSlice(SliceTable& slices) : slices_(slices) {}

  void enter(EventTime window_end) override { slice_ = window_end; }
  void leave(EventTime) override {}
  bool step() override { return true; }
  std::unique_ptr<TableScan> scan() override { return slices_.table->scan(slice_); }
  std::size_t value_offset() const override { return 0; }
  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    return slices_.aggregator->fire(window, entries);
  }
  bool includes(EventTime) const override { return false; }
  void before_update(EventTime, const KeyBatch&, Selection) override {}
  void after_update(EventTime, const KeyBatch&, Selection) override {}
  std::size_t memory_bytes() const override { return 0; }

 private:
  SliceTable& slices_;
  EventTime slice_ = kMinTime;
};

class RunningTotal final : public WindowContents {
 public:
  explicit RunningTotal(SliceTable& slices)
      : slices_(slices),
        totals_(scratch_.open(slices.descriptor, "totals",
                              std::make_shared<const NotedValue>(slices.aggregator->totals()))),
        distinct_(slices.descriptor) {}

  void enter(EventTime window_end) override {
    start_ = std::max(start_, slices_.slices.window_start(window_end));
    last_ = std::max(last_, start_);
    queue(last_, window_end, /*add=*/true);
    last_ = window_end;
  }
  void leave(EventTime window_end) override {
    const EventTime next = slices_.slices.window_end_after(kMinTime, window_end);
    const EventTime next_start = slices_.slices.window_start(next);
    queue(start_, std::min(next_start, last_), /*add=*/false);
    start_ = next_start;
  }
  bool step() override {
    for (std::size_t batches = 0; at_ < work_.size(); ++batches) {
      if (batches == kStepBatches) return false;
      if (reader_ == nullptr)
        reader_ = std::make_unique<EntryReader>(*slices_.table, slices_.descriptor.key_encoding,
                                                work_[at_]);
      if (reader_->next()) {
        change(reader_->keys(), reader_->rows(), reader_->values(), adding_, /*erase=*/true);
      } else {
        reader_.reset();
        ++at_;
      }
    }
    return true;
  }

  std::unique_ptr<TableScan> scan() override { return totals_.scan(0); }
  std::size_t value_offset() const override { return NotedValue::kNoteBytes; }
  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    fired_.assign(entries.begin(), entries.end());
    for (TableScan::Entry& entry : fired_) entry.value += NotedValue::kNoteBytes;
    return slices_.aggregator->fire_totals(window, fired_);
  }

  bool includes(EventTime slice_end) const override {
    return slice_end > start_ && slice_end <= last_;
  }
  // What the keys had in the slice is taken out, and what they have then put in.
  void before_update(EventTime slice_end, const KeyBatch& keys, Selection rows) override {
    change_slice(slice_end, keys, rows, /*add=*/false);
  }
  void after_update(EventTime slice_end, const KeyBatch& keys, Selection rows) override {
    change_slice(slice_end, keys, rows, /*add=*/true);
  }
  std::size_t memory_bytes() const override { return scratch_.memory_bytes(); }

 private:
  // Entries looked at before others get their turn.
  static constexpr std::size_t kStepBatches = 32;

  void queue(EventTime after, EventTime until, bool add) {
    work_.assign(slices_.pending.upper_bound(after), slices_.pending.upper_bound(until));
    at_ = 0;
    adding_ = add;
  }

  /// A total counts the slices it is made of: without any it is no part of the window.
  void change(const KeyBatch& keys, Selection rows, std::span<const std::byte* const> groups,
              bool add, bool erase) {
    totals_at_.resize(rows.size());
    totals_.find_or_insert(0, keys, rows, totals_at_);
    gone_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::int64_t& slices = NotedValue::note(totals_at_[i]);
      slices += add ? 1 : -1;
      if (slices == 0) gone_.push_back(rows[i]);
      totals_at_[i] += NotedValue::kNoteBytes;
    }
    if (add) {
      slices_.aggregator->add(totals_at_, groups);
    } else {
      slices_.aggregator->subtract(totals_at_, groups);
    }
    if (erase && !gone_.empty()) totals_.erase(0, keys, gone_);
  }

  void change_slice(EventTime slice_end, const KeyBatch& keys, Selection rows, bool add) {
    const Selection distinct = distinct_.of(keys, rows);
    found_.resize(distinct.size());
    slices_.table->find(slice_end, keys, distinct, found_);
    present_.clear();
    groups_.clear();
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      if (found_[i] == nullptr) continue;
      present_.push_back(distinct[i]);
      groups_.push_back(found_[i]);
    }
    if (!present_.empty()) change(keys, present_, groups_, add, /*erase=*/false);
  }

  SliceTable& slices_;
  ScratchTables scratch_;
  KeyedTable& totals_;
  DistinctRows distinct_;

  // Made of the slices that end in (start_, last_].
  EventTime start_ = kMinTime;
  EventTime last_ = kMinTime;
  std::vector<EventTime> work_;
  std::size_t at_ = 0;
  bool adding_ = true;
  std::unique_ptr<EntryReader> reader_;

  // Reused from batch to batch.
  std::vector<std::byte*> totals_at_;
  std::vector<RowIndex> gone_;
  std::vector<TableScan::Entry> fired_;
  std::vector<const std::byte*> found_;
  std::vector<RowIndex> present_;
  std::vector<const std::byte*> groups_;
};

}  // namespace

std::unique_ptr<WindowContents> make_single_slice(SliceTable& slices) {
  return std::make_unique<SingleSlice>(slices);
}

std::unique_ptr<WindowContents> make_running_total(SliceTable& slices) {
  return std::make_unique<RunningTotal>(slices);
}

}  // namespace tidemark
