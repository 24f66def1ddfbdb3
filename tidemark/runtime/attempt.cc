// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/attempt.h"

#include <utility>

#include "tidemark/runtime/task_builder.h"

namespace tidemark {

Attempt::Attempt(AttemptContext context, Deployment deployment) : context_(std::move(context)) {
  const std::size_t count = context_.blueprint->plan.tasks();
  std::vector<std::shared_ptr<TaskWaker>> wakers;
  for (std::size_t i = 0; i < count; ++i)
    wakers.push_back(std::make_shared<TaskWaker>(*context_.environs.executor));
  std::vector<TaskParts> tasks = TaskBuilder(context_, deployment, wakers).build();
  for (std::size_t i = 0; i < count; ++i) {
    members_.push_back({tasks[i].control, wakers[i]});
    stats_.push_back(tasks[i].stats);
  }
  // In the order of the chains: as many subtasks as cores put one of each chain on every core.
  for (std::size_t i = 0; i < count; ++i) {
    const TaskId id =
        context_.environs.executor->spawn(std::make_shared<Task>(std::move(tasks[i])), i);
    wakers[i]->attach(id);
  }
}

void Attempt::trigger(CheckpointId checkpoint, ProcessingTime now) {
  for (Member& member : members_)
    member.control->trigger({checkpoint, now, SnapshotKind::kCheckpoint});
  wake_all();
}

void Attempt::trigger_savepoint(CheckpointId checkpoint, ProcessingTime now,
                                const std::shared_ptr<CheckpointStorage>& storage) {
  for (Member& member : members_) member.control->set_savepoint(storage);
  for (Member& member : members_)
    member.control->trigger({checkpoint, now, SnapshotKind::kSavepoint});
  wake_all();
}

void Attempt::complete(CheckpointId checkpoint) {
  for (Member& member : members_) member.control->complete(checkpoint);
  wake_all();
}

void Attempt::abort(CheckpointId checkpoint) {
  for (Member& member : members_) member.control->abort(checkpoint);
  wake_all();
}

void Attempt::stop_sources() {
  for (Member& member : members_) member.control->stop();
  wake_all();
}

void Attempt::cancel() {
  for (Member& member : members_) member.control->cancel();
  wake_all();
}

void Attempt::wake_all() {
  for (Member& member : members_) member.waker->wake();
}

}  // namespace tidemark
