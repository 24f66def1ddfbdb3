// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/job.h"

#include <fmt/format.h>

#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/base/hash.h"
#include "tidemark/runtime/job_master.h"

namespace tidemark {
namespace {

class RunningJob final : public Job {
 public:
  RunningJob(std::shared_ptr<JobStatus> status, std::shared_ptr<TaskWaker> waker,
             bool takes_savepoints)
      : status_(std::move(status)), waker_(std::move(waker)), takes_savepoints_(takes_savepoints) {}
  ~RunningJob() override {
    if (!ended()) cancel();
  }

  JobReport report() const override { return status_->report(); }
  bool takes_savepoints() const override { return takes_savepoints_; }
  void stop() override {
    status_->request_stop();
    waker_->wake();
  }
  void stop_with_savepoint() override {
    TIDEMARK_CHECK(takes_savepoints_, "a savepoint needs a directory");
    status_->request_savepoint();
    stop();
  }
  void savepoint() override {
    TIDEMARK_CHECK(takes_savepoints_, "a savepoint needs a directory");
    status_->request_savepoint();
    waker_->wake();
  }
  void cancel() override {
    status_->request_cancel();
    waker_->wake();
  }
  bool ended() const override { return status_->state() != JobState::kRunning; }

 private:
  std::shared_ptr<JobStatus> status_;
  std::shared_ptr<TaskWaker> waker_;
  bool takes_savepoints_;
};

// The file that names this run of the job, from before its first checkpoint on: what a run that
// crashed early left behind is then found by the next.
constexpr std::string_view kJobIdFile = "_job";

std::string new_job_id(const JobBlueprint& blueprint, const Clock& clock) {
  return fmt::format("{:016x}", stable_hash(fmt::format("{}/{}/{}", blueprint.graph.plan.name(),
                                                        clock.now(), clock.monotonic_ns())));
}

std::string job_id_path(const CheckpointStorage& storage) {
  return fmt::format("{}/{}", storage.directory(), kJobIdFile);
}

std::string read_job_id(FileSystem& files, const CheckpointStorage& storage) {
  const std::string path = job_id_path(storage);
  return files.exists(path) ? read_file(files, path) : "";
}

void write_job_id(FileSystem& files, const CheckpointStorage& storage, const std::string& id) {
  create_directories_durably(files, storage.directory());
  write_file_atomically(files, job_id_path(storage), as_byte_span(id));
}

// Removes what earlier runs left: checkpoints, and output that was never published.
void start_over(const DeploymentContext& context) {
  DeploymentContext earlier = context;
  earlier.job_id = read_job_id(*context.environs.files, *context.storage);
  if (!earlier.job_id.empty()) settle_sinks(earlier, nullptr);
  for (const CheckpointId checkpoint : context.storage->list()) context.storage->remove(checkpoint);
}

// The identity of the run that goes on, or of a new one.
std::string settle_job_id(const DeploymentContext& context, bool fresh) {
  FileSystem& files = *context.environs.files;
  const std::string known = fresh ? "" : read_job_id(files, *context.storage);
  if (!known.empty()) return known;
  const std::string id = new_job_id(*context.blueprint, *context.environs.clock);
  write_job_id(files, *context.storage, id);
  return id;
}

Result<Deployment> first_deployment(DeploymentContext& context, bool fresh) {
  try {
    if (context.storage) {
      if (fresh) start_over(context);
      auto found = find_start(context);
      if (!found.ok()) return found.error();
      context.storage->remove_incomplete();
      // A run that begins with a savepoint is not the one that made it: that one may go on.
      const bool resumes =
          *found && (*found)->storage->layout() == CheckpointStorage::Layout::kCheckpoints;
      context.job_id = resumes ? (*found)->metadata.job_id() : settle_job_id(context, fresh);
    } else {
      context.job_id = new_job_id(*context.blueprint, *context.environs.clock);
    }
    return prepare_deployment(context);
  } catch (const Failure& failure) {
    return Error{failure.code(), failure.what()};
  }
}

}  // namespace

Result<std::unique_ptr<Job>> start_job(JobGraph graph, JobConfig config, Environs environs,
                                       std::function<void()> on_end) {
  const bool fresh = config.fresh;
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::shared_ptr<const JobBlueprint> blueprint,
      make_blueprint(std::move(graph), std::move(config), *environs.connectors));
  std::shared_ptr<CheckpointStorage> storage;
  if (!blueprint->config.checkpoint_directory.empty())
    storage = std::make_shared<CheckpointStorage>(*environs.files,
                                                  blueprint->config.checkpoint_directory);
  DeploymentContext context{blueprint.get(), storage, environs, ""};
  TIDEMARK_ASSIGN_OR_RETURN(Deployment first, first_deployment(context, fresh));

  auto status = std::make_shared<JobStatus>();
  auto waker = std::make_shared<TaskWaker>(*environs.executor);
  auto master = std::make_shared<JobMaster>(JobMasterParts{.blueprint = blueprint,
                                                           .environs = environs,
                                                           .storage = std::move(storage),
                                                           .job_id = context.job_id,
                                                           .first = std::move(first),
                                                           .status = status,
                                                           .waker = waker,
                                                           .on_end = std::move(on_end)});
  auto job =
      std::make_unique<RunningJob>(status, waker, !blueprint->config.savepoint_directory.empty());
  waker->attach(environs.executor->spawn(std::move(master), 0));
  return std::unique_ptr<Job>(std::move(job));
}

}  // namespace tidemark
