// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

namespace event = checkpoint_event;
namespace action = checkpoint_action;

/// One step: the state, and the actions so far.
class Step {
 public:
  explicit Step(CheckpointState& state) : state_(state) {}

  std::vector<CheckpointAction> run(const CheckpointEvent& event) {
    now_ = std::visit([](const auto& e) { return e.now; }, event);
    follow_clock();
    std::visit([this](const auto& e) { on(e); }, event);
    expire();
    trigger_if_due();
    schedule_wake();
    return std::move(actions_);
  }

 private:
  /// Deadlines are lengths of time from some event; a clock set back by an hour must not make the
  /// next checkpoint an hour late.
  void follow_clock() {
    if (now_ < state_.last_now) {
      const Millis back = saturating_sub(state_.last_now, now_);
      for (ProcessingTime* time : {&state_.next_due, &state_.requested_due})
        if (*time != kMaxTime) *time = saturating_sub(*time, back);
      if (state_.pending) state_.pending->started = saturating_sub(state_.pending->started, back);
      state_.wake_at = kMaxTime;
    }
    state_.last_now = now_;
    if (now_ >= state_.wake_at) state_.wake_at = kMaxTime;
  }

  void on(const event::Start& start) {
    TIDEMARK_CHECK(!state_.pending, "an attempt starts while a checkpoint is pending");
    TIDEMARK_CHECK(std::is_sorted(start.completed.begin(), start.completed.end()),
                   "completed checkpoints are not in order");
    state_.active = true;
    state_.requested.reset();
    state_.requested_due = kMaxTime;
    state_.savepoint_requested = false;
    state_.running = start.subtasks;
    state_.completed = start.completed;
    const CheckpointId last = start.completed.empty() ? 0 : start.completed.back();
    state_.next_id = std::max(state_.next_id, last + 1);
    state_.next_due =
        state_.config.interval > 0 ? saturating_add(now_, state_.config.interval) : kMaxTime;
    discard_beyond_retained();
  }

  void on(const event::Ended& ended) {
    deactivate();
    if (state_.pending && !state_.pending->writing_metadata)
      abort(fmt::format("the attempt ended: {}", ended.reason));
  }

  void on(const event::Tick&) {}

  void on(const event::Trigger& trigger) {
    if (!state_.active) return;
    if (trigger.reason == CheckpointReason::kSavepoint) {
      state_.savepoint_requested = true;
      return;
    }
    const auto is_final = [](const auto& reason) { return reason == CheckpointReason::kFinal; };
    if (state_.pending && is_final(state_.pending->reason) && is_final(trigger.reason)) return;
    if (!state_.requested || !is_final(*state_.requested)) state_.requested = trigger.reason;
    state_.requested_due = std::min(state_.requested_due, now_);
  }

  void on(const event::Acknowledged& ack) {
    if (!waits_for_acks(ack.checkpoint)) return;
    state_.pending->waiting_for.erase(ack.subtask);
    write_metadata_if_all_acknowledged();
  }

  void on(const event::Declined& declined) {
    if (!waits_for_acks(declined.checkpoint)) return;
    if (!state_.pending->waiting_for.contains(declined.subtask)) return;
    fail(fmt::format("subtask {} declined checkpoint {}: {}", declined.subtask, declined.checkpoint,
                     declined.reason));
  }

  void on(const event::MetadataWritten& written) {
    if (!writes_metadata(written.checkpoint)) return;
    const PendingCheckpoint done = end_pending();
    if (done.reason == CheckpointReason::kSavepoint) {
      actions_.push_back(action::NotifyComplete{done.id, done.reason});
      return;
    }
    state_.completed.push_back(done.id);
    state_.consecutive_failures = 0;
    ++state_.completed_total;
    if (done.reason == CheckpointReason::kFinal) deactivate();
    actions_.push_back(action::NotifyComplete{done.id, done.reason});
    discard_beyond_retained();
  }

  void on(const event::MetadataFailed& failed) {
    if (!writes_metadata(failed.checkpoint)) return;
    fail(fmt::format("the metadata of checkpoint {} could not be written: {}", failed.checkpoint,
                     failed.reason));
  }

  void on(const event::SubtaskFinished& finished) {
    state_.running.erase(finished.subtask);
    if (!state_.pending || state_.pending->writing_metadata) return;
    state_.pending->waiting_for.erase(finished.subtask);
    write_metadata_if_all_acknowledged();
  }

  bool waits_for_acks(CheckpointId id) const {
    return state_.pending && state_.pending->id == id && !state_.pending->writing_metadata;
  }
  bool writes_metadata(CheckpointId id) const {
    return state_.pending && state_.pending->id == id && state_.pending->writing_metadata;
  }

  void write_metadata_if_all_acknowledged() {
    PendingCheckpoint& pending = *state_.pending;
    if (pending.writing_metadata || !pending.waiting_for.empty()) return;
    pending.writing_metadata = true;
    actions_.push_back(action::WriteMetadata{pending.id, pending.reason});
  }

  /// Forgets the pending checkpoint; the pause until the next begins now.
  PendingCheckpoint end_pending() {
    PendingCheckpoint ended = *std::exchange(state_.pending, std::nullopt);
    if (state_.next_due != kMaxTime)
      state_.next_due = std::max(state_.next_due, saturating_add(now_, state_.config.min_pause));
    return ended;
  }

  PendingCheckpoint abort(std::string reason) {
    PendingCheckpoint aborted = end_pending();
    if (aborted.reason != CheckpointReason::kSavepoint) ++state_.failed_total;
    actions_.push_back(action::Abort{aborted.id, std::move(reason)});
    return aborted;
  }

  /// Aborts for a reason that counts.
  void fail(std::string reason) {
    const PendingCheckpoint failed = abort(reason);
    if (!state_.active || failed.reason == CheckpointReason::kSavepoint) return;
    if (++state_.consecutive_failures > state_.config.tolerable_failures) {
      actions_.push_back(action::FailJob{
          fmt::format("{} checkpoint(s) failed in a row, {} are tolerated "
                      "(execution.checkpointing.tolerable-failed-checkpoints); the last: {}",
                      state_.consecutive_failures, state_.config.tolerable_failures, reason)});
      state_.consecutive_failures = 0;
      deactivate();
    } else if (failed.reason == CheckpointReason::kFinal) {
      // The job cannot end without it.
      state_.requested = CheckpointReason::kFinal;
      state_.requested_due = saturating_add(now_, state_.config.min_pause);
    }
  }

  void deactivate() {
    state_.active = false;
    state_.savepoint_requested = false;
    state_.requested.reset();
    state_.requested_due = kMaxTime;
    state_.next_due = kMaxTime;
  }

  void discard_beyond_retained() {
    const std::size_t retained = std::max<std::size_t>(1, state_.config.retained);
    while (state_.completed.size() > retained) {
      actions_.push_back(action::Discard{state_.completed.front()});
      state_.completed.erase(state_.completed.begin());
    }
  }

  ProcessingTime expires_at() const {
    // Once the metadata is on its way its fate is the disk's to tell: aborting would race with it.
    if (!state_.pending || state_.pending->writing_metadata) return kMaxTime;
    return saturating_add(state_.pending->started, state_.config.timeout);
  }

  void expire() {
    if (now_ < expires_at()) return;
    fail(
        fmt::format("checkpoint {} was not complete after {} ms "
                    "(execution.checkpointing.timeout); {} subtask(s) had not acknowledged, the "
                    "first is {}",
                    state_.pending->id, state_.config.timeout, state_.pending->waiting_for.size(),
                    *state_.pending->waiting_for.begin()));
  }

  void trigger_if_due() {
    if (!state_.active || state_.pending) return;
    if (state_.savepoint_requested) {
      state_.savepoint_requested = false;
      inject(CheckpointReason::kSavepoint);
    } else if (state_.requested && now_ >= state_.requested_due) {
      state_.requested_due = kMaxTime;
      inject(*std::exchange(state_.requested, std::nullopt));
    } else if (!state_.requested && now_ >= state_.next_due && !state_.running.empty()) {
      inject(CheckpointReason::kPeriodic);
    }
  }

  void inject(CheckpointReason reason) {
    state_.pending = PendingCheckpoint{.id = state_.next_id++,
                                       .reason = reason,
                                       .started = now_,
                                       .waiting_for = state_.running,
                                       .writing_metadata = false};
    if (state_.config.interval > 0) state_.next_due = saturating_add(now_, state_.config.interval);
    actions_.push_back(action::InjectBarriers{state_.pending->id, reason});
    write_metadata_if_all_acknowledged();
  }

  void schedule_wake() {
    ProcessingTime when = expires_at();
    if (state_.active && !state_.pending) {
      if (state_.requested)
        when = state_.requested_due;
      else if (!state_.running.empty())
        when = state_.next_due;
    }
    if (when == kMaxTime || (when >= state_.wake_at && state_.wake_at > now_)) return;
    state_.wake_at = when;
    actions_.push_back(action::WakeAt{when});
  }

  CheckpointState& state_;
  ProcessingTime now_ = 0;
  std::vector<CheckpointAction> actions_;
};

}  // namespace

std::vector<CheckpointAction> step(CheckpointState& state, const CheckpointEvent& event) {
  return Step(state).run(event);
}

}  // namespace tidemark
