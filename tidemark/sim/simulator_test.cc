// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tidemark/base/bytes.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

/// A task made of a function.
class FunctionTask final : public Pollable {
 public:
  explicit FunctionTask(std::function<PollState()> work) : work_(std::move(work)) {}

  PollState poll(const PollBudget&) override { return work_(); }
  void on_failure(std::exception_ptr) noexcept override { ++failures; }

  int failures = 0;

 private:
  std::function<PollState()> work_;
};

TaskId spawn(Simulator& simulator, std::function<PollState()> work) {
  return simulator.executor().spawn(std::make_shared<FunctionTask>(std::move(work)), 0);
}

/// Sends the numbers 1..count as watermarks, and batches (null ones do) in between, through a
/// channel to a task that collects the numbers.
struct Pipe {
  Pipe(Simulator& simulator, std::int64_t count_in, bool wake_receiver = true) : count(count_in) {
    ChannelOptions options{.batches_max = 2};
    if (wake_receiver)
      options.wake_receiver = [this, &simulator] { simulator.executor().wake(receiver_task); };
    options.wake_sender = [this, &simulator] { simulator.executor().wake(sender_task); };
    channel = simulator.transport().open_channel(options);
    sender_task = spawn(simulator, [this] { return send(); });
    receiver_task = spawn(simulator, [this] { return receive(); });
  }

  PollState send() {
    if (sent == count) return PollState::kFinished;
    if (!channel.sender->has_credit()) return PollState::kWaitCredit;
    channel.sender->send(BatchPtr{});
    channel.sender->send(Watermark{++sent});
    return PollState::kReady;
  }
  PollState receive() {
    while (auto element = channel.receiver->receive())
      if (const auto* watermark = std::get_if<Watermark>(&*element))
        received.push_back(watermark->time);
    return done() ? PollState::kFinished : PollState::kWaitInput;
  }
  bool done() const { return received.size() == static_cast<std::size_t>(count); }

  std::int64_t count;
  std::int64_t sent = 0;
  std::vector<EventTime> received;
  Channel channel;
  TaskId sender_task = 0;
  TaskId receiver_task = 0;
};

TEST(Simulator, KeepsTheOrderOfAChannelWhateverTheDelays) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Simulator simulator(seed, {});
    Pipe pipe(simulator, 50);
    ASSERT_TRUE(simulator.run_until([&] { return pipe.done(); }, 100'000))
        << "seed=" << seed << "\n"
        << simulator.describe_waiting();
    for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(pipe.received[i], static_cast<EventTime>(i + 1));
    EXPECT_EQ(simulator.statistics().overrun_batches_max, 0u);
  }
}

std::uint64_t trace_of(std::uint64_t seed, std::vector<std::string>* log = nullptr) {
  Simulator simulator(seed, {});
  if (log) simulator.set_log([log](std::string_view line) { log->emplace_back(line); });
  Pipe a(simulator, 20), b(simulator, 20);
  EXPECT_TRUE(simulator.run_until([&] { return a.done() && b.done(); }, 100'000));
  return simulator.trace_hash();
}

TEST(Simulator, OneSeedIsOneTrace) {
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(trace_of(seed), trace_of(seed)) << "seed=" << seed;
    traces.insert(trace_of(seed));
  }
  EXPECT_EQ(traces.size(), 50u);
}

TEST(Simulator, TheLogDoesNotChangeTheRun) {
  std::vector<std::string> first, second;
  EXPECT_EQ(trace_of(3, &first), trace_of(3));
  trace_of(3, &second);
  EXPECT_EQ(first, second);
  EXPECT_GT(first.size(), 40u);
}

TEST(Simulator, AWakeDuringOrBeforeAPollIsNotLost) {
  Simulator simulator(1, {});
  TaskId id = 0;
  int polls = 0;
  id = spawn(simulator, [&] {
    if (++polls < 10) simulator.executor().wake(id);  // then claims to wait
    return PollState::kWaitInput;
  });
  simulator.executor().wake(id);
  EXPECT_FALSE(simulator.run_until([] { return false; }, 1'000));
  EXPECT_EQ(polls, 10);
}

TEST(Simulator, AForgottenWakeIsADeadlockThatNamesTheTasks) {
  Simulator simulator(1, {});
  Pipe pipe(simulator, 50, /*wake_receiver=*/false);
  EXPECT_FALSE(simulator.run_until([&] { return pipe.done(); }, 1'000'000));
  EXPECT_TRUE(simulator.deadlocked());
  EXPECT_LT(simulator.statistics().steps, 1'000u) << "found at once, not after all steps";
  EXPECT_THAT(simulator.describe_waiting(), HasSubstr("task 1 waits for credit"));
  EXPECT_THAT(simulator.describe_waiting(), HasSubstr("task 2 waits for input"));
  EXPECT_THAT(simulator.describe_waiting(), HasSubstr("credit 2 of 2 used, its sender waits"));
}

TEST(Simulator, TasksThatFinishedAreNoDeadlock) {
  Simulator simulator(1, {});
  spawn(simulator, [] { return PollState::kFinished; });
  EXPECT_FALSE(simulator.run_until([] { return false; }, 1'000));
  EXPECT_FALSE(simulator.deadlocked());
  EXPECT_EQ(simulator.describe_waiting(), "");
}

TEST(Simulator, TimersComeNotBeforeTheirTime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Simulator simulator(seed, {});
    const ProcessingTime due = simulator.clock().now() + 3'600'000;
    ProcessingTime woken_at = 0;
    TaskId id = 0;
    bool first = true;
    id = spawn(simulator, [&] {
      if (std::exchange(first, false)) {
        simulator.executor().wake_at(id, due);
        return PollState::kWaitExternal;
      }
      woken_at = simulator.clock().now();
      return PollState::kFinished;
    });
    ASSERT_TRUE(simulator.run_until([&] { return woken_at != 0; }, 1'000));
    EXPECT_GE(woken_at, due);
    EXPECT_LE(woken_at, due + 100);
  }
}

TEST(Simulator, TimePassesForABusyTask) {
  Simulator simulator(1, {});
  const ProcessingTime start = simulator.clock().now();
  spawn(simulator, [] { return PollState::kReady; });
  EXPECT_TRUE(simulator.run_until([&] { return simulator.clock().now() > start + 1'000; }, 10'000));
}

TEST(Simulator, BlockingWorkRunsLaterInAnyOrder) {
  bool in_order = false, swapped = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Simulator simulator(seed, {});
    std::vector<int> order;
    spawn(simulator, [&] {
      simulator.executor().run_blocking([&] { order.push_back(1); });
      simulator.executor().run_blocking([&] { order.push_back(2); });
      return PollState::kFinished;
    });
    ASSERT_TRUE(simulator.run_until([&] { return order.size() == 2; }, 100));
    (order[0] == 1 ? in_order : swapped) = true;
  }
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(swapped);
}

TEST(Simulator, AnExceptionGoesToOnFailureOnceAndEndsTheTask) {
  Simulator simulator(1, {});
  const auto task =
      std::make_shared<FunctionTask>([]() -> PollState { throw std::runtime_error("broken"); });
  const TaskId id = simulator.executor().spawn(task, 0);
  simulator.run_until([] { return false; }, 100);
  simulator.executor().wake(id);
  simulator.run_until([] { return false; }, 100);
  EXPECT_EQ(task->failures, 1);
  EXPECT_EQ(task.use_count(), 1) << "the executor let go of it";
}

TEST(Simulator, ACrashDropsTasksQueuesAndUnsyncedFiles) {
  Simulator simulator(1, {.crash_keeps_some_unsynced = false});
  Pipe pipe(simulator, 1'000'000);
  const auto file = simulator.files().create("/f");
  simulator.run_until([&] { return pipe.received.size() > 10; }, 100'000);
  const std::size_t before = pipe.received.size();
  bool ran = false;
  simulator.executor().run_blocking([&] { ran = true; });
  simulator.crash();
  EXPECT_FALSE(simulator.run_until([] { return false; }, 100'000));
  EXPECT_EQ(pipe.received.size(), before);
  EXPECT_FALSE(ran);
  EXPECT_FALSE(simulator.files().exists("/f"));
  EXPECT_THROW(file->append(as_byte_span("1")), IoFailure);

  Pipe second(simulator, 10);
  EXPECT_TRUE(simulator.run_until([&] { return second.done(); }, 100'000))
      << "the machine starts again";
}

TEST(Simulator, StopsWhenTheDiskHalts) {
  Simulator simulator(1, {.halt_at_nth_file_operation = 3});
  int calls = 0;
  spawn(simulator, [&] {
    ++calls;
    try {
      simulator.files().exists("/");
    } catch (const IoFailure&) {
    }
    return PollState::kReady;
  });
  EXPECT_FALSE(simulator.run_until([] { return false; }, 1'000));
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(simulator.files().halted());
}

}  // namespace
}  // namespace tidemark
