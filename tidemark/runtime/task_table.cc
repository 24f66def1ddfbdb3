// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/task_table.h"

#include "tidemark/base/check.h"

namespace tidemark {

TaskTable::~TaskTable() {
  for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load();
}

std::uint32_t TaskTable::allocate() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  const std::uint32_t index = used_++;
  TIDEMARK_CHECK(index <= kIndexMask, "more than a million tasks at once");
  std::atomic<Chunk*>& chunk = chunks_[index / kChunkSlots];
  if (chunk.load() == nullptr) chunk.store(new Chunk, std::memory_order_release);
  return index;
}

void TaskTable::release(std::uint32_t index) {
  TaskSlot& freed = slot(index);
  const std::uint64_t generation = TaskSlot::generation_of(freed.word.load());
  freed.word.store(TaskSlot::pack(generation + 1, TaskPhase::kFree));
  const std::lock_guard lock(mutex_);
  free_.push_back(index);
}

void TaskTable::drop_tasks() {
  for (std::atomic<Chunk*>& chunk : chunks_) {
    if (chunk.load() == nullptr) return;
    for (TaskSlot& slot : chunk.load()->slots) slot.task.reset();
  }
}

}  // namespace tidemark
