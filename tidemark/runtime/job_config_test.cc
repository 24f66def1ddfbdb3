// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/runtime/job.h"

namespace tidemark {
namespace {

proto::JobGraph graph(const OptionMap& options) {
  proto::JobGraph graph;
  for (const auto& [name, value] : options) (*graph.mutable_options())[name] = value;
  return graph;
}

JobConfig read(const OptionMap& options, const JobConfig& defaults = {}) {
  auto config = read_job_config(graph(options), defaults);
  EXPECT_TRUE(config.ok()) << config.error().message;
  return config.ok() ? *config : JobConfig{};
}

std::string error_of(const OptionMap& options) {
  const auto config = read_job_config(graph(options), {});
  return config.ok() ? "" : config.error().message;
}

TEST(JobConfigs, ReadFlinksNames) {
  const JobConfig config = read({{"parallelism.default", "4"},
                                 {"pipeline.max-parallelism", "128"},
                                 {"execution.checkpointing.interval", "3 s"},
                                 {"execution.checkpointing.timeout", "1 min"},
                                 {"execution.checkpointing.min-pause", "500 ms"},
                                 {"execution.checkpointing.tolerable-failed-checkpoints", "2"},
                                 {"execution.checkpointing.num-retained", "3"},
                                 {"execution.checkpointing.dir", "/c"},
                                 {"table.local-time-zone", "Europe/Berlin"},
                                 {"table.exec.source.idle-timeout", "30 s"},
                                 {"tidemark.record-errors", "null"},
                                 {"tidemark.batch-rows", "64"},
                                 {"pipeline.name", "any"}});
  EXPECT_EQ(config.parallelism, 4u);
  EXPECT_EQ(config.max_parallelism, 128u);
  EXPECT_EQ(config.checkpoint.interval, 3'000);
  EXPECT_EQ(config.checkpoint.timeout, 60'000);
  EXPECT_EQ(config.checkpoint.min_pause, 500);
  EXPECT_EQ(config.checkpoint.tolerable_failures, 2u);
  EXPECT_EQ(config.checkpoint.retained, 3u);
  EXPECT_EQ(config.checkpoint_directory, "/c");
  EXPECT_EQ(config.time_zone, "Europe/Berlin");
  EXPECT_EQ(config.source_idle_timeout, 30'000);
  EXPECT_EQ(config.evaluation_errors, RecordErrorPolicy::kSkip);
  EXPECT_EQ(config.batch_rows, 64u);
}

TEST(JobConfigs, TheNewNameOfTheDirectoryWins) {
  EXPECT_EQ(read({{"state.checkpoints.dir", "/old"}}).checkpoint_directory, "/old");
  EXPECT_EQ(read({{"state.checkpoints.dir", "/old"}, {"execution.checkpointing.dir", "/new"}})
                .checkpoint_directory,
            "/new");
}

TEST(JobConfigs, WhereKeyedStateLives) {
  EXPECT_EQ(read({}).state.backend, StateConfig::Backend::kHashmap);
  const StateConfig state = read({{"state.backend.type", "rocksdb"},
                                  {"state.backend.rocksdb.localdir", "/disk1/a, /disk2"},
                                  {"execution.checkpointing.incremental", "false"},
                                  {"taskmanager.memory.managed.size", "64mb"}})
                                .state;
  EXPECT_EQ(state.backend, StateConfig::Backend::kRocksdb);
  EXPECT_EQ(state.local_directories, (std::vector<std::string>{"/disk1/a", "/disk2"}));
  EXPECT_EQ(state.managed_memory, std::uint64_t{64} << 20);
  EXPECT_FALSE(state.incremental);
  EXPECT_EQ(read({{"state.backend", "rocksdb"}, {"state.rocksdb.local-dir", "/d"}})
                .state.local_directories,
            std::vector<std::string>{"/d"});
}

TEST(JobConfigs, RestartStrategies) {
  JobConfig defaults;
  defaults.checkpoint_directory = "/c";
  EXPECT_EQ(read({}, defaults).restart.type, RestartConfig::Type::kExponentialDelay);
  EXPECT_EQ(read({}).restart.type, RestartConfig::Type::kNone);
  const RestartConfig fixed = read({{"restart-strategy.type", "fixed-delay"},
                                    {"restart-strategy.fixed-delay.attempts", "7"},
                                    {"restart-strategy.fixed-delay.delay", "2 s"}})
                                  .restart;
  EXPECT_EQ(fixed.type, RestartConfig::Type::kFixedDelay);
  EXPECT_EQ(fixed.attempts_max, 7u);
  EXPECT_EQ(fixed.delay, 2'000);
  const RestartConfig rate =
      read({{"restart-strategy", "failure-rate"},
            {"restart-strategy.failure-rate.max-failures-per-interval", "4"},
            {"restart-strategy.failure-rate.failure-rate-interval", "5 min"}})
          .restart;
  EXPECT_EQ(rate.type, RestartConfig::Type::kFailureRate);
  EXPECT_EQ(rate.failures_per_interval, 4u);
  EXPECT_EQ(rate.failure_interval, 300'000);
}

TEST(JobConfigs, WhatHasNoMeaningHereIsAccepted) {
  EXPECT_EQ(error_of({{"execution.runtime-mode", "streaming"},
                      {"table.exec.mini-batch.enabled", "true"},
                      {"table.exec.mini-batch.allow-latency", "1 s"}}),
            "");
}

TEST(JobConfigs, ErrorsNameTheOptionAndWhatItGot) {
  const std::string number = error_of({{"parallelism.default", "lots"}});
  EXPECT_NE(number.find("parallelism.default"), std::string::npos) << number;
  EXPECT_NE(number.find("lots"), std::string::npos) << number;
  EXPECT_NE(error_of({{"parallelism.default", "0"}}), "");
  EXPECT_NE(error_of({{"execution.checkpointing.interval", "soon"}}), "");
  const std::string unknown = error_of({{"execution.checkpointing.intervall", "1 s"}});
  EXPECT_NE(unknown.find("'execution.checkpointing.interval'"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace tidemark
