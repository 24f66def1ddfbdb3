// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tidemark/api/source.h"
#include "tidemark/api/stream.h"
#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/operator/watermark.h"
#include "tidemark/runtime/job_report.h"

namespace tidemark {

struct JobGraph;

/// A job that Environment::start has started. Destroying it cancels a job that has not ended.
/// Thread-safe.
class JobHandle {
 public:
  JobHandle(JobHandle&&) noexcept;
  JobHandle& operator=(JobHandle&&) noexcept;
  ~JobHandle();

  /// Counts, watermark and state of now (runtime/job_report.h).
  JobReport report() const;
  bool ended() const;
  /// Waits for the end. An error says why the job failed.
  Result<JobReport> wait();
  /// Stops the sources, takes a final checkpoint and ends; wait() returns then.
  void stop();
  /// Takes a savepoint while the job runs; report() says what came of it. Needs the option
  /// execution.checkpointing.savepoint-dir.
  void savepoint();
  /// stop(), with a savepoint of the same position.
  void stop_with_savepoint();
  /// Ends at once, without a checkpoint.
  void cancel();

 private:
  friend class Environment;
  struct Impl;
  explicit JobHandle(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Where a program builds a job and runs it in its own process.
///   Environment env;
///   env.source(from_values(readings), &Reading::time, bounded_out_of_orderness(2s))
///      .key_by(&Reading::sensor).window(tumbling(5s)).sum(&Reading::value)
///      .sink_to([](const auto& result) { ... });
///   env.run().or_throw();
/// One thread builds it. The streams stay valid after the environment is gone; a job does not need
/// it once started.
class Environment {
 public:
  /// `job_name` names the job in messages, and its directory of checkpoints.
  explicit Environment(std::string job_name = "job");
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// A stream without event times.
  template <typename T>
  Stream<T> source(TypedSource<T> source) {
    return Stream<T>(add_source(source.name, source.make, schema_of<T>(), nullptr, {}));
  }
  /// A stream whose rows happened at `time`: a member, or a function of the row, that is a
  /// std::chrono::sys_time or local_time of milliseconds, or std::int64_t milliseconds since the
  /// epoch. Watermarks are made for each split by `strategy`.
  template <typename T, typename Time>
  Stream<T> source(TypedSource<T> source, Time time, WatermarkStrategy strategy) {
    require_record<T>();
    api_detail::TimeExtractor extract;
    try {
      extract = api_detail::make_time_extractor<T>(std::move(time));
    } catch (const Failure& failure) {
      graph_->fail(failure.what());
    }
    return Stream<T>(add_source(source.name, source.make, schema_of<T>(), std::move(extract),
                                std::move(strategy)));
  }

  /// Sets an option of the job, by Flink's name (docs/configuration.md).
  Environment& set(std::string option, std::string value);
  /// Subtasks of each operator that does not say.
  Environment& parallelism(std::uint32_t parallelism);
  /// Checkpoints below `directory`; a job started again with the same name resumes from the last.
  /// Without a directory there are none.
  Environment& checkpoints(std::string directory, std::chrono::milliseconds interval);
  /// Removes earlier checkpoints of the job instead of resuming.
  Environment& fresh(bool fresh = true);

  /// The job as the runtime takes it, or the first mistake in it.
  Result<JobGraph> graph() const;
  /// Runs the job to its end on as many threads as its greatest parallelism, at most the machine's
  /// cores. An error is a mistake in the job, or says why it failed.
  Result<JobReport> run();
  Result<JobHandle> start();

  const std::shared_ptr<api_detail::StreamGraph>& stream_graph() const noexcept { return graph_; }

 private:
  using MakeSource = std::function<Result<SourcePtr>(const ConnectorRegistry&)>;
  api_detail::StreamHandle add_source(const std::string& name, const MakeSource& make,
                                      const SchemaPtr& schema, api_detail::TimeExtractor extract,
                                      WatermarkStrategy strategy);

  std::string job_name_;
  OptionMap options_;
  std::string checkpoint_directory_;
  bool fresh_ = false;
  std::shared_ptr<const ConnectorRegistry> connectors_;
  std::shared_ptr<api_detail::StreamGraph> graph_;
};

}  // namespace tidemark
