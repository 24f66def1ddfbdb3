// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/job_master.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/hash.h"
#include "tidemark/base/log.h"
#include "tidemark/runtime/checkpoint_metadata.h"

namespace tidemark {

namespace event = checkpoint_event;
namespace action = checkpoint_action;

JobMaster::JobMaster(JobMasterParts parts)
    : parts_(std::move(parts)),
      work_(std::make_shared<OutstandingWork>(parts_.waker)),
      task_mailbox_(std::make_shared<Mailbox<TaskMessage>>(
          parts_.waker, kMessagesPerTask * parts_.blueprint->plan.tasks())),
      own_mailbox_(std::make_shared<Mailbox<OwnMessage>>(parts_.waker, kMessagesPerTask)),
      restart_policy_(parts_.blueprint->config.restart) {
  checkpoints_.config = parts_.blueprint->config.checkpoint;
  if (!parts_.storage) checkpoints_.config.interval = 0;
  if (const proto::CheckpointMetadata* restored = parts_.first.restored()) {
    base_checkpoints_ = checkpoints_in(*restored);
    const CheckpointStorage& storage = *parts_.first.start->storage;
    const CheckpointId id = restored->checkpoint_id();
    checkpoints_.next_id = id + 1;  // also after a savepoint, which storage does not list
    parts_.status->update([&](JobStatus::Known& known) {
      known.restored_from = id;
      if (storage.layout() == CheckpointStorage::Layout::kSavepoint)
        known.restored_savepoint = storage.directory();
      known.last_checkpoint = id;
      known.checkpoints_completed = base_checkpoints_;
      known.base = counters_from(restored->counters());
    });
  }
}

JobMaster::~JobMaster() = default;

PollState JobMaster::poll(const PollBudget& budget) {
  static_cast<void>(budget);
  if (attempt_number_ == 0) start_attempt(std::move(parts_.first));
  // Read before the messages: work posts its message before it counts as done, so when this is true
  // the messages taken below are all there are.
  const bool no_work_left = work_->none();
  handle_own_messages();
  handle_task_messages();
  obey_requests();
  if (phase_ == Phase::kRunning && now() >= tick_at_) {
    tick_at_ = kMaxTime;
    coordinate(event::Tick{now()});
  }
  // What was begun in this poll is not in no_work_left; metadata that is being written decides
  // where the next attempt starts, so its message comes first.
  if (phase_ == Phase::kClosing && alive_.empty() && no_work_left && work_->none() &&
      !checkpoints_.pending)
    after_attempt();
  if (phase_ == Phase::kWaiting && now() >= restart_at_) deploy();
  if (phase_ == Phase::kEnded) {
    attempt_.reset();
    if (parts_.on_end) parts_.on_end();
    return PollState::kFinished;
  }
  const ProcessingTime wake = phase_ == Phase::kWaiting ? restart_at_ : tick_at_;
  wake_timer_.arm(*parts_.waker, wake, now());
  return PollState::kWaitExternal;
}

void JobMaster::on_failure(std::exception_ptr failure) noexcept {
  std::string reason = "the job's master failed";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    reason = known.what();
  } catch (...) {
  }
  if (attempt_) attempt_->cancel();
  end(JobState::kFailed, reason);
  if (parts_.on_end) parts_.on_end();
}

void JobMaster::obey_requests() {
  if (phase_ == Phase::kEnded) return;
  if (parts_.status->cancel_requested()) {
    if (phase_ == Phase::kRunning) close_attempt();
    if (phase_ == Phase::kWaiting) end(JobState::kStopped, "");
    return;
  }
  if (phase_ != Phase::kRunning) return;
  const bool savepoint = parts_.status->take_savepoint_request();
  if (parts_.status->stop_requested() && !stopping_) {
    stopping_ = true;
    attempt_->stop_sources();
    if (savepoint) request_savepoint();
    request_final_checkpoint();
  } else if (savepoint) {
    request_savepoint();
  }
}

void JobMaster::handle_own_messages() {
  for (OwnMessage& message : own_mailbox_->take()) {
    if (auto* deployed = std::get_if<Deployed>(&message)) {
      if (deployed->deployment) {
        start_attempt(std::move(*deployed->deployment));
      } else {
        failure_ = deployed->failure;
        failure_retryable_ = deployed->retryable;
        restart_or_fail();
      }
    } else if (const auto* done = std::get_if<MetadataDone>(&message)) {
      if (done->failure.empty()) {
        note_written(*done);
        coordinate(event::MetadataWritten{now(), done->checkpoint});
      } else {
        coordinate(event::MetadataFailed{now(), done->checkpoint, done->failure});
      }
    }
  }
}

void JobMaster::handle_task_messages() {
  for (TaskMessage& message : task_mailbox_->take())
    std::visit(
        [this](auto& known) {
          if (known.attempt == attempt_number_) handle(std::move(known));
        },
        message);
}

void JobMaster::handle(task_message::Acknowledged message) {
  if (!checkpoints_.pending || checkpoints_.pending->id != message.checkpoint) return;
  const CheckpointId checkpoint = message.checkpoint;
  const SubtaskId subtask = message.subtask;
  acks_[subtask] = std::move(message);
  coordinate(event::Acknowledged{now(), checkpoint, subtask});
}

void JobMaster::handle(const task_message::Declined& message) {
  coordinate(event::Declined{now(), message.checkpoint, message.subtask, message.reason});
}

void JobMaster::handle(const task_message::Ended& message) {
  ended_.insert(message.subtask);
  if (ended_.size() == attempt_->tasks()) request_final_checkpoint();
}

void JobMaster::handle(const task_message::Published& message) {
  published_[message.subtask] = message.checkpoint;
  if (!final_checkpoint_ || phase_ != Phase::kRunning) return;
  const auto count = static_cast<std::size_t>(
      std::count_if(published_.begin(), published_.end(),
                    [this](const auto& entry) { return entry.second >= *final_checkpoint_; }));
  if (count < attempt_->tasks()) return;
  done_ = true;
  close_attempt();
}

void JobMaster::handle(const task_message::Failed& message) {
  alive_.erase(message.subtask);
  fail_attempt(message.reason, message.retryable);
}

void JobMaster::handle(const task_message::Closed& message) {
  alive_.erase(message.subtask);
}

void JobMaster::deploy() {
  phase_ = Phase::kDeploying;
  restart_at_ = kMaxTime;
  auto run = [parts = DeploymentContext{parts_.blueprint.get(), parts_.storage, parts_.environs,
                                        parts_.job_id},
              blueprint = parts_.blueprint, mailbox = own_mailbox_] {
    Deployed result;
    try {
      result.deployment = std::make_shared<Deployment>(prepare_deployment(parts));
    } catch (const Failure& failure) {
      result.failure = failure.what();
      result.retryable = failure.retryable();
    } catch (const std::exception& other) {
      result.failure = other.what();
    }
    mailbox->post(std::move(result));
  };
  work_->run(*parts_.environs.executor, work_, std::move(run));
}

void JobMaster::start_attempt(Deployment deployment) {
  ++attempt_number_;
  ended_.clear();
  acks_.clear();
  published_.clear();
  final_checkpoint_.reset();
  final_requested_ = stopping_ = finished_ = done_ = false;
  failure_.clear();
  failure_retryable_ = true;
  const proto::CheckpointMetadata* restored = deployment.restored();
  base_ = restored ? counters_from(restored->counters()) : JobCounters{};
  if (restored && restored->job_finished()) {
    parts_.status->update([&](JobStatus::Known& known) {
      known.base = base_;
      known.tasks.clear();
      known.already_finished = attempt_number_ == 1;
    });
    return end(JobState::kFinished, "");
  }
  std::vector<CheckpointId> completed = deployment.completed;
  const std::string started_from =
      restored ? "from " + deployment.start->storage->path_of(restored->checkpoint_id())
               : "from the beginning";
  attempt_ =
      std::make_unique<Attempt>(AttemptContext{attempt_number_, parts_.blueprint, parts_.environs,
                                               parts_.storage, parts_.job_id, task_mailbox_, work_},
                                std::move(deployment));
  std::set<SubtaskId> subtasks;
  for (SubtaskId id = 0; id < attempt_->tasks(); ++id) subtasks.insert(subtasks.end(), id);
  alive_ = subtasks;
  log_info("job '{}', attempt {}: {} tasks run, {}", parts_.blueprint->graph.plan.name(),
           attempt_number_, subtasks.size(), started_from);
  parts_.status->update([&](JobStatus::Known& known) {
    known.base = base_;
    known.tasks = attempt_->stats();
    known.restarts = static_cast<std::uint32_t>(attempt_number_ - 1);
  });
  phase_ = Phase::kRunning;
  coordinate(event::Start{now(), std::move(completed), std::move(subtasks)});
}

void JobMaster::request_savepoint() {
  savepoint_wanted_ = true;
  coordinate(event::Trigger{now(), CheckpointReason::kSavepoint});
}

void JobMaster::request_final_checkpoint() {
  if (final_requested_ || phase_ != Phase::kRunning) return;
  final_requested_ = true;
  coordinate(event::Trigger{now(), CheckpointReason::kFinal});
}

void JobMaster::close_attempt() {
  if (phase_ != Phase::kRunning) return;
  phase_ = Phase::kClosing;
  tick_at_ = kMaxTime;
  attempt_->cancel();
  const std::string reason = failure_.empty() ? "the job ends" : failure_;
  coordinate(event::Ended{now(), reason});
  if (savepoint_wanted_ && !checkpoints_.pending) report_savepoint("it was not begun: " + reason);
}

void JobMaster::fail_attempt(const std::string& reason, bool retryable) {
  if (phase_ != Phase::kRunning) return;  // what follows from the first failure
  failure_ = reason;
  failure_retryable_ = retryable;
  // What no restart mends is the job's outcome: whoever started the job says it, once.
  const std::string& job = parts_.blueprint->graph.plan.name();
  if (retryable) log_warning("job '{}', attempt {}: {}", job, attempt_number_, reason);
  close_attempt();
}

void JobMaster::after_attempt() {
  if (done_) return end(finished_ ? JobState::kFinished : JobState::kStopped, "");
  if (parts_.status->cancel_requested()) return end(JobState::kStopped, "");
  restart_or_fail();
}

void JobMaster::restart_or_fail() {
  std::optional<Millis> delay;
  if (failure_retryable_) delay = restart_policy_.on_failure(now());
  if (!delay) return end(JobState::kFailed, failure_);
  log_info("job '{}': restarts in {} ms", parts_.blueprint->graph.plan.name(), *delay);
  restart_at_ = saturating_add(now(), *delay);
  phase_ = Phase::kWaiting;
}

void JobMaster::end(JobState state, std::string failure) {
  phase_ = Phase::kEnded;
  parts_.status->update([&](JobStatus::Known& known) {
    known.state = state;
    known.failure = std::move(failure);
  });
}

void JobMaster::coordinate(const CheckpointEvent& event) {
  for (const CheckpointAction& action : step(checkpoints_, event))
    std::visit([this](const auto& known) { act(known); }, action);
  if (!parts_.storage) return;
  const std::uint64_t completed = base_checkpoints_ + checkpoints_.completed_total;
  const std::uint64_t failed = checkpoints_.failed_total;
  parts_.status->update([&](JobStatus::Known& known) {
    known.checkpoints_completed = completed;
    known.checkpoints_failed = failed;
  });
}

void JobMaster::act(const action::InjectBarriers& inject) {
  acks_.clear();
  if (inject.reason != CheckpointReason::kSavepoint)
    return attempt_->trigger(inject.checkpoint, now());
  savepoint_ =
      std::make_shared<CheckpointStorage>(*parts_.environs.files, savepoint_path(inject.checkpoint),
                                          CheckpointStorage::Layout::kSavepoint);
  savepoint_id_ = inject.checkpoint;
  attempt_->trigger_savepoint(inject.checkpoint, now(), savepoint_);
}

void JobMaster::act(const action::WriteMetadata& write) {
  const std::shared_ptr<CheckpointStorage> storage = storage_of(write.checkpoint);
  if (!storage) {
    own_mailbox_->post(MetadataDone{write.checkpoint, ""});
    return;
  }
  auto run = [metadata = make_metadata(write.checkpoint), storage, mailbox = own_mailbox_] {
    MetadataDone done{metadata.checkpoint_id(), "", metadata.full_bytes(), metadata.stored_bytes()};
    try {
      storage->complete(metadata);
    } catch (const std::exception& failure) {
      done.failure = failure.what();
      if (done.failure.empty()) done.failure = "unknown cause";
    }
    mailbox->post(std::move(done));
  };
  work_->run(*parts_.environs.executor, work_, std::move(run));
}

void JobMaster::note_written(const MetadataDone& done) {
  if (done.full_bytes == 0) return;
  log_info("job '{}': checkpoint {} holds {} bytes, {} of them new",
           parts_.blueprint->graph.plan.name(), done.checkpoint, done.full_bytes,
           done.stored_bytes);
  parts_.status->update([&](JobStatus::Known& known) {
    known.last_checkpoint_bytes = done.full_bytes;
    known.last_checkpoint_new_bytes = done.stored_bytes;
  });
}

void JobMaster::act(const action::NotifyComplete& notify) {
  if (notify.reason == CheckpointReason::kSavepoint) return report_savepoint("");
  log_info("job '{}': checkpoint {} is complete", parts_.blueprint->graph.plan.name(),
           notify.checkpoint);
  if (parts_.storage)
    parts_.status->update(
        [&](JobStatus::Known& known) { known.last_checkpoint = notify.checkpoint; });
  if (phase_ != Phase::kRunning) return;
  if (notify.reason == CheckpointReason::kFinal) {
    final_checkpoint_ = notify.checkpoint;
    finished_ = all_acknowledged_at_end();
  }
  attempt_->complete(notify.checkpoint);
}

void JobMaster::act(const action::Abort& abort) {
  log_warning("job '{}': checkpoint {} was given up: {}", parts_.blueprint->graph.plan.name(),
              abort.checkpoint, abort.reason);
  if (attempt_) attempt_->abort(abort.checkpoint);
  remove_checkpoint(abort.checkpoint);
  if (abort.checkpoint == savepoint_id_) report_savepoint(abort.reason);
}

void JobMaster::act(const action::Discard& discard) {
  remove_checkpoint(discard.checkpoint);
}

void JobMaster::act(const action::FailJob& fail) {
  fail_attempt(fail.reason, true);
}

void JobMaster::act(const action::WakeAt& wake) {
  tick_at_ = wake.when;
}

proto::CheckpointMetadata JobMaster::make_metadata(CheckpointId checkpoint) const {
  return assemble_metadata(
      {.blueprint = *parts_.blueprint,
       .job_id = parts_.job_id,
       .checkpoint = checkpoint,
       .completed_at = now(),
       .job_finished = all_acknowledged_at_end(),
       .checkpoints_completed = base_checkpoints_ + checkpoints_.completed_total + 1,
       .base = base_,
       .acknowledgements = acks_});
}

bool JobMaster::all_acknowledged_at_end() const {
  return std::all_of(acks_.begin(), acks_.end(), [](const auto& ack) { return ack.second.ended; });
}

// Unlike a checkpoint's, the name says which run it is of, and is never used twice.
std::string JobMaster::savepoint_path(CheckpointId checkpoint) const {
  const std::string unique = fmt::format("{}/{}/{}", parts_.job_id, checkpoint, now());
  return fmt::format("{}/savepoint-{}-{:012x}", parts_.blueprint->config.savepoint_directory,
                     parts_.job_id.substr(0, 6), stable_hash(unique) >> 16);
}

std::shared_ptr<CheckpointStorage> JobMaster::storage_of(CheckpointId checkpoint) const {
  return checkpoint == savepoint_id_ ? savepoint_ : parts_.storage;
}

void JobMaster::report_savepoint(const std::string& failure) {
  savepoint_wanted_ = false;
  const std::string path = failure.empty() ? savepoint_->directory() : "";
  if (failure.empty())
    log_info("job '{}': savepoint '{}' is complete", parts_.blueprint->graph.plan.name(), path);
  parts_.status->update([&](JobStatus::Known& known) {
    known.savepoint_failure = failure;
    if (failure.empty()) known.savepoint = path;
  });
}

void JobMaster::remove_checkpoint(CheckpointId checkpoint) {
  const std::shared_ptr<CheckpointStorage> storage = storage_of(checkpoint);
  if (!storage) return;
  work_->run(*parts_.environs.executor, work_, [checkpoint, storage] {
    try {
      storage->remove(checkpoint);
    } catch (const std::exception& failure) {
      log_warning("checkpoint {} could not be removed: {}", checkpoint, failure.what());
    }
  });
}

}  // namespace tidemark
