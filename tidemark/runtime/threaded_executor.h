// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tidemark/base/clock.h"
#include "tidemark/base/executor.h"

namespace tidemark {

struct ThreadedExecutorOptions {
  std::size_t cores = 1;
  std::size_t io_threads = 4;
  std::size_t io_queue_max = 1024;
};

/// One thread a core, tasks pinned to theirs, idle threads asleep after a short spin, and a few I/O
/// threads for blocking work. The destructor stops and joins all threads; tasks that have not
/// finished are not polled again.
std::unique_ptr<Executor> make_threaded_executor(const Clock& clock,
                                                 ThreadedExecutorOptions options);

/// The processors of this machine, at least 1.
std::uint32_t machine_cores() noexcept;

}  // namespace tidemark
