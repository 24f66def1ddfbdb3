// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "tidemark/operator/operator.h"
#include "tidemark/window/changed_keys.h"
#include "tidemark/window/window_changelog.h"
#include "tidemark/window/window_firing.h"
#include "tidemark/window/window_refiring.h"

namespace tidemark {

/// When the windows of an operator speak: when they are complete, again for late rows, and before
/// for early results; at once, or when a delay of processing time has passed. Belongs to a window
/// operator; its thread.
class WindowEmission {
 public:
  /// Opens a table for what windows have said where later results depend on it.
  WindowEmission(SliceTable& slices, const WindowOperatorDescription& description,
                 OperatorContext& context);

  EventTime complete() const noexcept { return firing_->complete(); }
  EventTime expired() const noexcept { return firing_->expired(); }
  bool active() const noexcept { return refiring_->active() || draining() || advance_to_; }

  void restore(EventTime complete, EventTime expired);

  /// Before the rows of a batch are added: `parts` are those that are not late.
  void before_batch(const KeyBatch& keys, std::span<const SliceRows> parts);
  void before_update(const KeyBatch& keys, const SliceRows& part) {
    firing_->before_update(part.slice_end, keys, part.rows);
  }
  void after_update(const KeyBatch& keys, const SliceRows& part) {
    firing_->after_update(part.slice_end, keys, part.rows);
  }
  /// After they were added. `keys` and `parts` stay as they are until all is said.
  void after_batch(const KeyBatch& keys, std::span<const SliceRows> parts);
  /// Time has come to `complete`; see WindowFiring::begin().
  void advance_to(EventTime complete, EventTime expired);
  void on_processing_time(ProcessingTime now);
  ProcessingTime next_processing_time() const;

  /// Says what there is to say while the output has room.
  Step advance(Output& out);

 private:
  bool draining() const noexcept { return drain_early_ || drain_late_; }
  bool has_fired(const SliceRows& part) const;
  bool is_open(const SliceRows& part) const;
  bool late_changes_expire(EventTime expired) const;
  bool take_changed();

  SliceTable& slices_;
  const Clock* clock_;
  bool updating_;
  bool early_at_once_;
  bool late_at_once_;
  /// Of the operator's state: what windows said is needed as long as they live.
  std::optional<WindowChangelog> kept_;
  /// Or of the batch alone: windows speak after every change.
  std::unique_ptr<ScratchTables> scratch_;
  std::optional<WindowChangelog> of_batch_;
  std::optional<ChangedKeys> early_;
  std::optional<ChangedKeys> late_;
  std::unique_ptr<WindowFiring> firing_;
  std::unique_ptr<WindowRefiring> refiring_;

  bool drain_early_ = false;
  bool drain_late_ = false;
  struct Target {
    EventTime complete;
    EventTime expired;
  };
  std::optional<Target> advance_to_;
  std::vector<SliceRows> touched_;
};

}  // namespace tidemark
