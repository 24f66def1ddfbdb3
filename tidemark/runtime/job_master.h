// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/checkpoint/coordinator.h"
#include "tidemark/runtime/attempt.h"
#include "tidemark/runtime/job_status.h"
#include "tidemark/runtime/restart_policy.h"

namespace tidemark {

/// What a master is made of.
struct JobMasterParts {
  std::shared_ptr<const JobBlueprint> blueprint;
  Environs environs;
  std::shared_ptr<CheckpointStorage> storage;  // null: nothing is kept
  std::string job_id;
  Deployment first;  // what the first attempt starts from
  std::shared_ptr<JobStatus> status;
  std::shared_ptr<TaskWaker> waker;
  std::function<void()> on_end;
};

/// The task that runs a job: attempts one after the other under the restart policy, and the
/// checkpoint coordinator of each.
///
///   deploying --> running --> closing --> waiting --> deploying ...
///                    |           |
///                    +-----------+--> ended
///
/// An attempt is over when all its tasks are gone and no blocking work of it is left; only then may
/// the next one start, or the job end. The job ends well when a final checkpoint is complete and
/// every task has published what belongs to it. Thread: one, the executor's.
class JobMaster final : public Pollable {
 public:
  explicit JobMaster(JobMasterParts parts);
  ~JobMaster() override;

  PollState poll(const PollBudget& budget) override;
  void on_failure(std::exception_ptr failure) noexcept override;

 private:
  enum class Phase : std::uint8_t { kDeploying, kRunning, kClosing, kWaiting, kEnded };

  /// What blocking work of the master reports.
  struct Deployed {
    std::shared_ptr<Deployment> deployment;  // null: `failure` says why
    std::string failure;
    bool retryable = true;
  };
  struct MetadataDone {
    CheckpointId checkpoint;
    std::string failure;  // empty: written
    std::uint64_t full_bytes = 0;
    std::uint64_t stored_bytes = 0;
  };
  using OwnMessage = std::variant<Deployed, MetadataDone>;

  void obey_requests();
  void handle_own_messages();
  void handle_task_messages();
  void handle(task_message::Acknowledged message);
  void handle(const task_message::Declined& message);
  void handle(const task_message::Ended& message);
  void handle(const task_message::Published& message);
  void handle(const task_message::Failed& message);
  void handle(const task_message::Closed& message);

  void deploy();
  void start_attempt(Deployment deployment);
  void request_savepoint();
  void request_final_checkpoint();
  void close_attempt();
  void fail_attempt(const std::string& reason, bool retryable);
  void after_attempt();
  void restart_or_fail();
  void end(JobState state, std::string failure);

  void coordinate(const CheckpointEvent& event);
  void act(const checkpoint_action::InjectBarriers& action);
  void act(const checkpoint_action::WriteMetadata& action);
  void act(const checkpoint_action::NotifyComplete& action);
  void act(const checkpoint_action::Abort& action);
  void act(const checkpoint_action::Discard& action);
  void act(const checkpoint_action::FailJob& action);
  void act(const checkpoint_action::WakeAt& action);
  void note_written(const MetadataDone& done);
  proto::CheckpointMetadata make_metadata(CheckpointId checkpoint) const;
  bool all_acknowledged_at_end() const;
  std::string savepoint_path(CheckpointId checkpoint) const;
  std::shared_ptr<CheckpointStorage> storage_of(CheckpointId checkpoint) const;
  /// The savepoint is complete, or `failure` says why not.
  void report_savepoint(const std::string& failure);
  void remove_checkpoint(CheckpointId checkpoint);
  ProcessingTime now() const { return parts_.environs.clock->now(); }

  JobMasterParts parts_;
  std::shared_ptr<OutstandingWork> work_;
  std::shared_ptr<Mailbox<TaskMessage>> task_mailbox_;
  std::shared_ptr<Mailbox<OwnMessage>> own_mailbox_;
  RestartPolicy restart_policy_;
  CheckpointState checkpoints_;
  Phase phase_ = Phase::kDeploying;

  std::uint64_t attempt_number_ = 0;
  std::unique_ptr<Attempt> attempt_;
  std::set<SubtaskId> alive_;
  std::set<SubtaskId> ended_;
  std::map<SubtaskId, task_message::Acknowledged> acks_;  // of the pending checkpoint
  std::map<SubtaskId, CheckpointId> published_;
  std::shared_ptr<CheckpointStorage> savepoint_;  // of the last one asked for
  CheckpointId savepoint_id_ = 0;
  bool savepoint_wanted_ = false;                 // asked for, and nothing has come of it yet
  std::optional<CheckpointId> final_checkpoint_;  // complete; its output is being published
  bool final_requested_ = false;
  bool stopping_ = false;  // sources have been told
  bool finished_ = false;  // the final checkpoint holds the end of all input
  bool done_ = false;      // everything is published: the attempt closes for good
  std::string failure_;    // of the attempt
  bool failure_retryable_ = true;
  JobCounters base_;
  std::uint64_t base_checkpoints_ = 0;
  ProcessingTime restart_at_ = kMaxTime;
  ProcessingTime tick_at_ = kMaxTime;
  WakeTimer wake_timer_;
};

}  // namespace tidemark
