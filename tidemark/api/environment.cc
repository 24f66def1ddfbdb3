// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/environment.h"

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>

#include "tidemark/base/clock.h"
#include "tidemark/base/file_system.h"
#include "tidemark/connector/builtin.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/runtime/job.h"
#include "tidemark/runtime/threaded_executor.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {
namespace {

// Lets the program's thread wait for the end, which an executor's thread announces.
class EndLatch {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

}  // namespace

// Members are destroyed in reverse: the job before the threads that run it, those before what its
// tasks use.
struct JobHandle::Impl {
  SystemClock clock;
  std::unique_ptr<FileSystem> files = make_local_file_system();
  std::shared_ptr<const ConnectorRegistry> connectors;
  std::unique_ptr<Transport> transport = make_local_transport();
  EndLatch end;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Job> job;

  ~Impl() {
    if (job && !job->ended()) {
      job->cancel();
      end.wait();
    }
  }
};

JobHandle::JobHandle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JobHandle::JobHandle(JobHandle&&) noexcept = default;
JobHandle& JobHandle::operator=(JobHandle&&) noexcept = default;
JobHandle::~JobHandle() = default;

JobReport JobHandle::report() const {
  return impl_->job->report();
}
bool JobHandle::ended() const {
  return impl_->job->ended();
}
void JobHandle::stop() {
  impl_->job->stop();
}

void JobHandle::savepoint() {
  impl_->job->savepoint();
}

void JobHandle::stop_with_savepoint() {
  impl_->job->stop_with_savepoint();
}
void JobHandle::cancel() {
  impl_->job->cancel();
}

Result<JobReport> JobHandle::wait() {
  impl_->end.wait();
  JobReport report = impl_->job->report();
  if (report.state == JobState::kFailed) return Error{ErrorCode::kEvaluation, report.failure};
  return report;
}

Environment::Environment(std::string job_name)
    : job_name_(std::move(job_name)),
      connectors_(std::make_shared<const ConnectorRegistry>(make_builtin_connectors(std::cout))),
      graph_(std::make_shared<api_detail::StreamGraph>()) {}
Environment::~Environment() = default;

Environment& Environment::set(std::string option, std::string value) {
  options_[std::move(option)] = std::move(value);
  return *this;
}

Environment& Environment::parallelism(std::uint32_t parallelism) {
  return set("parallelism.default", std::to_string(parallelism));
}

Environment& Environment::checkpoints(std::string directory, std::chrono::milliseconds interval) {
  checkpoint_directory_ = std::move(directory);
  return set("execution.checkpointing.interval", std::to_string(interval.count()) + " ms");
}

Environment& Environment::fresh(bool fresh) {
  fresh_ = fresh;
  return *this;
}

api_detail::StreamHandle Environment::add_source(const std::string& name, const MakeSource& make,
                                                 const SchemaPtr& schema,
                                                 api_detail::TimeExtractor extract,
                                                 WatermarkStrategy strategy) {
  api_detail::StreamNode node;
  node.kind = api_detail::StreamNode::Kind::kSource;
  node.name = name;
  node.output = schema;
  node.watermark = std::move(strategy);
  Result<SourcePtr> source = make(*connectors_);
  if (source.ok())
    source = api_detail::adapt_source(std::move(source).value(), schema, std::move(extract));
  if (source.ok()) {
    node.source = std::move(source).value();
  } else {
    graph_->fail("source '" + name + "': " + source.error().message);
  }
  return {graph_, graph_->add(std::move(node))};
}

Result<JobGraph> Environment::graph() const {
  return graph_->build(job_name_, options_);
}

Result<JobReport> Environment::run() {
  TIDEMARK_ASSIGN_OR_RETURN(JobHandle job, start());
  return job.wait();
}

Result<JobHandle> Environment::start() {
  TIDEMARK_ASSIGN_OR_RETURN(JobGraph graph, this->graph());
  JobConfig defaults;
  if (!checkpoint_directory_.empty())
    defaults.checkpoint_directory = checkpoint_directory_ + "/" + job_name_;
  defaults.fresh = fresh_;
  TIDEMARK_ASSIGN_OR_RETURN(JobConfig config, read_job_config(graph.plan, defaults));
  std::uint32_t parallelism = config.parallelism;
  for (const proto::Node& node : graph.plan.nodes())
    parallelism = std::max(parallelism, node.parallelism());

  auto impl = std::make_unique<JobHandle::Impl>();
  impl->connectors = connectors_;
  impl->executor =
      make_threaded_executor(impl->clock, {.cores = std::min(parallelism, machine_cores())});
  Environs environs{.clock = &impl->clock,
                    .executor = impl->executor.get(),
                    .transport = impl->transport.get(),
                    .files = impl->files.get(),
                    .connectors = impl->connectors.get()};
  if (!config.checkpoint_directory.empty()) {
    try {
      impl->files->create_directories(config.checkpoint_directory);
    } catch (const IoFailure& failure) {
      return Error{ErrorCode::kInvalidOption, failure.what()};
    }
  }
  EndLatch& end = impl->end;
  TIDEMARK_ASSIGN_OR_RETURN(
      impl->job, start_job(std::move(graph), std::move(config), environs, [&end] { end.open(); }));
  return JobHandle(std::move(impl));
}

}  // namespace tidemark
