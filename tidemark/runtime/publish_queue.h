// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/executor.h"
#include "tidemark/operator/sink.h"
#include "tidemark/runtime/task_protocol.h"

namespace tidemark {

/// A committer and the context that it refers to, kept alive by whatever still uses them.
struct CommitterHandle {
  SinkContext context;
  std::unique_ptr<Committer> committer;  // null: there is nothing to commit
};

/// A committable and the checkpoint that holds it first, as operator state keeps them.
struct PreparedOutput {
  CheckpointId checkpoint = 0;
  std::string committable;
};
std::string encode(const PreparedOutput& output);
PreparedOutput decode_prepared_output(std::string_view item);

/// How a task reaches its I/O threads and is woken by them.
struct BlockingContext {
  Executor* executor = nullptr;
  std::shared_ptr<OutstandingWork> work;
  std::shared_ptr<TaskWaker> waker;
};

/// What one subtask has prepared and not yet published: phase two of the commit protocol.
///   prepare(n) -> add(n); checkpoint n completes -> complete(n): everything up to n is committed,
///   in order, on an I/O thread, one commit at a time. What a checkpoint that failed had prepared
///   stays and goes with the next.
/// Owner: a task. Thread: the task's.
class PublishQueue {
 public:
  PublishQueue(std::shared_ptr<CommitterHandle> committer, BlockingContext blocking);

  void add(CheckpointId checkpoint, std::vector<std::string> committables);
  /// Everything not known to be published, for the snapshot.
  std::vector<std::string> encode_unpublished() const;
  void complete(CheckpointId checkpoint);
  /// Takes note of finished commits and starts the next; returns the checkpoint up to which
  /// everything is published. Throws what a commit threw.
  CheckpointId poll();

 private:
  struct Commit;

  void start_commit();

  std::shared_ptr<CommitterHandle> committer_;
  BlockingContext blocking_;
  std::deque<PreparedOutput> unpublished_;
  std::shared_ptr<Commit> running_;
  CheckpointId completed_ = 0;
  CheckpointId published_ = 0;
};

}  // namespace tidemark
