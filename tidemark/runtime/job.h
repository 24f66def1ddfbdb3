// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/executor.h"
#include "tidemark/base/file_system.h"
#include "tidemark/checkpoint/coordinator.h"
#include "tidemark/checkpoint/storage.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/operator/connector.h"
#include "tidemark/runtime/job_report.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {

/// The outside world of a job: real, or simulated.
struct Environs {
  Clock* clock = nullptr;
  Executor* executor = nullptr;
  Transport* transport = nullptr;
  FileSystem* files = nullptr;
  const ConnectorRegistry* connectors = nullptr;
};

/// restart-strategy.* by Flink's names.
struct RestartConfig {
  enum class Type : std::uint8_t { kNone, kFixedDelay, kExponentialDelay, kFailureRate };
  Type type = Type::kExponentialDelay;
  std::uint32_t attempts_max = 10;  // kFixedDelay and kExponentialDelay
  Millis delay = 1'000;             // kFixedDelay and kFailureRate; first of kExponentialDelay
  Millis delay_max = 60'000;
  double backoff = 1.5;
  std::uint32_t failures_per_interval = 1;  // kFailureRate
  Millis failure_interval = 60'000;
  Millis reset_after =
      3'600'000;  // kExponentialDelay: so long without a failure forgets all before
};

/// Where keyed state lives: state.backend.* by Flink's names.
struct StateConfig {
  enum class Backend : std::uint8_t { kHashmap, kRocksdb };
  Backend backend = Backend::kHashmap;
  /// kRocksdb: directories on local disks; empty: in memory, for simulations.
  std::vector<std::string> local_directories = {"/tmp"};
  /// kRocksdb: bytes of memory for all keyed operators of the process together.
  std::uint64_t managed_memory = std::uint64_t{512} << 20;
  bool incremental = true;  // kRocksdb: checkpoints store only what is new
};

struct JobConfig {
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
  CheckpointConfig checkpoint;
  StateConfig state;
  RestartConfig restart;
  /// Of this job alone. Empty: nothing is kept, and sinks publish at the end.
  std::string checkpoint_directory;
  bool fresh = false;  // remove earlier checkpoints instead of resuming
  /// Where a job without checkpoints of its own begins; empty: at the beginning.
  std::string savepoint_path;
  bool allow_dropped_state = false;  // of a savepoint: state that no operator of the job claims
  std::string savepoint_directory;   // where savepoints go, each in a directory of its own
  std::size_t batch_rows = kDefaultBatchRows;
  std::size_t channel_batches = 8;
  std::string time_zone = "UTC";
  RecordErrorPolicy evaluation_errors = RecordErrorPolicy::kFail;  // kSkip: the value is NULL
  Millis source_idle_timeout =
      0;  // of sources with a watermark that name none themselves; 0: never
};

/// Reads a job's SET options (Flink's names, docs/configuration.md) over `defaults`.
Result<JobConfig> read_job_config(const proto::JobGraph& graph, const JobConfig& defaults);

/// A job in this process: expands the graph to tasks, runs attempts under the restart strategy,
/// drives checkpoints. It runs on the executor, which must go before anything else of its Environs
/// does. All methods are thread-safe. Destroying it cancels the job and does not wait for its end.
class Job {
 public:
  virtual ~Job() = default;

  virtual JobReport report() const = 0;
  /// Whether JobConfig::savepoint_directory is set: savepoints need it.
  virtual bool takes_savepoints() const = 0;
  /// Stop sources, take a final checkpoint, commit, end as kStopped.
  virtual void stop() = 0;
  /// The same, with a savepoint of the same position before the final checkpoint. A savepoint that
  /// fails does not keep the job from ending.
  virtual void stop_with_savepoint() = 0;
  /// Takes a savepoint into JobConfig::savepoint_directory while the job runs; report() says what
  /// came of it. It publishes nothing: output goes on to be committed by checkpoints. A request
  /// while one is being taken asks for nothing more.
  virtual void savepoint() = 0;
  /// End at once, as kStopped, without a checkpoint: the job can be resumed from its last.
  virtual void cancel() = 0;
  virtual bool ended() const = 0;
};

/// Checks the graph, the connectors and the checkpoint, and starts. Errors are for the user.
/// `on_end` is called once, on the executor, when the job has ended.
Result<std::unique_ptr<Job>> start_job(JobGraph graph, JobConfig config, Environs environs,
                                       std::function<void()> on_end);

}  // namespace tidemark
