// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tidemark {

/// A few threads for work that may block, behind a bounded queue. All methods are thread-safe.
class IoPool {
 public:
  IoPool(std::size_t threads, std::size_t queue_max);
  ~IoPool() { stop(); }
  IoPool(const IoPool&) = delete;
  IoPool& operator=(const IoPool&) = delete;

  /// Runs `work` on one of the threads, or at once in the caller when the queue is full.
  void run(std::function<void()> work);
  /// Finishes what is running, drops what waits and what comes later, and joins. Idempotent; not
  /// for the pool's own threads.
  void stop();

 private:
  void work_loop();

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> queue_;
  const std::size_t queue_max_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tidemark
