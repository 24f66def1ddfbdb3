// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/threaded_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tidemark/base/clock.h"
#include "tidemark/runtime/waker.h"

namespace tidemark {
namespace {

class FunctionTask final : public Pollable {
 public:
  explicit FunctionTask(std::function<PollState()> poll,
                        std::function<void(std::exception_ptr)> failed = {})
      : poll_(std::move(poll)), failed_(std::move(failed)) {}
  PollState poll(const PollBudget&) override { return poll_(); }
  void on_failure(std::exception_ptr failure) noexcept override {
    if (failed_) failed_(failure);
  }

 private:
  std::function<PollState()> poll_;
  std::function<void(std::exception_ptr)> failed_;
};

class ThreadedExecutor : public testing::Test {
 protected:
  SystemClock clock_;
  std::unique_ptr<Executor> executor_ = make_threaded_executor(clock_, {.cores = 2});
};

TEST_F(ThreadedExecutor, PollsUntilFinished) {
  std::latch finished(1);
  int polls = 0;
  executor_->spawn(std::make_shared<FunctionTask>([&] {
                     if (++polls < 100) return PollState::kReady;
                     finished.count_down();
                     return PollState::kFinished;
                   }),
                   0);
  finished.wait();
  EXPECT_EQ(polls, 100);
}

TEST_F(ThreadedExecutor, KeepsATaskOnItsThread) {
  std::latch finished(2);
  std::array<std::thread::id, 2> threads;
  std::array<bool, 2> moved{false, false};
  for (std::size_t core : {0u, 1u}) {
    auto polls = std::make_shared<int>(0);
    executor_->spawn(std::make_shared<FunctionTask>([&, core, polls] {
                       if (*polls == 0) threads[core] = std::this_thread::get_id();
                       moved[core] = moved[core] || threads[core] != std::this_thread::get_id();
                       if (++*polls < 1000) return PollState::kReady;
                       finished.count_down();
                       return PollState::kFinished;
                     }),
                     core);
  }
  finished.wait();
  EXPECT_FALSE(moved[0] || moved[1]);
  EXPECT_NE(threads[0], threads[1]);
}

// Two tasks on two threads hand a number to each other and sleep in between: a wake that is lost
// once in 100,000 hangs the test.
TEST_F(ThreadedExecutor, LosesNoWake) {
  constexpr int kTurns = 100'000;
  std::atomic<int> turn{0};
  std::latch finished(2);
  std::array<std::shared_ptr<TaskWaker>, 2> wakers{std::make_shared<TaskWaker>(*executor_),
                                                   std::make_shared<TaskWaker>(*executor_)};
  std::array<TaskId, 2> ids{};
  for (int side : {0, 1}) {
    ids[side] = executor_->spawn(std::make_shared<FunctionTask>([&, side] {
                                   const int now = turn.load();
                                   if (now >= kTurns) {
                                     wakers[1 - side]->wake();
                                     finished.count_down();
                                     return PollState::kFinished;
                                   }
                                   if (now % 2 == side) {
                                     turn.store(now + 1);
                                     wakers[1 - side]->wake();
                                   }
                                   return PollState::kWaitInput;
                                 }),
                                 static_cast<std::size_t>(side));
  }
  for (int side : {0, 1}) wakers[side]->attach(ids[side]);
  finished.wait();
  EXPECT_EQ(turn.load(), kTurns);
}

TEST_F(ThreadedExecutor, AWakeDuringAPollPollsAgain) {
  std::latch finished(1);
  auto waker = std::make_shared<TaskWaker>(*executor_);
  int polls = 0;
  const TaskId id = executor_->spawn(std::make_shared<FunctionTask>([&] {
                                       ++polls;
                                       if (polls > 5) {
                                         finished.count_down();
                                         return PollState::kFinished;
                                       }
                                       waker->wake();
                                       return PollState::kWaitExternal;
                                     }),
                                     0);
  waker->attach(id);
  finished.wait();
}

TEST_F(ThreadedExecutor, HandsAFailureToItsTaskOnceAndPollsItNoMore) {
  std::latch failed(1);
  std::atomic<int> polls{0};
  std::string message;
  const TaskId id = executor_->spawn(std::make_shared<FunctionTask>(
                                         [&]() -> PollState {
                                           ++polls;
                                           throw std::runtime_error("broken");
                                         },
                                         [&](std::exception_ptr failure) {
                                           try {
                                             std::rethrow_exception(failure);
                                           } catch (const std::exception& known) {
                                             message = known.what();
                                           }
                                           failed.count_down();
                                         }),
                                     0);
  failed.wait();
  executor_->wake(id);
  std::latch later(1);
  executor_->spawn(std::make_shared<FunctionTask>([&] {
                     later.count_down();
                     return PollState::kFinished;
                   }),
                   0);
  later.wait();
  EXPECT_EQ(polls.load(), 1);
  EXPECT_EQ(message, "broken");
}

TEST_F(ThreadedExecutor, WakesAtATime) {
  std::latch finished(1);
  const ProcessingTime start = clock_.now();
  auto waker = std::make_shared<TaskWaker>(*executor_);
  std::atomic<bool> armed{false};
  const TaskId id = executor_->spawn(std::make_shared<FunctionTask>([&] {
                                       if (armed && clock_.now() >= start + 20) {
                                         finished.count_down();
                                         return PollState::kFinished;
                                       }
                                       return PollState::kWaitExternal;
                                     }),
                                     1);
  waker->attach(id);
  armed = true;
  EXPECT_TRUE(waker->wake_at(start + 20));
  finished.wait();
  EXPECT_GE(clock_.now(), start + 20);
}

TEST_F(ThreadedExecutor, RunsBlockingWorkElsewhere) {
  std::latch finished(1);
  std::thread::id worker;
  std::atomic<bool> done{false};
  auto waker = std::make_shared<TaskWaker>(*executor_);
  bool asked = false;
  std::thread::id task_thread;
  const TaskId id = executor_->spawn(std::make_shared<FunctionTask>([&] {
                                       if (done) {
                                         finished.count_down();
                                         return PollState::kFinished;
                                       }
                                       task_thread = std::this_thread::get_id();
                                       if (!asked)
                                         executor_->run_blocking([&] {
                                           worker = std::this_thread::get_id();
                                           done = true;
                                           waker->wake();
                                         });
                                       asked = true;
                                       return PollState::kWaitExternal;
                                     }),
                                     0);
  waker->attach(id);
  finished.wait();
  EXPECT_NE(worker, task_thread);
}

TEST(ThreadedExecutorSlots, AWakeForAFinishedTaskReachesNobodyElse) {
  SystemClock clock;
  const std::unique_ptr<Executor> executor = make_threaded_executor(clock, {.cores = 1});
  std::latch first(1);
  const TaskId old = executor->spawn(std::make_shared<FunctionTask>([&] {
                                       first.count_down();
                                       return PollState::kFinished;
                                     }),
                                     0);
  first.wait();
  // The slot of the first is given away some time after its last poll.
  std::vector<TaskId> later;
  std::atomic<int> polls{0};
  std::latch polled(8);
  for (int i = 0; i < 8; ++i)
    later.push_back(executor->spawn(std::make_shared<FunctionTask>([&] {
                                      ++polls;
                                      polled.count_down();
                                      return PollState::kWaitInput;
                                    }),
                                    0));
  polled.wait();
  for (const TaskId id : later) EXPECT_NE(id, old);
  executor->wake(old);
  std::latch last(1);
  executor->spawn(std::make_shared<FunctionTask>([&] {
                    last.count_down();
                    return PollState::kFinished;
                  }),
                  0);
  last.wait();
  EXPECT_EQ(polls.load(), 8);
}

TEST(ThreadedExecutorEnd, DestroysTasksThatHaveNotFinished) {
  SystemClock clock;
  auto alive = std::make_shared<int>(0);
  {
    const std::unique_ptr<Executor> executor = make_threaded_executor(clock, {.cores = 2});
    for (std::size_t i = 0; i < 4; ++i)
      executor->spawn(std::make_shared<FunctionTask>([alive] { return PollState::kWaitInput; }), i);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

}  // namespace
}  // namespace tidemark
