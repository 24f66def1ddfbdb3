// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tidemark/base/check.h"
#include "tidemark/runtime/waker.h"

namespace tidemark {

/// Messages from any thread to one task, which is woken. Bounded by the protocol: a sender never
/// has more than a few messages on their way, and the capacity is chosen to hold them all; one too
/// many is a bug. Thread-safe.
template <typename Message>
class Mailbox {
 public:
  Mailbox(std::shared_ptr<TaskWaker> waker, std::size_t capacity)
      : waker_(std::move(waker)), capacity_(capacity) {}

  void post(Message message) {
    {
      const std::lock_guard lock(mutex_);
      TIDEMARK_CHECK(messages_.size() < capacity_, "a mailbox holds what its protocol allows");
      messages_.push_back(std::move(message));
    }
    waker_->wake();
  }

  /// All messages, in the order of their arrival.
  std::vector<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  std::shared_ptr<TaskWaker> waker_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace tidemark
