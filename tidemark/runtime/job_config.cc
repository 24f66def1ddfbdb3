// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "tidemark/base/options.h"
#include "tidemark/runtime/job.h"

namespace tidemark {
namespace {

// Options of Flink that have no meaning here, or only one: a job file that sets them runs
// unchanged. docs/configuration.md lists them.
constexpr std::array<std::string_view, 11> kIgnoredOptions{
    "execution.runtime-mode",  // always streaming
    "execution.checkpointing.mode",
    "execution.checkpointing.max-concurrent-checkpoints",         // always 1
    "execution.checkpointing.externalized-checkpoint-retention",  // always retained
    "execution.checkpointing.checkpoints-after-tasks-finish",     // always
    "execution.buffer-timeout.interval",
    "pipeline.auto-watermark-interval",
    "pipeline.object-reuse",
    "pipeline.operator-chaining.enabled",
    "table.exec.state.ttl",
    "table.dml-sync",  // read by the command
};
constexpr std::array<std::string_view, 4> kIgnoredPrefixes{
    "table.exec.mini-batch.", "table.optimizer.", "sql-client.", "metrics."};

template <typename T>
Status assign(T& target, Result<T> value) {
  if (!value.ok()) return value.error();
  target = *value;
  return {};
}

Status read_count(OptionReader& options, std::string_view name, std::uint32_t& target,
                  std::int64_t minimum, std::int64_t maximum) {
  TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t value,
                            options.integer(name, target, minimum, maximum));
  target = static_cast<std::uint32_t>(value);
  return {};
}

constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();

Status read_checkpointing(OptionReader& options, JobConfig& config) {
  const auto duration = [&](std::string_view name, Millis& target) {
    return assign(target, options.duration(name, target));
  };
  CheckpointConfig& checkpoint = config.checkpoint;
  TIDEMARK_TRY(duration("execution.checkpointing.interval", checkpoint.interval));
  TIDEMARK_TRY(duration("execution.checkpointing.timeout", checkpoint.timeout));
  TIDEMARK_TRY(duration("execution.checkpointing.min-pause", checkpoint.min_pause));
  TIDEMARK_TRY(read_count(options, "execution.checkpointing.tolerable-failed-checkpoints",
                          checkpoint.tolerable_failures, 0, kCountMax));
  TIDEMARK_TRY(read_count(options, "execution.checkpointing.num-retained", checkpoint.retained, 1,
                          kCountMax));
  config.checkpoint_directory =
      options.optional("state.checkpoints.dir", config.checkpoint_directory);
  config.checkpoint_directory =
      options.optional("execution.checkpointing.dir", config.checkpoint_directory);
  return {};
}

// Each option by its name before Flink 1.20 or 2.0, too.
Status read_savepoints(OptionReader& options, JobConfig& config) {
  for (const char* name : {"state.savepoints.dir", "execution.checkpointing.savepoint-dir"})
    config.savepoint_directory = options.optional(name, config.savepoint_directory);
  for (const char* name : {"execution.savepoint.path", "execution.state-recovery.path"})
    config.savepoint_path = options.optional(name, config.savepoint_path);
  for (const char* name : {"execution.savepoint.ignore-unclaimed-state",
                           "execution.state-recovery.ignore-unclaimed-state"})
    TIDEMARK_TRY(
        assign(config.allow_dropped_state, options.boolean(name, config.allow_dropped_state)));
  return {};
}

/// "a,b" -> a, b. Flink separates directories by the system's path separator, too.
std::vector<std::string> split_directories(std::string_view list) {
  std::vector<std::string> directories;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",:"), list.size());
    std::string_view directory = list.substr(0, end);
    while (directory.starts_with(' ')) directory.remove_prefix(1);
    while (directory.ends_with(' ')) directory.remove_suffix(1);
    if (!directory.empty()) directories.emplace_back(directory);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return directories;
}

Status read_state_backend(OptionReader& options, JobConfig& config) {
  StateConfig& state = config.state;
  const bool rocksdb = state.backend == StateConfig::Backend::kRocksdb;
  options.allow("state.backend");  // its name before Flink 1.19
  const std::string_view name =
      options.has("state.backend.type") ? "state.backend.type" : "state.backend";
  options.allow("state.backend.type");
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::string backend,
      options.choice(name, {"hashmap", "rocksdb"}, rocksdb ? "rocksdb" : "hashmap"));
  state.backend =
      backend == "rocksdb" ? StateConfig::Backend::kRocksdb : StateConfig::Backend::kHashmap;
  for (const std::string_view incremental :
       {"state.backend.incremental", "execution.checkpointing.incremental"})
    TIDEMARK_TRY(assign(state.incremental, options.boolean(incremental, state.incremental)));
  TIDEMARK_TRY(assign(state.managed_memory, options.memory_size("taskmanager.memory.managed.size",
                                                                state.managed_memory)));
  for (const std::string_view option :
       {"state.rocksdb.local-dir", "state.backend.rocksdb.localdir"}) {
    if (!options.has(option)) continue;
    state.local_directories = split_directories(options.optional(option, ""));
    if (state.local_directories.empty())
      return Error{ErrorCode::kInvalidOption,
                   "option '" + std::string(option) + "' names no directory"};
  }
  return {};
}

Status read_fixed_delay(OptionReader& options, RestartConfig& restart) {
  // Flink's defaults for this strategy.
  restart.attempts_max = 1;
  restart.delay = 1'000;
  TIDEMARK_TRY(read_count(options, "restart-strategy.fixed-delay.attempts", restart.attempts_max, 1,
                          kCountMax));
  return assign(restart.delay,
                options.duration("restart-strategy.fixed-delay.delay", restart.delay));
}

Status read_exponential_delay(OptionReader& options, RestartConfig& restart) {
  constexpr std::string_view kPrefix = "restart-strategy.exponential-delay.";
  const auto duration = [&](std::string_view name, Millis& target) {
    return assign(target, options.duration(std::string(kPrefix) + std::string(name), target));
  };
  TIDEMARK_TRY(duration("initial-backoff", restart.delay));
  TIDEMARK_TRY(duration("max-backoff", restart.delay_max));
  TIDEMARK_TRY(duration("reset-backoff-threshold", restart.reset_after));
  TIDEMARK_TRY(
      assign(restart.backoff, options.real("restart-strategy.exponential-delay.backoff-multiplier",
                                           restart.backoff, 1.0, 1000.0)));
  // Delays are not spread at random: one process restarts one job.
  options.allow("restart-strategy.exponential-delay.jitter-factor");
  return read_count(options, "restart-strategy.exponential-delay.attempts-before-reset-backoff",
                    restart.attempts_max, 1, kCountMax);
}

Status read_failure_rate(OptionReader& options, RestartConfig& restart) {
  TIDEMARK_TRY(assign(restart.delay,
                      options.duration("restart-strategy.failure-rate.delay", restart.delay)));
  TIDEMARK_TRY(assign(restart.failure_interval,
                      options.duration("restart-strategy.failure-rate.failure-rate-interval",
                                       restart.failure_interval)));
  return read_count(options, "restart-strategy.failure-rate.max-failures-per-interval",
                    restart.failures_per_interval, 1, kCountMax);
}

Status read_restarts(OptionReader& options, JobConfig& config) {
  RestartConfig& restart = config.restart;
  const bool named = options.has("restart-strategy.type") || options.has("restart-strategy");
  std::string_view option = "restart-strategy.type";
  if (!options.has(option)) option = "restart-strategy";  // its name before Flink 1.19
  options.allow("restart-strategy.type");
  options.allow("restart-strategy");
  if (named) {
    TIDEMARK_ASSIGN_OR_RETURN(
        const std::string type,
        options.choice(option,
                       {"none", "off", "disable", "fixed-delay", "fixeddelay", "exponential-delay",
                        "exponentialdelay", "failure-rate", "failurerate"},
                       "exponential-delay"));
    if (type == "fixed-delay" || type == "fixeddelay") {
      restart.type = RestartConfig::Type::kFixedDelay;
    } else if (type == "failure-rate" || type == "failurerate") {
      restart.type = RestartConfig::Type::kFailureRate;
    } else if (type == "exponential-delay" || type == "exponentialdelay") {
      restart.type = RestartConfig::Type::kExponentialDelay;
    } else {
      restart.type = RestartConfig::Type::kNone;
    }
  } else if (config.checkpoint_directory.empty()) {
    // As in Flink: without checkpoints a restart would read everything again.
    restart.type = RestartConfig::Type::kNone;
  }
  for (const char* prefix : {"restart-strategy.fixed-delay.", "restart-strategy.failure-rate.",
                             "restart-strategy.exponential-delay."})
    options.allow_prefix(prefix);
  switch (restart.type) {
    case RestartConfig::Type::kNone: return {};
    case RestartConfig::Type::kFixedDelay: return read_fixed_delay(options, restart);
    case RestartConfig::Type::kExponentialDelay: return read_exponential_delay(options, restart);
    case RestartConfig::Type::kFailureRate: return read_failure_rate(options, restart);
  }
  return {};
}

Status read_parallelism(OptionReader& options, const proto::JobGraph& graph, JobConfig& config) {
  if (graph.max_parallelism() > 0) config.max_parallelism = graph.max_parallelism();
  TIDEMARK_TRY(read_count(options, "pipeline.max-parallelism", config.max_parallelism, 1,
                          kMaxMaxParallelism));
  return read_count(options, "parallelism.default", config.parallelism, 1, config.max_parallelism);
}

Status read_rows(OptionReader& options, JobConfig& config) {
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::string errors,
      options.choice("tidemark.record-errors", {"fail", "null"},
                     config.evaluation_errors == RecordErrorPolicy::kSkip ? "null" : "fail"));
  config.evaluation_errors = errors == "null" ? RecordErrorPolicy::kSkip : RecordErrorPolicy::kFail;
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::int64_t rows,
      options.integer("tidemark.batch-rows", static_cast<std::int64_t>(config.batch_rows), 1,
                      static_cast<std::int64_t>(kMaxBatchRows)));
  config.batch_rows = static_cast<std::size_t>(rows);
  return {};
}

}  // namespace

Result<JobConfig> read_job_config(const proto::JobGraph& graph, const JobConfig& defaults) {
  JobConfig config = defaults;
  const OptionMap map(graph.options().begin(), graph.options().end());
  OptionReader options("the job", map);
  options.allow("pipeline.name");            // read by the planner
  options.allow_prefix("table.exec.emit.");  // likewise
  for (const std::string_view name : kIgnoredOptions) options.allow(name);
  for (const std::string_view prefix : kIgnoredPrefixes) options.allow_prefix(prefix);
  TIDEMARK_TRY(read_parallelism(options, graph, config));
  TIDEMARK_TRY(read_checkpointing(options, config));
  TIDEMARK_TRY(read_savepoints(options, config));
  TIDEMARK_TRY(read_state_backend(options, config));
  TIDEMARK_TRY(read_restarts(options, config));
  TIDEMARK_TRY(read_rows(options, config));
  config.time_zone = options.optional("table.local-time-zone", config.time_zone);
  TIDEMARK_TRY(assign(config.source_idle_timeout, options.duration("table.exec.source.idle-timeout",
                                                                   config.source_idle_timeout)));
  TIDEMARK_TRY(options.finish());
  return config;
}

}  // namespace tidemark
