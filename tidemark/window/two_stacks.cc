// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "tidemark/window/slice_reader.h"
#include "tidemark/window/window_contents.h"

// A window is split where it begins to lose slices. The front holds what the slices before the
// split come to, merged from the last to the first: each slice was merged in front of what was
// there, which is kept by slice, so that taking the first slice away is putting that back. The back
// holds the slices behind the split, merged as they came. A window is front and back merged. Memory
// is in proportion to the slices' entries, not to slices times keys.

namespace tidemark {
namespace {

constexpr std::size_t kNote = NotedValue::kNoteBytes;
// Batches of entries before others get their turn.
constexpr std::size_t kStepBatches = 32;

class TwoStacks final : public WindowContents {
 public:
  explicit TwoStacks(SliceTable& slices)
      : slices_(slices),
        values_(slices.aggregator->values()),
        noted_(std::make_shared<const NotedValue>(values_)),
        front_(scratch_.open(slices.descriptor, "front", noted_)),
        before_(scratch_.open(slices.descriptor, "before", noted_)),
        back_(scratch_.open(slices.descriptor, "back", values_)),
        both_(scratch_.open(slices.descriptor, "both", values_)),
        distinct_(slices.descriptor) {}

  void enter(EventTime window_end) override {
    const EventTime split = slices_.slices.split_of(window_end);
    const EventTime start = slices_.slices.window_start(window_end);
    if (split != split_ || last_ == kMinTime) restart(start, split);
    start_ = std::max(start_, start);
    queue_appends(last_, window_end);
    last_ = window_end;
    work_.push_back({Work::kJoinFront});
    work_.push_back({Work::kJoinBack});
  }

  void leave(EventTime window_end) override {
    if (both_used_) both_.drop(0);
    both_used_ = false;
    const EventTime next = slices_.slices.window_end_after(kMinTime, window_end);
    if (slices_.slices.split_of(next) != split_) return clear();
    start_ = slices_.slices.window_start(next);
    for (; !front_slices_.empty() && front_slices_.front() <= start_; front_slices_.pop_front())
      work_.push_back({Work::kPop, front_slices_.front()});
  }

  bool step() override {
    for (std::size_t batches = 0; !work_.empty(); ++batches) {
      if (batches == kStepBatches) return false;
      if (reader_ == nullptr) reader_ = open_reader();
      if (reader_ != nullptr && reader_->next()) {
        work_on(work_.front());
      } else {
        finish(work_.front());
        reader_.reset();
        work_.pop_front();
      }
    }
    return true;
  }

  std::unique_ptr<TableScan> scan() override {
    if (both_used_) return both_.scan(0);
    return front_slices_.empty() ? back_.scan(0) : front_.scan(0);
  }
  std::size_t value_offset() const override {
    return both_used_ || front_slices_.empty() ? 0 : kNote;
  }
  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    if (value_offset() == 0) return slices_.aggregator->fire(window, entries);
    fired_.assign(entries.begin(), entries.end());
    for (TableScan::Entry& entry : fired_) entry.value += value_offset();
    return slices_.aggregator->fire(window, fired_);
  }

  bool includes(EventTime slice_end) const override {
    return slice_end > start_ && slice_end <= last_;
  }
  void before_update(EventTime, const KeyBatch&, Selection) override {}
  // What the keys come to is made again from all slices: a merge cannot be changed in its middle.
  void after_update(EventTime slice_end, const KeyBatch& keys, Selection rows) override {
    const Selection distinct = distinct_.of(keys, rows);
    if (slice_end > split_) {
      remake_back(keys, distinct);
    } else {
      remake_front(slice_end, keys, distinct);
    }
  }
  std::size_t memory_bytes() const override { return scratch_.memory_bytes(); }

 private:
  struct Work {
    enum Kind : std::uint8_t { kPush, kPop, kAppend, kJoinFront, kJoinBack };
    Kind kind;
    EventTime slice_end = 0;
  };

  void clear() {
    front_.drop(0);
    back_.drop(0);
    for (const EventTime slice_end : front_slices_) before_.drop(slice_end);
    front_slices_.clear();
    has_back_ = false;
    start_ = last_ = split_ = kMinTime;
  }

  void restart(EventTime start, EventTime split) {
    clear();
    start_ = start;
    split_ = split;
    last_ = split;
    const auto first = slices_.pending.upper_bound(start);
    for (auto slice = slices_.pending.upper_bound(split); slice != first;) {
      work_.push_back({Work::kPush, *--slice});
      front_slices_.push_front(*slice);
    }
  }

  void queue_appends(EventTime after, EventTime until) {
    const auto end = slices_.pending.upper_bound(until);
    for (auto slice = slices_.pending.upper_bound(after); slice != end; ++slice) {
      work_.push_back({Work::kAppend, *slice});
      has_back_ = true;
    }
  }

  std::unique_ptr<EntryReader> open_reader() {
    const Work work = work_.front();
    const bool joins = !front_slices_.empty() && has_back_;
    switch (work.kind) {
      case Work::kPush:
      case Work::kAppend: return read(*slices_.table, work.slice_end);
      case Work::kPop: return read(before_, work.slice_end);
      case Work::kJoinFront: return joins ? read(front_, 0) : nullptr;
      case Work::kJoinBack: return joins ? read(back_, 0) : nullptr;
    }
    return nullptr;
  }
  std::unique_ptr<EntryReader> read(KeyedTable& table, StateNamespace ns) const {
    return std::make_unique<EntryReader>(table, slices_.descriptor.key_encoding, ns);
  }

  void work_on(const Work& work) {
    const KeyBatch& keys = reader_->keys();
    const Selection rows = reader_->rows();
    switch (work.kind) {
      case Work::kPush: return push(work.slice_end, keys, rows, reader_->values());
      case Work::kPop: return pop(keys, rows, reader_->values());
      case Work::kAppend: return merge_into(back_, keys, rows, reader_->values(), 0);
      case Work::kJoinFront: both_used_ = true; return join(keys, rows, kNote);
      case Work::kJoinBack: return join(keys, rows, 0);
    }
  }
  void finish(const Work& work) {
    if (work.kind == Work::kPop) before_.drop(work.slice_end);
  }

  void join(const KeyBatch& keys, Selection rows, std::size_t offset) {
    merge_into(both_, keys, rows, reader_->values(), offset);
  }

  void merge_into(KeyedTable& table, const KeyBatch& keys, Selection rows,
                  std::span<const std::byte* const> groups, std::size_t offset) {
    into_.resize(rows.size());
    table.find_or_insert(0, keys, rows, into_);
    groups_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) groups_[i] = groups[i] + offset;
    slices_.aggregator->merge_all(into_, groups_);
  }

  /// Merges a slice in front of all that is there. The note says whether there is anything.
  void push(EventTime slice_end, const KeyBatch& keys, Selection rows,
            std::span<const std::byte* const> groups) {
    const std::size_t width = values_->width();
    into_.resize(rows.size());
    front_.find_or_insert(0, keys, rows, into_);
    saved_.resize(rows.size());
    before_.find_or_insert(slice_end, keys, rows, saved_);
    behind_.clear();
    behind_into_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Values are moved by their bytes, as tables move them.
      std::memcpy(saved_[i], into_[i], kNote + width);
      std::memset(into_[i], 0, kNote + width);
      NotedValue::note(into_[i]) = 1;
      into_[i] += kNote;
      if (NotedValue::note(saved_[i]) == 0) continue;
      behind_.push_back(saved_[i] + kNote);
      behind_into_.push_back(into_[i]);
    }
    slices_.aggregator->merge_all(into_, groups);
    slices_.aggregator->merge_all(behind_into_, behind_);
  }

  void pop(const KeyBatch& keys, Selection rows, std::span<const std::byte* const> saved) {
    into_.resize(rows.size());
    front_.find_or_insert(0, keys, rows, into_);
    gone_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (NotedValue::note(saved[i]) == 0) {
        gone_.push_back(rows[i]);
        continue;
      }
      std::byte* before = const_cast<std::byte*>(saved[i]);  // an entry of before_, which is ours
      values_->destroy(into_[i] + kNote);
      std::memcpy(into_[i] + kNote, before + kNote, values_->width());
      std::memset(before + kNote, 0, values_->width());
    }
    if (!gone_.empty()) front_.erase(0, keys, gone_);
  }

  void remake_back(const KeyBatch& keys, Selection rows) {
    back_.erase(0, keys, rows);
    const auto end = slices_.pending.upper_bound(last_);
    for (auto slice = slices_.pending.upper_bound(split_); slice != end; ++slice)
      if (find_present(*slice, keys, rows)) merge_into(back_, keys, present_, present_groups_, 0);
    has_back_ = true;
  }

  void remake_front(EventTime slice_end, const KeyBatch& keys, Selection rows) {
    const auto place = std::lower_bound(front_slices_.begin(), front_slices_.end(), slice_end);
    if (place == front_slices_.end() || *place != slice_end) front_slices_.insert(place, slice_end);
    front_.erase(0, keys, rows);
    for (const EventTime slice : front_slices_) before_.erase(slice, keys, rows);
    for (auto slice = front_slices_.rbegin(); slice != front_slices_.rend(); ++slice)
      if (find_present(*slice, keys, rows)) push(*slice, keys, present_, present_groups_);
  }

  /// Those of `rows` that have an entry in the slice; false when none has.
  bool find_present(EventTime slice_end, const KeyBatch& keys, Selection rows) {
    found_.resize(rows.size());
    slices_.table->find(slice_end, keys, rows, found_);
    present_.clear();
    present_groups_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found_[i] == nullptr) continue;
      present_.push_back(rows[i]);
      present_groups_.push_back(found_[i]);
    }
    return !present_.empty();
  }

  SliceTable& slices_;
  std::shared_ptr<const ValueOperations> values_;
  std::shared_ptr<const ValueOperations> noted_;
  ScratchTables scratch_;
  KeyedTable& front_;   // noted 1
  KeyedTable& before_;  // by slice: what was in front_ before the slice, noted 1, or nothing, 0
  KeyedTable& back_;
  KeyedTable& both_;
  DistinctRows distinct_;

  // Made of the slices that end in (start_, last_].
  EventTime start_ = kMinTime;
  EventTime split_ = kMinTime;
  EventTime last_ = kMinTime;
  std::deque<EventTime> front_slices_;  // ascending
  bool has_back_ = false;
  bool both_used_ = false;
  std::deque<Work> work_;
  std::unique_ptr<EntryReader> reader_;

  // Reused from batch to batch.
  std::vector<std::byte*> into_;
  std::vector<std::byte*> saved_;
  std::vector<const std::byte*> groups_;
  std::vector<const std::byte*> behind_;
  std::vector<std::byte*> behind_into_;
  std::vector<RowIndex> gone_;
  std::vector<const std::byte*> found_;
  std::vector<RowIndex> present_;
  std::vector<const std::byte*> present_groups_;
  std::vector<TableScan::Entry> fired_;
};

}  // namespace

std::unique_ptr<WindowContents> make_two_stacks(SliceTable& slices) {
  return std::make_unique<TwoStacks>(slices);
}

}  // namespace tidemark
