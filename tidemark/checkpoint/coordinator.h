// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/state/snapshot.h"

// The coordinator's side of asynchronous barrier snapshots (Carbone et al., "Lightweight
// Asynchronous Snapshots for Distributed Dataflows", 2015) as a pure state machine: step(state,
// event) returns the actions to take. It reads no clock and does no I/O, so every interleaving can
// be tested.
//
// Life of a checkpoint: InjectBarriers, then an Acknowledged from every subtask, WriteMetadata,
// MetadataWritten, NotifyComplete. Every InjectBarriers is followed by exactly one NotifyComplete
// or Abort of the same id, and none is injected in between. Events for a checkpoint that is not
// pending (late, duplicate, unknown) change nothing.

namespace tidemark {

/// A subtask of the running job, numbered by the runtime.
using SubtaskId = std::uint32_t;

struct CheckpointConfig {
  Millis interval = 10'000;  // execution.checkpointing.interval; 0: no periodic checkpoints
  Millis timeout = 600'000;  // execution.checkpointing.timeout, from the barriers to the last ack
  Millis min_pause = 0;  // execution.checkpointing.min-pause, from one's end to the next's start
  /// execution.checkpointing.tolerable-failed-checkpoints: so many may fail one after the other;
  /// one more fails the job. 0 as in Flink: the first failure does. Counted are declines, timeouts
  /// and metadata that could not be written; not counted is what the end of an attempt cut off.
  std::uint32_t tolerable_failures = 0;
  std::uint32_t retained = 1;  // execution.checkpointing.num-retained; 0 is taken as 1
};

enum class CheckpointReason : std::uint8_t {
  kPeriodic,
  kFinal,      // the last of the job: all sources have ended, or a stop was asked for
  kSavepoint,  // asked for by a user; no part of recovery: not retained, nothing is published
};

namespace checkpoint_event {
// `now` is in milliseconds. A clock that was set back moves the deadlines back with it.

/// An attempt to run the job begins. `completed` are the complete checkpoints in storage,
/// ascending; the job was restored from the last. Not while `pending` is set: see Ended.
struct Start {
  ProcessingTime now;
  std::vector<CheckpointId> completed;
  std::set<SubtaskId> subtasks;
};
/// The attempt has ended: failed, cancelled, or finished. A checkpoint that waits for
/// acknowledgements is aborted. One whose metadata is being written stays pending until that has
/// succeeded or failed: the next attempt must wait for it, because it decides where that attempt
/// starts.
struct Ended {
  ProcessingTime now;
  std::string reason;
};
/// Time has passed. May come at any time; WakeAt says when it must.
struct Tick {
  ProcessingTime now;
};
/// Asked for by a user, a stop, or the end of all sources. Waits for the pending one; does not wait
/// for interval or pause. A final one that fails is tried again after min_pause. A savepoint goes
/// before a final one; one that fails is not tried again and does not count as a failure.
struct Trigger {
  ProcessingTime now;
  CheckpointReason reason;
};
/// The subtask's snapshot is durable.
struct Acknowledged {
  ProcessingTime now;
  CheckpointId checkpoint;
  SubtaskId subtask;
};
/// The subtask could not make or store its snapshot.
struct Declined {
  ProcessingTime now;
  CheckpointId checkpoint;
  SubtaskId subtask;
  std::string reason;
};
/// The metadata is durable.
struct MetadataWritten {
  ProcessingTime now;
  CheckpointId checkpoint;
};
/// The metadata could not be written: the checkpoint does not exist.
struct MetadataFailed {
  ProcessingTime now;
  CheckpointId checkpoint;
  std::string reason;
};
/// The subtask is done for good and takes part in no later checkpoint. A pending one no longer
/// waits for it, so it must hold nothing that a restore from that checkpoint would miss.
struct SubtaskFinished {
  ProcessingTime now;
  SubtaskId subtask;
};
}  // namespace checkpoint_event

using CheckpointEvent =
    std::variant<checkpoint_event::Start, checkpoint_event::Ended, checkpoint_event::Tick,
                 checkpoint_event::Trigger, checkpoint_event::Acknowledged,
                 checkpoint_event::Declined, checkpoint_event::MetadataWritten,
                 checkpoint_event::MetadataFailed, checkpoint_event::SubtaskFinished>;

namespace checkpoint_action {
/// Inject a barrier into every source.
struct InjectBarriers {
  CheckpointId checkpoint;
  CheckpointReason reason;
};
/// All have acknowledged: write `_metadata`, then report MetadataWritten or MetadataFailed.
struct WriteMetadata {
  CheckpointId checkpoint;
  CheckpointReason reason;
};
/// The checkpoint exists: tell every subtask, so that sinks commit everything up to it.
struct NotifyComplete {
  CheckpointId checkpoint;
  CheckpointReason reason;
};
/// Tell every subtask to forget it, and remove its files.
struct Abort {
  CheckpointId checkpoint;
  std::string reason;
};
/// Beyond the retained number: remove its files.
struct Discard {
  CheckpointId checkpoint;
};
/// More failures in a row than tolerated. Nothing is triggered until the next Start.
struct FailJob {
  std::string reason;
};
/// Send a Tick at or after this time, in the clock of `now`.
struct WakeAt {
  ProcessingTime when;
};
}  // namespace checkpoint_action

using CheckpointAction =
    std::variant<checkpoint_action::InjectBarriers, checkpoint_action::WriteMetadata,
                 checkpoint_action::NotifyComplete, checkpoint_action::Abort,
                 checkpoint_action::Discard, checkpoint_action::FailJob, checkpoint_action::WakeAt>;

struct PendingCheckpoint {
  CheckpointId id = 0;
  CheckpointReason reason = CheckpointReason::kPeriodic;
  ProcessingTime started = 0;
  std::set<SubtaskId> waiting_for;
  bool writing_metadata = false;
};

/// All that the coordinator knows. Set `config` before the first event, and `next_id` for a job
/// that begins with a savepoint; the rest belongs to step().
struct CheckpointState {
  CheckpointConfig config;
  bool active = false;       // between Start and Ended, FailJob, or a completed final checkpoint
  CheckpointId next_id = 1;  // never goes back, not even over attempts
  std::optional<PendingCheckpoint> pending;
  std::optional<CheckpointReason> requested;  // waits for the pending one to end
  bool savepoint_requested = false;           // goes before `requested`
  std::set<SubtaskId> running;                // subtasks that have not finished
  std::vector<CheckpointId> completed;        // retained, ascending
  std::uint32_t consecutive_failures = 0;
  std::uint64_t failed_total = 0;
  std::uint64_t completed_total = 0;
  ProcessingTime last_now = kMinTime;
  ProcessingTime next_due = kMaxTime;       // of the next periodic one
  ProcessingTime requested_due = kMaxTime;  // of the requested one
  ProcessingTime wake_at = kMaxTime;        // the last WakeAt that has not come
};

/// The actions, in order, that `event` calls for.
std::vector<CheckpointAction> step(CheckpointState& state, const CheckpointEvent& event);

}  // namespace tidemark
