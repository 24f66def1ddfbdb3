// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/runtime/input_gate.h"
#include "tidemark/runtime/operator_chain.h"
#include "tidemark/runtime/sink_operator.h"
#include "tidemark/runtime/source_head.h"
#include "tidemark/runtime/task_protocol.h"
#include "tidemark/runtime/task_snapshot.h"

namespace tidemark {

/// All that a task is made of. Either `source` or `gate` is set.
struct TaskParts {
  SubtaskId id = 0;  // in the attempt
  std::uint64_t attempt = 0;
  std::uint32_t subtask = 0;
  std::string source_uid;  // with `source`
  std::unique_ptr<SourceHead> source;
  std::unique_ptr<InputGate> gate;
  std::unique_ptr<OperatorChain> chain;
  SinkOperator* sink = nullptr;  // the chain's last, when it is a sink
  std::vector<std::unique_ptr<OutputPort>> ports;
  /// What each operator of the chain is restored from; null: it starts empty.
  std::vector<std::unique_ptr<SnapshotReader>> restore;
  /// Operators of the chain whose finish() was called in all subtasks before the checkpoint.
  std::vector<bool> finished;

  const Clock* clock = nullptr;
  CheckpointStorage* storage = nullptr;  // null: checkpoints are not kept, only committed
  BlockingContext blocking;
  std::shared_ptr<TaskControl> control;
  std::shared_ptr<Mailbox<TaskMessage>> master;
  std::shared_ptr<TaskStats> stats;
};

/// A subtask of a chain: takes from its source or its gate, drives the chain, and takes part in
/// checkpoints. A cooperative state machine (base/executor.h); one thread for life.
///
/// A checkpoint of a task: the barrier goes downstream first, the state is frozen, its parts are
/// written between batches, and the acknowledgement follows when the files are durable. One
/// snapshot is open at a time; a newer barrier gives the older up. A task that has passed on its
/// end stays and takes part in checkpoints, by the master's trigger alone, until it is cancelled.
class Task final : public Pollable {
 public:
  explicit Task(TaskParts parts);
  ~Task() override;

  PollState poll(const PollBudget& budget) override;
  void on_failure(std::exception_ptr failure) noexcept override;

 private:
  /// What came of trying to do one thing.
  enum class Turn : std::uint8_t { kWorked, kNoCredit, kNoInput, kWaiting };

  PollState run(const PollBudget& budget);
  void open();
  void restore(std::size_t member, const SnapshotReader& reader);
  void obey();
  PollState close();

  Turn take_turn();
  Turn source_turn();
  Turn gate_turn();
  Turn finish_turn();
  bool run_due_timers();
  bool may_snapshot_by_trigger() const;

  void start_snapshot(const Barrier& barrier);
  std::vector<FrozenOperator> freeze(const Barrier& barrier);
  void advance_snapshot();
  void acknowledge(CheckpointId checkpoint, std::vector<SnapshotFile> files,
                   const JobCounters& counters, bool ended);
  void decline(CheckpointId checkpoint, std::string reason);
  void report_published();

  PollState wait_state(Turn turn);
  void arm_timers(Turn turn);
  void account_before_poll();
  void account_after_poll(PollState state);

  TaskParts parts_;
  std::shared_ptr<CheckpointStorage> savepoint_;  // what snapshot_ writes to, if it is one
  std::unique_ptr<TaskSnapshot> snapshot_;
  WakeTimer wake_timer_;
  bool opened_ = false;
  bool input_ended_ = false;
  bool end_sent_ = false;
  CheckpointId last_snapshot_ = 0;
  CheckpointId completed_seen_ = 0;
  CheckpointId aborted_seen_ = 0;
  CheckpointId published_reported_ = 0;

  std::int64_t last_poll_end_ns_ = 0;
  PollState last_state_ = PollState::kWaitExternal;
};

}  // namespace tidemark
