// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/publish_queue.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "tidemark/base/bytes.h"

namespace tidemark {

std::string encode(const PreparedOutput& output) {
  ByteWriter out;
  out.put(output.checkpoint);
  out.put_string(output.committable);
  return out.take();
}

PreparedOutput decode_prepared_output(std::string_view item) {
  ByteReader in(item);
  PreparedOutput output;
  output.checkpoint = in.get<CheckpointId>();
  output.committable = in.get_string();
  return output;
}

// Written by the I/O thread before `done`, read by the task after it.
struct PublishQueue::Commit {
  CheckpointId checkpoint;
  std::vector<std::string> committables;
  std::exception_ptr failure;
  std::atomic<bool> done{false};
};

PublishQueue::PublishQueue(std::shared_ptr<CommitterHandle> committer, BlockingContext blocking)
    : committer_(std::move(committer)), blocking_(std::move(blocking)) {}

void PublishQueue::add(CheckpointId checkpoint, std::vector<std::string> committables) {
  for (std::string& committable : committables)
    unpublished_.push_back({checkpoint, std::move(committable)});
}

std::vector<std::string> PublishQueue::encode_unpublished() const {
  std::vector<std::string> items;
  items.reserve(unpublished_.size());
  for (const PreparedOutput& output : unpublished_) items.push_back(encode(output));
  return items;
}

void PublishQueue::complete(CheckpointId checkpoint) {
  completed_ = std::max(completed_, checkpoint);
}

CheckpointId PublishQueue::poll() {
  if (running_) {
    if (!running_->done.load(std::memory_order_acquire)) return published_;
    if (running_->failure) std::rethrow_exception(running_->failure);
    std::erase_if(unpublished_, [this](const PreparedOutput& output) {
      return output.checkpoint <= running_->checkpoint;
    });
    published_ = running_->checkpoint;
    running_.reset();
  }
  if (completed_ > published_) start_commit();
  return published_;
}

void PublishQueue::start_commit() {
  auto commit = std::make_shared<Commit>();
  commit->checkpoint = completed_;
  for (const PreparedOutput& output : unpublished_)
    if (output.checkpoint <= completed_) commit->committables.push_back(output.committable);
  if (commit->committables.empty() || !committer_->committer) {
    std::erase_if(unpublished_,
                  [this](const PreparedOutput& output) { return output.checkpoint <= completed_; });
    published_ = completed_;
    return;
  }
  running_ = commit;
  blocking_.work->run(*blocking_.executor, blocking_.work,
                      [commit, committer = committer_, waker = blocking_.waker] {
                        try {
                          committer->committer->commit(commit->committables);
                        } catch (...) {
                          commit->failure = std::current_exception();
                        }
                        commit->done.store(true, std::memory_order_release);
                        waker->wake();
                      });
}

}  // namespace tidemark
