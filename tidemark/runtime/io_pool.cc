// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/io_pool.h"

#include <algorithm>
#include <utility>

namespace tidemark {

IoPool::IoPool(std::size_t threads, std::size_t queue_max) : queue_max_(queue_max) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back([this] { work_loop(); });
}

void IoPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void IoPool::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    if (queue_.size() < queue_max_) {
      queue_.push_back(std::move(work));
      filled_.notify_one();
      return;
    }
  }
  work();
}

void IoPool::work_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace tidemark
