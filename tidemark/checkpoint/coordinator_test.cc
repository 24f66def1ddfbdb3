// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/checkpoint/coordinator_printing.h"

namespace tidemark {
namespace {

using namespace checkpoint_event;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Steps a coordinator and gives its actions as text: "inject 1 periodic", "wake 100".
class CoordinatorTest : public ::testing::Test {
 protected:
  CoordinatorTest() { state_.config = {.interval = 100, .timeout = 1'000}; }

  std::vector<std::string> on(const CheckpointEvent& event) {
    std::vector<std::string> text;
    for (const CheckpointAction& action : step(state_, event)) text.push_back(in_words(action));
    return text;
  }
  std::vector<std::string> start(std::set<SubtaskId> subtasks = {1, 2}) {
    return on(Start{0, {}, std::move(subtasks)});
  }
  /// From the barriers to the notification.
  void complete(CheckpointId id, ProcessingTime now) {
    for (const SubtaskId subtask : state_.running) on(Acknowledged{now, id, subtask});
    on(MetadataWritten{now, id});
  }

  CheckpointState state_;
};

TEST_F(CoordinatorTest, LifeOfACheckpoint) {
  EXPECT_THAT(start(), ElementsAre("wake 100"));
  EXPECT_THAT(on(Tick{99}), IsEmpty());
  EXPECT_THAT(on(Tick{100}), ElementsAre("inject 1 periodic", "wake 1100"));
  EXPECT_THAT(on(Acknowledged{110, 1, 2}), IsEmpty());
  EXPECT_THAT(on(Acknowledged{120, 1, 1}), ElementsAre("write 1 periodic"));
  EXPECT_THAT(on(MetadataWritten{130, 1}), ElementsAre("complete 1 periodic", "wake 200"));
  EXPECT_THAT(state_.completed, ElementsAre(1));
  EXPECT_THAT(on(Tick{200}), ElementsAre("inject 2 periodic", "wake 1200"));
}

TEST_F(CoordinatorTest, OneThatTakesLongerThanTheIntervalIsFollowedAtOnce) {
  start();
  on(Tick{100});
  EXPECT_THAT(on(Tick{350}), IsEmpty()) << "never two at a time";
  // The wake at 1100 is still to come: the timeout of the next is looked at again then.
  on(Acknowledged{350, 1, 1});
  on(Acknowledged{350, 1, 2});
  EXPECT_THAT(on(MetadataWritten{360, 1}), ElementsAre("complete 1 periodic", "inject 2 periodic"));
}

TEST_F(CoordinatorTest, MinPauseCountsFromTheEnd) {
  state_.config.min_pause = 50;
  start();
  on(Tick{100});
  on(Acknowledged{190, 1, 1});
  on(Acknowledged{190, 1, 2});
  EXPECT_THAT(on(MetadataWritten{190, 1}), ElementsAre("complete 1 periodic", "wake 240"));
  EXPECT_THAT(on(Tick{239}), IsEmpty());
  EXPECT_THAT(on(Tick{240}), ElementsAre("inject 2 periodic", "wake 1240"));
}

TEST_F(CoordinatorTest, TheFirstFailureFailsTheJobByDefault) {
  start();
  on(Tick{100});
  const auto actions = on(Declined{110, 1, 2, "disk full"});
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0], "abort 1: subtask 2 declined checkpoint 1: disk full");
  EXPECT_THAT(actions[1], HasSubstr("fail: 1 checkpoint(s) failed in a row, 0 are tolerated"));
  EXPECT_THAT(on(Tick{10'000}), IsEmpty()) << "nothing until the next attempt";
  EXPECT_THAT(on(Start{10'000, {}, {1}}), ElementsAre("wake 10100"));
  EXPECT_THAT(on(Tick{10'100}), ElementsAre("inject 2 periodic", "wake 11100"));
}

TEST_F(CoordinatorTest, ToleratedFailuresCountInARow) {
  state_.config.tolerable_failures = 1;
  start();
  on(Tick{100});
  EXPECT_THAT(on(Declined{110, 1, 2, "x"}), testing::SizeIs(2)) << "abort and wake";
  on(Tick{200});
  complete(2, 210);
  on(Tick{300});
  EXPECT_EQ(on(Declined{310, 3, 1, "x"}).size(), 2u) << "the one in between ended the row";
  on(Tick{400});
  on(Acknowledged{410, 4, 1});
  on(Acknowledged{410, 4, 2});
  const auto actions = on(MetadataFailed{420, 4, "no space left on device"});
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_THAT(actions[0], HasSubstr("abort 4: the metadata of checkpoint 4 could not be written: "
                                    "no space left on device"));
  EXPECT_THAT(actions[1], HasSubstr("fail: 2 checkpoint(s)"));
  EXPECT_EQ(state_.failed_total, 3u);
}

TEST_F(CoordinatorTest, ATimeoutIsAFailure) {
  state_.config.tolerable_failures = 5;
  start();
  on(Tick{100});
  on(Acknowledged{110, 1, 1});
  EXPECT_THAT(on(Tick{1'099}), IsEmpty());
  const auto actions = on(Tick{1'100});
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_THAT(actions[0], HasSubstr("abort 1: checkpoint 1 was not complete after 1000 ms"));
  EXPECT_THAT(actions[0], HasSubstr("1 subtask(s) had not acknowledged, the first is 2"));
  EXPECT_EQ(actions[1], "inject 2 periodic");
  EXPECT_THAT(on(Acknowledged{1'101, 1, 2}), IsEmpty()) << "late";
}

TEST_F(CoordinatorTest, MetadataThatIsBeingWrittenDoesNotTimeOut) {
  start();
  on(Tick{100});
  on(Acknowledged{110, 1, 1});
  on(Acknowledged{110, 1, 2});
  EXPECT_THAT(on(Tick{50'000}), IsEmpty());
  EXPECT_EQ(on(MetadataWritten{50'001, 1}).front(), "complete 1 periodic");
}

TEST_F(CoordinatorTest, WhatIsNotPendingChangesNothing) {
  start();
  on(Tick{100});
  EXPECT_THAT(on(Acknowledged{110, 7, 1}), IsEmpty());
  EXPECT_THAT(on(Acknowledged{110, 1, 9}), IsEmpty());
  EXPECT_THAT(on(Declined{110, 7, 1, "x"}), IsEmpty());
  EXPECT_THAT(on(MetadataWritten{110, 1}), IsEmpty());
  EXPECT_THAT(on(MetadataFailed{110, 1, "x"}), IsEmpty());
  on(Acknowledged{110, 1, 1});
  EXPECT_THAT(on(Acknowledged{111, 1, 1}), IsEmpty()) << "twice is once";
  EXPECT_THAT(on(Declined{111, 1, 1, "x"}), IsEmpty()) << "it has acknowledged";
  EXPECT_THAT(on(Acknowledged{112, 1, 2}), ElementsAre("write 1 periodic"));
  EXPECT_THAT(on(Declined{113, 1, 2, "x"}), IsEmpty());
  on(MetadataWritten{114, 1});
  EXPECT_THAT(on(MetadataWritten{115, 1}), IsEmpty());
}

TEST_F(CoordinatorTest, FinishedSubtasksHoldNothingBack) {
  start({1, 2, 3});
  on(SubtaskFinished{50, 3});
  on(Tick{100});
  on(Acknowledged{110, 1, 1});
  EXPECT_THAT(on(SubtaskFinished{120, 2}), ElementsAre("write 1 periodic"));
  on(MetadataWritten{130, 1});
  on(Tick{200});
  EXPECT_THAT(on(Acknowledged{210, 2, 1}), ElementsAre("write 2 periodic"));
  on(MetadataWritten{220, 2});
  on(SubtaskFinished{230, 1});
  EXPECT_THAT(on(Tick{10'000}), IsEmpty()) << "nobody is left";
  EXPECT_THAT(on(Trigger{10'001, CheckpointReason::kFinal}),
              ElementsAre("inject 3 final", "write 3 final"));
}

TEST_F(CoordinatorTest, TheFinalOneWaitsForThePendingAndNotForTheInterval) {
  state_.config.min_pause = 1'000;
  start();
  on(Tick{100});
  EXPECT_THAT(on(Trigger{110, CheckpointReason::kFinal}), IsEmpty());
  on(Acknowledged{120, 1, 1});
  on(Acknowledged{120, 1, 2});
  EXPECT_THAT(on(MetadataWritten{130, 1}), ElementsAre("complete 1 periodic", "inject 2 final"));
  EXPECT_THAT(on(Trigger{140, CheckpointReason::kFinal}), IsEmpty()) << "it is under way";
  on(Acknowledged{150, 2, 1});
  on(Acknowledged{150, 2, 2});
  EXPECT_THAT(on(MetadataWritten{160, 2}), ElementsAre("complete 2 final", "discard 1"));
  EXPECT_THAT(on(Tick{100'000}), IsEmpty()) << "it was the last";
}

TEST_F(CoordinatorTest, AFinalOneThatFailsIsTriedAgain) {
  state_.config = {.interval = 0, .timeout = 1'000, .min_pause = 30, .tolerable_failures = 1};
  EXPECT_THAT(start(), IsEmpty()) << "no periodic ones";
  EXPECT_THAT(on(Trigger{10, CheckpointReason::kFinal}),
              ElementsAre("inject 1 final", "wake 1010"));
  EXPECT_THAT(on(Declined{20, 1, 1, "x"}),
              ElementsAre("abort 1: subtask 1 declined checkpoint 1: x", "wake 50"));
  EXPECT_THAT(on(Tick{50}), ElementsAre("inject 2 final", "wake 1050"));
}

TEST_F(CoordinatorTest, ASavepointRunsAtOnceAndBeforeTheFinalOne) {
  start();
  EXPECT_THAT(on(Trigger{10, CheckpointReason::kSavepoint}), ElementsAre("inject 1 savepoint"));
  on(Trigger{11, CheckpointReason::kFinal});
  on(Trigger{12, CheckpointReason::kSavepoint});
  on(Acknowledged{20, 1, 1});
  on(Acknowledged{20, 1, 2});
  EXPECT_THAT(on(MetadataWritten{30, 1}),
              ElementsAre("complete 1 savepoint", "inject 2 savepoint"));
  on(Acknowledged{40, 2, 1});
  on(Acknowledged{40, 2, 2});
  EXPECT_THAT(on(MetadataWritten{50, 2}), ElementsAre("complete 2 savepoint", "inject 3 final"));
}

TEST_F(CoordinatorTest, ASavepointIsNoPartOfRecovery) {
  start();
  on(Trigger{10, CheckpointReason::kSavepoint});
  on(Acknowledged{20, 1, 1});
  on(Acknowledged{20, 1, 2});
  on(MetadataWritten{30, 1});
  EXPECT_THAT(state_.completed, IsEmpty());
  EXPECT_EQ(state_.completed_total, 0u);

  on(Trigger{31, CheckpointReason::kSavepoint});
  EXPECT_THAT(on(Declined{40, 2, 1, "x"}),
              ::testing::Contains("abort 2: subtask 1 declined checkpoint 2: x"));
  EXPECT_EQ(state_.failed_total, 0u) << "its failure is the user's to see, not the job's";
  EXPECT_TRUE(state_.active);
}

TEST_F(CoordinatorTest, KeepsTheRetainedNumber) {
  state_.config.retained = 2;
  on(Start{0, {4, 5, 8}, {1}});
  EXPECT_THAT(state_.completed, ElementsAre(5, 8));
  on(Tick{100});
  on(Acknowledged{101, 9, 1});
  EXPECT_THAT(on(MetadataWritten{102, 9}),
              ElementsAre("complete 9 periodic", "discard 5", "wake 200"));
  EXPECT_THAT(state_.completed, ElementsAre(8, 9));
}

TEST_F(CoordinatorTest, TheEndOfAnAttemptAbortsWithoutCounting) {
  start();
  on(Tick{100});
  EXPECT_THAT(on(Ended{110, "a task failed"}),
              ElementsAre("abort 1: the attempt ended: a task failed"));
  EXPECT_EQ(state_.consecutive_failures, 0u);
  on(Start{120, {}, {1, 2}});
  EXPECT_THAT(on(Tick{220}), ElementsAre("inject 2 periodic", "wake 1220"))
      << "numbers are not used twice";
}

TEST_F(CoordinatorTest, MetadataUnderWayOutlivesTheAttempt) {
  start();
  on(Tick{100});
  on(Acknowledged{110, 1, 1});
  on(Acknowledged{110, 1, 2});
  EXPECT_THAT(on(Ended{120, "a task failed"}), IsEmpty());
  ASSERT_TRUE(state_.pending);
  EXPECT_THAT(on(MetadataWritten{130, 1}), ElementsAre("complete 1 periodic"));
  EXPECT_THAT(state_.completed, ElementsAre(1));
}

TEST_F(CoordinatorTest, FollowsAClockThatIsSetBack) {
  on(Start{1'000'000, {}, {1}});
  EXPECT_THAT(on(Tick{500'000}), ElementsAre("wake 500100"));
  EXPECT_THAT(on(Tick{500'100}), ElementsAre("inject 1 periodic", "wake 501100"));
  EXPECT_THAT(on(Tick{400'000}), ElementsAre("wake 401000"));
}

}  // namespace
}  // namespace tidemark
