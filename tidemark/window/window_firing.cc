// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_firing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

std::unique_ptr<WindowContents> make_contents(SliceTable& slices, bool compares) {
  if (slices.slices.one_a_window()) return make_single_slice(slices);
  // Nothing is ever taken out of a window that only grows: merging as slices come is cheapest. What
  // is compared with what was said before has to be an accumulator.
  if (slices.slices.slides() && !compares && slices.aggregator->totals() != nullptr)
    return make_running_total(slices);
  return make_two_stacks(slices);
}

}  // namespace

WindowFiring::WindowFiring(SliceTable& slices, WindowChangelog* changelog)
    : slices_(slices),
      changelog_(changelog),
      contents_(make_contents(slices, changelog != nullptr)),
      entries_(kDefaultBatchRows),
      rows_(kDefaultBatchRows) {
  std::iota(rows_.begin(), rows_.end(), RowIndex{0});
}

void WindowFiring::restore(EventTime complete, EventTime expired) {
  complete_ = fired_ = complete;
  expired_ = expired;
  for (const StateNamespace slice_end : slices_.table->namespaces())
    slices_.pending.insert(slice_end);
}

void WindowFiring::begin(EventTime complete, EventTime expired) {
  TIDEMARK_CHECK(!active_, "one firing at a time");
  fired_ = complete_;
  complete_ = complete;
  expired_ = expired;
  active_ = true;
  phase_ = Phase::kNextWindow;
}

Step WindowFiring::advance(Output& out) {
  for (;;) {
    switch (phase_) {
      case Phase::kNextWindow: {
        const std::optional<EventTime> window_end = next_window();
        if (!window_end) {
          drop_expired(expired_);
          active_ = false;
          return Step::kDone;
        }
        window_end_ = *window_end;
        contents_->enter(window_end_);
        phase_ = Phase::kEntering;
        break;
      }
      case Phase::kEntering:
        if (!contents_->step()) return Step::kMore;
        scan_ = contents_->scan();
        phase_ = Phase::kEmitting;
        break;
      case Phase::kEmitting:
        if (!emit(out)) return Step::kMore;
        fired_ = window_end_;
        contents_->leave(window_end_);
        phase_ = Phase::kLeaving;
        break;
      case Phase::kLeaving:
        if (!contents_->step()) return Step::kMore;
        drop_expired(std::min(expired_, fired_));
        phase_ = Phase::kNextWindow;
        break;
    }
  }
}

/// False when the output is full and there may be more.
bool WindowFiring::emit(Output& out) {
  const TimeWindow window{slices_.slices.window_start(window_end_), window_end_};
  while (const std::size_t count = scan_->next(entries_)) {
    BatchPtr batch = fire(window, count);
    if (batch == nullptr) continue;
    out.emit(std::move(batch));
    if (!out.ready()) return false;
  }
  scan_.reset();
  return true;
}

BatchPtr WindowFiring::fire(TimeWindow window, std::size_t count) {
  if (changelog_ == nullptr) return contents_->fire(window, {entries_.data(), count});
  clear_keys(slices_.descriptor.key_encoding, keys_);
  values_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    append_key(entries_[i], keys_);
    values_[i] = entries_[i].value + contents_->value_offset();
  }
  hash_keys(keys_);
  return changelog_->say(window, keys_, {rows_.data(), count}, values_);
}

// The ends of windows grow with the slices they begin from, so the first slice with a window that
// has not fired names the next one.
std::optional<EventTime> WindowFiring::next_window() const {
  const Slices& slices = slices_.slices;
  const EventTime next = slices.window_end_after(kMinTime, fired_);
  for (auto slice = slices_.pending.upper_bound(slices.window_start(next));
       slice != slices_.pending.end(); ++slice) {
    const EventTime window_end = slices.window_end_after(*slice, fired_);
    if (window_end > complete_) return std::nullopt;
    if (window_end <= slices.last_window_end(*slice) && window_end > fired_) return window_end;
  }
  return std::nullopt;
}

void WindowFiring::drop_expired(EventTime bound) {
  std::set<EventTime>& pending = slices_.pending;
  while (!pending.empty() && *slices_.slices.last_window_end(*pending.begin()) <= bound) {
    slices_.table->drop(*pending.begin());
    pending.erase(pending.begin());
  }
  if (changelog_ != nullptr) changelog_->forget_through(bound);
}

bool WindowFiring::in_contents(EventTime slice_end) const {
  return contents_->includes(slice_end) && slices_.slices.last_window_end(slice_end) > complete_;
}

void WindowFiring::before_update(EventTime slice_end, const KeyBatch& keys, Selection rows) {
  if (in_contents(slice_end)) contents_->before_update(slice_end, keys, rows);
}

void WindowFiring::after_update(EventTime slice_end, const KeyBatch& keys, Selection rows) {
  slices_.pending.insert(slice_end);
  if (in_contents(slice_end)) contents_->after_update(slice_end, keys, rows);
}

}  // namespace tidemark
