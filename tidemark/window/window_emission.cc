// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_emission.h"

#include <algorithm>

#include "tidemark/base/check.h"

namespace tidemark {

WindowEmission::WindowEmission(SliceTable& slices, const WindowOperatorDescription& description,
                               OperatorContext& context)
    : slices_(slices),
      clock_(context.clock),
      updating_(description.updating),
      early_at_once_(description.early_fire_delay == 0),
      late_at_once_(description.late_fire_delay <= 0) {
  const bool keeps = description.early_fire_delay >= 0 || !late_at_once_;
  if (keeps) {
    TIDEMARK_CHECK(updating_, "early and delayed results are a changelog");
    kept_.emplace(slices,
                  context.keyed_state->open_table({.name = "window-said",
                                                   .key_encoding = slices.descriptor.key_encoding,
                                                   .values = slices.descriptor.values,
                                                   .schema = slices.descriptor.schema}));
  } else if (updating_) {
    scratch_ = std::make_unique<ScratchTables>();
    of_batch_.emplace(slices, scratch_->open(slices.descriptor, "said", slices.descriptor.values));
  }
  if (description.early_fire_delay > 0)
    early_.emplace(slices.descriptor, description.early_fire_delay);
  if (!late_at_once_) late_.emplace(slices.descriptor, description.late_fire_delay);
  firing_ = std::make_unique<WindowFiring>(slices, kept_ ? &*kept_ : nullptr);
  WindowChangelog* const changelog = kept_ ? &*kept_ : of_batch_ ? &*of_batch_ : nullptr;
  refiring_ = std::make_unique<WindowRefiring>(slices, changelog);
}

// Which keys had changed is not in the snapshot: all may have, and what they say is compared with
// what they said.
void WindowEmission::restore(EventTime complete, EventTime expired) {
  firing_->restore(complete, expired);
  if (kept_) kept_->restore();
  for (const EventTime slice_end : slices_.pending) {
    EntryReader reader(*slices_.table, slices_.descriptor.key_encoding, slice_end);
    while ((early_ || late_) && reader.next()) {
      const SliceRows part{slice_end, reader.rows()};
      if (early_ && is_open(part)) early_->add(slice_end, reader.keys(), part.rows, clock_->now());
      if (late_ && has_fired(part)) late_->add(slice_end, reader.keys(), part.rows, clock_->now());
    }
  }
}

/// Whether a window with the slice has fired, and may do so again.
bool WindowEmission::has_fired(const SliceRows& part) const {
  return slices_.slices.window_end_after(part.slice_end, expired()) <= complete();
}

/// Whether a window with the slice has still to fire.
bool WindowEmission::is_open(const SliceRows& part) const {
  return slices_.slices.last_window_end(part.slice_end) > complete();
}

void WindowEmission::before_batch(const KeyBatch& keys, std::span<const SliceRows> parts) {
  touched_.clear();
  for (const SliceRows& part : parts)
    if (has_fired(part)) touched_.push_back(part);
  if (of_batch_ && !touched_.empty()) refiring_->remember(keys, touched_, expired(), complete());
}

void WindowEmission::after_batch(const KeyBatch& keys, std::span<const SliceRows> parts) {
  for (const SliceRows& part : parts)
    if (early_ && is_open(part)) early_->add(part.slice_end, keys, part.rows, clock_->now());
  if (late_)
    for (const SliceRows& part : touched_)
      late_->add(part.slice_end, keys, part.rows, clock_->now());
  const EventTime after = late_at_once_ ? expired() : complete();
  const EventTime until = early_at_once_ ? kMaxTime : complete();
  const std::span<const SliceRows> speaking = early_at_once_ ? parts : touched_;
  if (after < until && !speaking.empty()) refiring_->begin(keys, speaking, after, until);
}

void WindowEmission::advance_to(EventTime complete, EventTime expired) {
  TIDEMARK_CHECK(!active(), "one step at a time");
  // What late rows changed is said before it is too late to say it.
  drain_late_ = late_ && late_changes_expire(expired);
  advance_to_ = Target{complete, expired};
}

bool WindowEmission::late_changes_expire(EventTime next) const {
  return std::any_of(late_->slices().begin(), late_->slices().end(), [&](EventTime slice_end) {
    return slices_.slices.window_end_after(slice_end, expired()) <= next;
  });
}

void WindowEmission::on_processing_time(ProcessingTime now) {
  drain_early_ = early_ && early_->due() <= now;
  drain_late_ = late_ && late_->due() <= now;
}

ProcessingTime WindowEmission::next_processing_time() const {
  return std::min(early_ ? early_->due() : kMaxTime, late_ ? late_->due() : kMaxTime);
}

/// Begins to fire the next keys that waited; false when there are none.
bool WindowEmission::take_changed() {
  if (drain_late_) {
    if (late_->take()) {
      refiring_->begin(late_->keys(), late_->part(), expired(), complete());
      return true;
    }
    drain_late_ = false;
  }
  if (drain_early_) {
    if (early_->take()) {
      refiring_->begin(early_->keys(), early_->part(), complete(), kMaxTime);
      return true;
    }
    drain_early_ = false;
  }
  return false;
}

Step WindowEmission::advance(Output& out) {
  do {
    if (refiring_->active() && refiring_->advance(out) == Step::kMore) return Step::kMore;
  } while (take_changed());
  if (of_batch_) of_batch_->forget_through(kMaxTime);
  if (!advance_to_) return Step::kDone;
  if (!firing_->active()) firing_->begin(advance_to_->complete, advance_to_->expired);
  if (firing_->advance(out) == Step::kMore) return Step::kMore;
  advance_to_.reset();
  return Step::kDone;
}

}  // namespace tidemark
