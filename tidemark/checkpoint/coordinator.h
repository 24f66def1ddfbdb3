// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/state/snapshot.h"

// The coordinator's side of asynchronous barrier snapshots (Carbone et al., "Lightweight Asynchronous
// Snapshots for Distributed Dataflows", 2015) as a pure state machine: step(state, event) returns
// the actions to take. It reads no clock and does no I/O, so every interleaving can be tested.

namespace tidemark {

/// A subtask of the running job, numbered by the runtime.
using SubtaskId = std::uint32_t;

struct CheckpointConfig {
  Millis interval = 10'000;       // execution.checkpointing.interval; 0: no periodic checkpoints
  Millis timeout = 600'000;       // execution.checkpointing.timeout
  Millis min_pause = 0;           // execution.checkpointing.min-pause
  std::uint32_t tolerable_failures = 0;  // execution.checkpointing.tolerable-failed-checkpoints
  std::uint32_t retained = 1;     // execution.checkpointing.num-retained
};

enum class CheckpointReason : std::uint8_t { kPeriodic, kFinal, kRequested };

namespace checkpoint_event {
struct Start { ProcessingTime now; CheckpointId last_completed; std::set<SubtaskId> subtasks; };
struct Tick { ProcessingTime now; };
/// Asked for by a user, a stop, or the end of all sources.
struct Trigger { ProcessingTime now; CheckpointReason reason; };
struct Acknowledged { ProcessingTime now; CheckpointId checkpoint; SubtaskId subtask; };
struct Declined { ProcessingTime now; CheckpointId checkpoint; SubtaskId subtask; std::string reason; };
/// The metadata is durable, or could not be written.
struct MetadataWritten { ProcessingTime now; CheckpointId checkpoint; };
struct MetadataFailed { ProcessingTime now; CheckpointId checkpoint; std::string reason; };
struct SubtaskFinished { ProcessingTime now; SubtaskId subtask; };
}  // namespace checkpoint_event

using CheckpointEvent =
    std::variant<checkpoint_event::Start, checkpoint_event::Tick, checkpoint_event::Trigger,
                 checkpoint_event::Acknowledged, checkpoint_event::Declined,
                 checkpoint_event::MetadataWritten, checkpoint_event::MetadataFailed,
                 checkpoint_event::SubtaskFinished>;

namespace checkpoint_action {
/// Inject a barrier into every source.
struct InjectBarriers { CheckpointId checkpoint; CheckpointReason reason; };
/// All have acknowledged: write `_metadata`, then report MetadataWritten or MetadataFailed.
struct WriteMetadata { CheckpointId checkpoint; CheckpointReason reason; };
/// The checkpoint exists: tell every subtask, so that sinks commit.
struct NotifyComplete { CheckpointId checkpoint; CheckpointReason reason; };
/// Tell every subtask to forget it, and remove its files.
struct Abort { CheckpointId checkpoint; std::string reason; };
/// Beyond the retained number.
struct Discard { CheckpointId checkpoint; };
struct FailJob { std::string reason; };
/// Send a Tick at or after this time.
struct WakeAt { ProcessingTime when; };
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

/// All that the coordinator knows. At most one checkpoint is pending.
struct CheckpointState {
  CheckpointConfig config;
  CheckpointId next_id = 1;
  std::optional<PendingCheckpoint> pending;
  std::optional<CheckpointReason> requested;  // waits for the pending one to end
  std::set<SubtaskId> running;                // finished subtasks take part in no checkpoint
  std::vector<CheckpointId> completed;        // retained, ascending
  std::uint32_t consecutive_failures = 0;
  std::uint64_t failed_total = 0;
  std::uint64_t completed_total = 0;
  ProcessingTime next_due = kMaxTime;
};

/// The actions, in order, that `event` calls for.
std::vector<CheckpointAction> step(CheckpointState& state, const CheckpointEvent& event);

}  // namespace tidemark
