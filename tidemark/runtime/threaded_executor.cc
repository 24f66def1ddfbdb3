// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/threaded_executor.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tidemark/base/check.h"
#include "tidemark/runtime/io_pool.h"
#include "tidemark/runtime/task_table.h"

namespace tidemark {
namespace {

// About 5 us: longer would take the core from the task that is to wake us, since on few cores a
// spinning consumer delays its own producer.
constexpr int kSpins = 64;

inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct Timer {
  ProcessingTime when;
  TaskId task;
  friend bool operator<(const Timer& a, const Timer& b) { return a.when > b.when; }  // min-heap
};

// One thread and the tasks pinned to it.
class Worker {
 public:
  Worker(TaskTable& tasks, const Clock& clock) : tasks_(tasks), clock_(clock) {}

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      has_arrivals_.store(true, std::memory_order_release);
    }
    signal_.notify_one();
    thread_.join();
  }

  // The slot's phase is kQueued already, by the caller's transition: it is queued once only.
  void enqueue(std::uint32_t index) noexcept {
    if (current_ == this) {
      ready_.push_back(index);
      return;
    }
    const std::lock_guard lock(mutex_);
    arrived_.push_back(index);
    announce();
  }

  void add_timer(Timer timer) {
    if (current_ == this) {
      push_timer(timer);
      return;
    }
    const std::lock_guard lock(mutex_);
    arrived_timers_.push_back(timer);
    announce();
  }

  void wake(TaskId id) noexcept {
    const std::uint32_t index = TaskTable::index_of(id);
    TaskSlot& slot = tasks_.slot(index);
    // A read-modify-write even where nothing is to change: what the caller wrote before is then
    // seen by the poll that this wake relies on, which begins with an exchange of the same word.
    // With a plain load the caller's write could still wait in a store buffer, and the wake would
    // be lost.
    std::uint64_t word = slot.word.fetch_add(0);
    while (TaskTable::same_generation(id, word)) {
      const TaskPhase phase = TaskSlot::phase_of(word);
      const std::uint64_t generation = TaskSlot::generation_of(word);
      if (phase == TaskPhase::kIdle) {
        if (slot.word.compare_exchange_weak(word, TaskSlot::pack(generation, TaskPhase::kQueued)))
          return enqueue(index);
      } else if (phase == TaskPhase::kRunning) {
        if (slot.word.compare_exchange_weak(word,
                                            TaskSlot::pack(generation, TaskPhase::kRunningWoken)))
          return;
      } else {
        return;
      }
    }
  }

 private:
  void run() {
    current_ = this;
    while (take_arrivals()) {
      fire_timers();
      if (ready_.empty()) continue;
      const std::uint32_t index = ready_.front();
      ready_.pop_front();
      run_task(index);
    }
    current_ = nullptr;
  }

  // Collects what other threads queued; sleeps when there is nothing to do. False: stop.
  bool take_arrivals() {
    if (ready_.empty() && timers_.empty()) spin();
    if (!ready_.empty() && !has_arrivals_.load(std::memory_order_acquire)) return true;
    std::unique_lock lock(mutex_);
    while (!stopping_ && arrived_.empty() && arrived_timers_.empty() && ready_.empty()) {
      if (timers_.empty()) {
        sleeping_ = true;
        signal_.wait(lock);
      } else {
        const Millis remaining = saturating_sub(timers_.front().when, clock_.now());
        if (remaining <= 0) break;
        sleeping_ = true;
        signal_.wait_for(lock, std::chrono::milliseconds(std::min<Millis>(remaining, 60'000)));
      }
      sleeping_ = false;
    }
    ready_.insert(ready_.end(), arrived_.begin(), arrived_.end());
    arrived_.clear();
    for (const Timer& timer : arrived_timers_) push_timer(timer);
    arrived_timers_.clear();
    has_arrivals_.store(false, std::memory_order_relaxed);
    return !stopping_;
  }

  void spin() const noexcept {
    for (int i = 0; i < kSpins && !has_arrivals_.load(std::memory_order_relaxed); ++i) pause_cpu();
  }

  void fire_timers() {
    if (timers_.empty()) return;
    const ProcessingTime now = clock_.now();
    while (!timers_.empty() && timers_.front().when <= now) {
      const TaskId task = timers_.front().task;
      std::pop_heap(timers_.begin(), timers_.end());
      timers_.pop_back();
      wake(task);
    }
  }

  void push_timer(Timer timer) {
    timers_.push_back(timer);
    std::push_heap(timers_.begin(), timers_.end());
  }

  void run_task(std::uint32_t index) {
    TaskSlot& slot = tasks_.slot(index);
    const std::uint64_t generation = TaskSlot::generation_of(slot.word.load());
    slot.word.exchange(TaskSlot::pack(generation, TaskPhase::kRunning));
    const PollState state = poll_guarded(*slot.task);
    if (state == PollState::kFinished) {
      // Destroyed before the slot is given away; wakes that come meanwhile find it running.
      slot.task.reset();
      tasks_.release(index);
      return;
    }
    std::uint64_t running = TaskSlot::pack(generation, TaskPhase::kRunning);
    if (state != PollState::kReady &&
        slot.word.compare_exchange_strong(running, TaskSlot::pack(generation, TaskPhase::kIdle)))
      return;
    slot.word.exchange(TaskSlot::pack(generation, TaskPhase::kQueued));
    ready_.push_back(index);
  }

  // The one place that catches what leaves a poll.
  static PollState poll_guarded(Pollable& task) noexcept {
    try {
      return task.poll(PollBudget{});
    } catch (...) {
      task.on_failure(std::current_exception());
      return PollState::kFinished;
    }
  }

  // Requires the lock.
  void announce() noexcept {
    has_arrivals_.store(true, std::memory_order_release);
    if (sleeping_) signal_.notify_one();
  }

  static thread_local Worker* current_;

  TaskTable& tasks_;
  const Clock& clock_;
  std::thread thread_;
  std::deque<std::uint32_t> ready_;  // this thread only
  std::vector<Timer> timers_;        // this thread only; a heap
  std::mutex mutex_;                 // guards the rest
  std::condition_variable signal_;
  std::vector<std::uint32_t> arrived_;
  std::vector<Timer> arrived_timers_;
  bool sleeping_ = false;
  bool stopping_ = false;
  std::atomic<bool> has_arrivals_{false};
};

thread_local Worker* Worker::current_ = nullptr;

class ThreadedExecutor final : public Executor {
 public:
  ThreadedExecutor(const Clock& clock, const ThreadedExecutorOptions& options)
      : io_(options.io_threads, options.io_queue_max) {
    for (std::size_t i = 0; i < std::max<std::size_t>(options.cores, 1); ++i)
      workers_.push_back(std::make_unique<Worker>(tasks_, clock));
    for (auto& worker : workers_) worker->start();
  }

  ~ThreadedExecutor() override {
    io_.stop();
    for (auto& worker : workers_) worker->stop();
    tasks_.drop_tasks();
  }

  TaskId spawn(std::shared_ptr<Pollable> task, std::size_t core) override {
    TIDEMARK_CHECK(task != nullptr, "a task to spawn");
    const std::uint32_t index = tasks_.allocate();
    TaskSlot& slot = tasks_.slot(index);
    slot.task = std::move(task);
    const auto worker = static_cast<std::uint32_t>(core % workers_.size());
    slot.worker.store(worker);
    const TaskId id = tasks_.id_of(index);
    const std::uint64_t generation = TaskSlot::generation_of(slot.word.load());
    slot.word.store(TaskSlot::pack(generation, TaskPhase::kQueued));
    workers_[worker]->enqueue(index);
    return id;
  }

  void wake(TaskId task) noexcept override { worker_of(task).wake(task); }
  void wake_at(TaskId task, ProcessingTime when) override {
    worker_of(task).add_timer({when, task});
  }
  void run_blocking(std::function<void()> work) override { io_.run(std::move(work)); }
  std::size_t cores() const noexcept override { return workers_.size(); }

 private:
  // A stale id may give a worker that no longer owns the slot; its wake then sees another
  // generation, and a wake_at costs one wake for nothing.
  Worker& worker_of(TaskId task) noexcept {
    return *workers_[tasks_.slot(TaskTable::index_of(task)).worker];
  }

  TaskTable tasks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  IoPool io_;
};

}  // namespace

std::unique_ptr<Executor> make_threaded_executor(const Clock& clock,
                                                 ThreadedExecutorOptions options) {
  return std::make_unique<ThreadedExecutor>(clock, options);
}

std::uint32_t machine_cores() noexcept {
  return static_cast<std::uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace tidemark
