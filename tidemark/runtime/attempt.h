// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/runtime/deployment.h"
#include "tidemark/runtime/task.h"

namespace tidemark {

/// What all tasks of an attempt share.
struct AttemptContext {
  std::uint64_t number = 0;  // 1, 2, ... within the job's run in this process
  std::shared_ptr<const JobBlueprint> blueprint;
  Environs environs;
  std::shared_ptr<CheckpointStorage> storage;  // null: nothing is kept
  std::string job_id;
  std::shared_ptr<Mailbox<TaskMessage>> master;
  std::shared_ptr<OutstandingWork> work;
};

/// The tasks of one attempt to run the job, as their master sees them: makes and spawns them, and
/// passes on wishes. The tasks themselves belong to the executor. Thread: the master's.
class Attempt {
 public:
  Attempt(AttemptContext context, Deployment deployment);

  std::size_t tasks() const noexcept { return members_.size(); }
  const std::vector<std::shared_ptr<TaskStats>>& stats() const noexcept { return stats_; }

  void trigger(CheckpointId checkpoint, ProcessingTime now);
  void trigger_savepoint(CheckpointId checkpoint, ProcessingTime now,
                         const std::shared_ptr<CheckpointStorage>& storage);
  void complete(CheckpointId checkpoint);
  void abort(CheckpointId checkpoint);
  void stop_sources();
  void cancel();

 private:
  struct Member {
    std::shared_ptr<TaskControl> control;
    std::shared_ptr<TaskWaker> waker;
  };

  void wake_all();

  AttemptContext context_;
  std::vector<Member> members_;  // by SubtaskId
  std::vector<std::shared_ptr<TaskStats>> stats_;
};

}  // namespace tidemark
