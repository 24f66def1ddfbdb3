// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tidemark/base/executor.h"

namespace tidemark {

/// Where a task of the threaded executor stands. A wake turns kIdle into kQueued, and kRunning into
/// kRunningWoken, which is queued again as soon as its poll returns: that is why no wake is lost.
enum class TaskPhase : std::uint8_t { kFree, kIdle, kQueued, kRunning, kRunningWoken };

/// One task. `word` holds the generation of the slot and the phase, so that a wake for a task that
/// has finished cannot reach another one that was given its slot.
struct TaskSlot {
  std::atomic<std::uint64_t> word{0};
  std::shared_ptr<Pollable> task;  // touched by its worker only, once spawned
  std::atomic<std::uint32_t> worker{0};

  static constexpr std::uint64_t pack(std::uint64_t generation, TaskPhase phase) noexcept {
    return (generation << 8) | static_cast<std::uint64_t>(phase);
  }
  static constexpr std::uint64_t generation_of(std::uint64_t word) noexcept { return word >> 8; }
  static constexpr TaskPhase phase_of(std::uint64_t word) noexcept {
    return static_cast<TaskPhase>(word & 0xff);
  }
};

/// The slots of all tasks. They never move, so look-ups need no lock. A TaskId is the slot's index
/// in the low bits and the low bits of its generation above.
class TaskTable {
 public:
  static constexpr std::uint32_t kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;

  TaskTable() = default;
  TaskTable(const TaskTable&) = delete;
  TaskTable& operator=(const TaskTable&) = delete;
  ~TaskTable();

  /// A free slot's index. Thread-safe.
  std::uint32_t allocate();
  /// Gives the slot back, under a new generation. Thread: the task's worker.
  void release(std::uint32_t index);
  /// Destroys the tasks that have not finished. Nothing may run any more.
  void drop_tasks();

  TaskSlot& slot(std::uint32_t index) noexcept {
    return chunks_[index / kChunkSlots].load(std::memory_order_acquire)->slots[index % kChunkSlots];
  }
  TaskId id_of(std::uint32_t index) noexcept {
    const std::uint64_t generation = TaskSlot::generation_of(slot(index).word.load());
    return index | (static_cast<std::uint32_t>(generation) << kIndexBits);
  }
  static std::uint32_t index_of(TaskId id) noexcept { return id & kIndexMask; }
  static bool same_generation(TaskId id, std::uint64_t word) noexcept {
    return (id >> kIndexBits) ==
           (static_cast<std::uint32_t>(TaskSlot::generation_of(word)) & (~0u >> kIndexBits));
  }

 private:
  static constexpr std::size_t kChunkSlots = 256;
  struct Chunk {
    std::array<TaskSlot, kChunkSlots> slots;
  };

  std::array<std::atomic<Chunk*>, (std::size_t{1} << kIndexBits) / kChunkSlots> chunks_{};
  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace tidemark
