// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/job.h"

#include <gtest/gtest.h>

#include <latch>

#include "tidemark/expr/proto.h"
#include "tidemark/runtime/test_connectors.h"
#include "tidemark/runtime/test_executor.h"
#include "tidemark/runtime/test_files.h"
#include "tidemark/runtime/threaded_executor.h"

namespace tidemark {
namespace {

using Rows = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Jobs : public testing::Test {
 protected:
  void SetUp() override {
    executor_.set_millis_per_poll(1);
    config_.checkpoint.interval = 8;
    config_.checkpoint_directory = directory_;
    config_.batch_rows = 3;
    config_.channel_batches = 2;
    config_.restart = {.type = RestartConfig::Type::kFixedDelay, .attempts_max = 3, .delay = 10};
  }
  /// source -> [sum by key] -> sink.
  JobGraph graph(bool sums) {
    JobGraph graph;
    graph.plan.set_name("job");
    const auto add_node = [&](std::uint32_t id, const std::string& uid) {
      proto::Node* node = graph.plan.add_nodes();
      node->set_id(id);
      node->set_uid(uid);
      node->set_name(uid);
      node->mutable_native()->set_factory(uid);
      return node;
    };
    to_proto(*pair_schema(), add_node(1, "source")->mutable_output());
    graph.native["source"].source = std::make_shared<CountingSource>(plan_);
    graph.native["source"].watermark = monotonous_timestamps();
    std::uint32_t last = 1;
    if (sums) {
      to_proto(*pair_schema(), add_node(2, "sum")->mutable_output());
      graph.native["sum"].make_operator = [] { return std::make_unique<KeyedSum>(); };
      proto::Edge* edge = graph.plan.add_edges();
      edge->set_from(1);
      edge->set_to(2);
      edge->set_partitioning(proto::Edge::HASH);
      edge->add_key_columns(0);
      last = 2;
    }
    add_node(3, "sink");
    graph.native["sink"].sink = std::make_shared<MemorySink>(table_);
    proto::Edge* edge = graph.plan.add_edges();
    edge->set_from(last);
    edge->set_to(3);
    return graph;
  }

  std::unique_ptr<Job> start(bool sums = false) {
    auto job = start_job(graph(sums), config_,
                         {.clock = &clock_,
                          .executor = &executor_,
                          .transport = transport_.get(),
                          .files = &files_,
                          .connectors = &connectors_},
                         [this] { ++ends_; });
    if (!job.ok()) {
      error_ = job.error().message;
      return nullptr;
    }
    return std::move(*job);
  }
  bool run(Job& job) {
    return executor_.run_until([&] { return job.ended() && executor_.all_finished(); });
  }
  /// All rows of the source.
  Rows all_rows() const {
    Rows rows;
    for (std::size_t split = 0; split < plan_.splits; ++split)
      for (std::int64_t n = 1; n <= plan_.rows; ++n) rows.emplace_back(n % plan_.keys, n);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  Rows all_sums() const {
    std::map<std::int64_t, std::int64_t> sums;
    for (const auto& [key, value] : all_rows()) sums[key] += value;
    return {sums.begin(), sums.end()};
  }
  Rows written() const {
    Rows rows = table_->rows;
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  const std::string directory_ = "/checkpoints";
  ManualClock clock_{1'000'000};
  TestExecutor executor_{clock_};
  std::unique_ptr<Transport> transport_ = make_local_transport();
  TestFiles files_;
  ConnectorRegistry connectors_;
  JobConfig config_;
  CountingPlan plan_{.splits = 3, .rows = 2000};
  std::shared_ptr<MemoryTable> table_ = std::make_shared<MemoryTable>();
  std::string error_;
  int ends_ = 0;
};

TEST_F(Jobs, CopiesEverythingFromSourceToSink) {
  const auto job = start();
  ASSERT_TRUE(job) << error_;
  ASSERT_TRUE(run(*job));
  const JobReport report = job->report();
  EXPECT_EQ(report.state, JobState::kFinished) << report.failure;
  EXPECT_EQ(written(), all_rows());
  EXPECT_EQ(report.rows_read, 6000u);
  EXPECT_EQ(report.rows_written, 6000u);
  EXPECT_EQ(report.watermark, kMaxTime);
  EXPECT_EQ(report.bytes_read, report.bytes_total);
  EXPECT_GT(report.checkpoints_completed, 1u);
  EXPECT_EQ(ends_, 1);
}

TEST_F(Jobs, PublishesAtTheEndWithoutCheckpoints) {
  config_.checkpoint_directory.clear();
  const auto job = start(true);
  ASSERT_TRUE(job) << error_;
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kFinished);
  EXPECT_EQ(job->report().checkpoints_completed, 0u);
  EXPECT_EQ(written(), all_sums());
}

TEST_F(Jobs, TakesOneFinalCheckpointWhenTheIntervalIsZero) {
  config_.checkpoint.interval = 0;
  const auto job = start(true);
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().checkpoints_completed, 1u);
  EXPECT_EQ(written(), all_sums());
}

TEST_F(Jobs, SumsByKeyAtAnyParallelism) {
  for (const std::uint32_t parallelism : {1u, 2u, 4u}) {
    files_.remove_tree(directory_);
    table_ = std::make_shared<MemoryTable>();
    config_.parallelism = parallelism;
    const auto job = start(true);
    ASSERT_TRUE(job) << error_;
    ASSERT_TRUE(run(*job));
    EXPECT_EQ(written(), all_sums()) << parallelism;
  }
}

TEST_F(Jobs, ARunOfAFinishedJobDoesNothing) {
  ASSERT_TRUE(run(*start(true)));
  const auto again = start(true);
  ASSERT_TRUE(again) << error_;
  ASSERT_TRUE(run(*again));
  EXPECT_TRUE(again->report().already_finished);
  EXPECT_EQ(again->report().state, JobState::kFinished);
  EXPECT_EQ(again->report().rows_read, 6000u);
  EXPECT_EQ(written(), all_sums());
  EXPECT_EQ(ends_, 2);
}

TEST_F(Jobs, FreshStartsOver) {
  ASSERT_TRUE(run(*start(true)));
  config_.fresh = true;
  const auto again = start(true);
  ASSERT_TRUE(again) << error_;
  ASSERT_TRUE(run(*again));
  EXPECT_FALSE(again->report().already_finished);
  EXPECT_EQ(again->report().rows_read, 6000u);
  EXPECT_EQ(table_->rows.size(), 2 * all_sums().size());
}

TEST_F(Jobs, AFailureIsFollowedByARestartThatLosesAndRepeatsNothing) {
  for (const std::int64_t fail_at : {1, 300, 1100, 1999}) {
    for (const bool sums : {false, true}) {
      files_.remove_tree(directory_);
      table_ = std::make_shared<MemoryTable>();
      config_.parallelism = 2;
      *plan_.fail_at = fail_at;
      const auto job = start(sums);
      ASSERT_TRUE(job) << error_;
      ASSERT_TRUE(run(*job));
      const JobReport report = job->report();
      EXPECT_EQ(report.state, JobState::kFinished) << report.failure;
      EXPECT_EQ(report.restarts, 1u);
      EXPECT_EQ(report.rows_read, 6000u);
      EXPECT_EQ(written(), sums ? all_sums() : all_rows()) << fail_at;
    }
  }
}

TEST_F(Jobs, WhatARetryCannotMendFailsTheJobAtOnce) {
  plan_.retryable = false;
  *plan_.fail_at = 60;
  const auto job = start();
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kFailed);
  EXPECT_EQ(job->report().restarts, 0u);
  EXPECT_NE(job->report().failure.find("the source broke"), std::string::npos);
  EXPECT_EQ(ends_, 1);
}

TEST_F(Jobs, GivesUpWhenTheRestartStrategyDoes) {
  config_.restart.type = RestartConfig::Type::kNone;
  *plan_.fail_at = 60;
  const auto job = start();
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kFailed);
}

TEST_F(Jobs, GoesOnAfterACrashAtAnotherParallelism) {
  for (const std::uint64_t checkpoints : {1u, 2u, 4u}) {
    files_.remove_tree(directory_);
    table_ = std::make_shared<MemoryTable>();
    for (const std::uint32_t parallelism : {4u, 1u, 3u}) {
      config_.parallelism = parallelism;
      const auto job = start(true);
      ASSERT_TRUE(job) << error_;
      const std::uint64_t before = job->report().checkpoints_completed;
      const bool last = parallelism == 3;
      ASSERT_TRUE(executor_.run_until([&] {
        return job->ended() ||
               (!last && job->report().checkpoints_completed >= before + checkpoints);
      }));
      if (last) {
        ASSERT_TRUE(run(*job));
        EXPECT_EQ(job->report().rows_read, 6000u);
        EXPECT_EQ(job->report().state, JobState::kFinished);
      } else {
        ASSERT_EQ(job->report().state, JobState::kRunning);
      }
      executor_.crash();
    }
    EXPECT_EQ(written(), all_sums()) << checkpoints;
    EXPECT_TRUE(table_->prepared.empty());
  }
}

TEST_F(Jobs, AStoppedJobHasAFinalCheckpointAndDoesNotEndItsInput) {
  const auto job = start(true);
  ASSERT_TRUE(executor_.run_until([&] { return job->report().rows_read > 1000; }));
  job->stop();
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kStopped) << job->report().failure;
  EXPECT_LT(job->report().rows_read, 6000u);
  EXPECT_LT(job->report().watermark, kMaxTime);
  EXPECT_TRUE(table_->rows.empty());  // finish() was not called
  const std::uint64_t read = job->report().rows_read;
  const auto next = start(true);
  ASSERT_TRUE(next) << error_;
  EXPECT_EQ(next->report().restored_from, job->report().last_checkpoint);
  EXPECT_EQ(next->report().rows_read, read);
  ASSERT_TRUE(run(*next));
  EXPECT_EQ(next->report().rows_read, 6000u);
  EXPECT_EQ(written(), all_sums());
}

TEST_F(Jobs, StopsWithoutADirectory) {
  config_.checkpoint_directory.clear();
  plan_.unbounded = true;
  const auto job = start();
  ASSERT_TRUE(executor_.run_until([&] { return job->report().rows_read == 6000; }));
  job->stop();
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kStopped);
  EXPECT_EQ(written(), all_rows());
}

TEST_F(Jobs, ACancelledJobEndsAtOnceAndCanBeResumed) {
  plan_.unbounded = true;
  const auto job = start();
  ASSERT_TRUE(executor_.run_until([&] { return job->report().checkpoints_completed > 2; }));
  job->cancel();
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kStopped);
  plan_.unbounded = false;
  const auto next = start();
  ASSERT_TRUE(next) << error_;
  ASSERT_TRUE(run(*next));
  EXPECT_EQ(written(), all_rows());
}

TEST_F(Jobs, RefusesACheckpointOfAnotherJob) {
  ASSERT_TRUE(run(*start(true)));
  EXPECT_FALSE(start(false));
  EXPECT_NE(error_.find("another job"), std::string::npos) << error_;
}

TEST_F(Jobs, RefusesADamagedCheckpoint) {
  ASSERT_TRUE(run(*start(true)));
  files_.damage("_metadata");
  EXPECT_FALSE(start(true));
  EXPECT_NE(error_.find("_metadata"), std::string::npos) << error_;
}

TEST_F(Jobs, AbortsWhatIsUnknownOnceASinkSubtaskAndBeforeAnyWrite) {
  config_.parallelism = 2;
  *plan_.fail_at = 1000;
  const auto job = start();
  EXPECT_EQ(table_->aborts, 2u);
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(table_->aborts, 4u);
}

TEST_F(Jobs, TheOldestCheckpointsAreRemoved) {
  const auto job = start();
  ASSERT_TRUE(run(*job));
  std::size_t directories = 0;
  for (const FileInfo& entry : files_.list(directory_)) directories += entry.is_directory ? 1 : 0;
  EXPECT_EQ(directories, 1u);
}

// A checkpoint that cannot be stored is given up; the job goes on when that is tolerated.
TEST_F(Jobs, SurvivesCheckpointsThatCannotBeStored) {
  config_.checkpoint.tolerable_failures = 1'000'000;
  const auto job = start(true);
  ASSERT_TRUE(executor_.run_until([&] { return job->report().checkpoints_completed >= 1; }));
  files_.set_read_only(true);
  ASSERT_TRUE(executor_.run_until([&] { return job->report().checkpoints_failed >= 2; }));
  EXPECT_EQ(job->report().state, JobState::kRunning);
  files_.set_read_only(false);
  ASSERT_TRUE(run(*job));
  EXPECT_EQ(job->report().state, JobState::kFinished) << job->report().failure;
  EXPECT_EQ(job->report().restarts, 0u);
  EXPECT_EQ(written(), all_sums());
}

TEST_F(Jobs, RunsOnThreads) {
  SystemClock clock;
  config_.parallelism = 4;
  config_.checkpoint.interval = 1;
  config_.batch_rows = 16;
  plan_.rows = 20'000;
  for (const std::int64_t fail_at : {0, 9'000}) {
    files_.remove_tree(directory_);
    table_ = std::make_shared<MemoryTable>();
    *plan_.fail_at = fail_at;
    std::latch ended(1);
    const std::unique_ptr<Executor> executor = make_threaded_executor(clock, {.cores = 3});
    auto job = start_job(graph(true), config_,
                         {.clock = &clock,
                          .executor = executor.get(),
                          .transport = transport_.get(),
                          .files = &files_,
                          .connectors = &connectors_},
                         [&] { ended.count_down(); });
    ASSERT_TRUE(job.ok()) << job.error().message;
    ended.wait();
    EXPECT_EQ((*job)->report().state, JobState::kFinished) << (*job)->report().failure;
    EXPECT_EQ((*job)->report().rows_read, 60'000u);
    EXPECT_EQ(written(), all_sums());
  }
}

}  // namespace
}  // namespace tidemark
