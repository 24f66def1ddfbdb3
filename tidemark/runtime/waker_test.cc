// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/waker.h"

#include <gtest/gtest.h>

#include <memory>

#include "tidemark/runtime/test_executor.h"

namespace tidemark {
namespace {

class CountingTask final : public Pollable {
 public:
  PollState poll(const PollBudget&) override {
    ++polls;
    return PollState::kWaitExternal;
  }
  void on_failure(std::exception_ptr) noexcept override {}

  int polls = 0;
};

// A spawned task may be polled by its thread before its spawner attaches the waker: the master's
// first poll arms the timer of the first checkpoint there.
TEST(WakeTimer, ArmsAgainWhatWasAskedForBeforeTheTaskWasAttached) {
  ManualClock clock;
  TestExecutor executor(clock);
  TaskWaker waker(executor);
  WakeTimer timer;
  const ProcessingTime start = clock.now();
  timer.arm(waker, start + 500, start);

  const auto task = std::make_shared<CountingTask>();
  waker.attach(executor.spawn(task, 0));
  executor.run_until_idle();
  const int polls = task->polls;
  timer.arm(waker, start + 500, start);

  EXPECT_TRUE(executor.run_until([&] { return task->polls > polls; }));
  EXPECT_EQ(clock.now(), start + 500);
}

TEST(WakeTimer, AsksOnceForATime) {
  ManualClock clock;
  TestExecutor executor(clock);
  TaskWaker waker(executor);
  WakeTimer timer;
  const auto task = std::make_shared<CountingTask>();
  waker.attach(executor.spawn(task, 0));
  executor.run_until_idle();

  const ProcessingTime start = clock.now();
  for (int i = 0; i < 3; ++i) timer.arm(waker, start + 500, start);
  const int polls = task->polls;
  EXPECT_FALSE(executor.run_until([] { return false; }));
  EXPECT_EQ(task->polls, polls + 1);
}

}  // namespace
}  // namespace tidemark
