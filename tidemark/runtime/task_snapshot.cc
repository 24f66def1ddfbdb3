// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/task_snapshot.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

namespace tidemark {

// Written by the I/O thread before `done`, read by the task after it.
struct TaskSnapshot::Closing {
  std::unique_ptr<SnapshotFileWriter> writer;
  SnapshotFile file;
  std::exception_ptr failure;
  std::atomic<bool> done{false};
};

TaskSnapshot::TaskSnapshot(CheckpointId checkpoint, JobCounters counters, bool ended,
                           std::vector<FrozenOperator> frozen, CheckpointStorage& storage,
                           BlockingContext blocking)
    : checkpoint_(checkpoint),
      counters_(counters),
      ended_(ended),
      frozen_(std::move(frozen)),
      storage_(storage),
      blocking_(std::move(blocking)) {
  std::erase_if(frozen_, [](const FrozenOperator& entry) { return entry.part == nullptr; });
}

TaskSnapshot::~TaskSnapshot() = default;

void TaskSnapshot::step() {
  if (!has_work()) return;
  FrozenOperator& current = frozen_[at_];
  if (!writer_) writer_ = storage_.create_snapshot(checkpoint_, current.uid, current.subtask);
  if (!current.part->step(*writer_, kSnapshotStepBytes)) return;
  current.part.reset();
  ++at_;
  close_file();
}

void TaskSnapshot::close_file() {
  auto closing = std::make_shared<Closing>();
  closing->writer = std::move(writer_);
  closing_.push_back(closing);
  blocking_.work->run(*blocking_.executor, blocking_.work, [closing, waker = blocking_.waker] {
    try {
      closing->file = closing->writer->finish();
    } catch (...) {
      closing->failure = std::current_exception();
    }
    closing->writer.reset();
    closing->done.store(true, std::memory_order_release);
    waker->wake();
  });
}

std::optional<std::vector<SnapshotFile>> TaskSnapshot::take_files() {
  if (has_work()) return std::nullopt;
  const bool all_done =
      std::all_of(closing_.begin(), closing_.end(), [](const std::shared_ptr<Closing>& closing) {
        return closing->done.load(std::memory_order_acquire);
      });
  if (!all_done) return std::nullopt;
  std::vector<SnapshotFile> files;
  for (const std::shared_ptr<Closing>& closing : closing_) {
    if (closing->failure) std::rethrow_exception(closing->failure);
    files.push_back(std::move(closing->file));
  }
  return files;
}

}  // namespace tidemark
