// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/simulated_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "tests/simulation/memory_source.h"
#include "tests/simulation/window_job.h"
#include "tidemark/base/error.h"
#include "tidemark/checkpoint/storage.h"
#include "tidemark/connector/builtin.h"
#include "tidemark/runtime/job.h"
#include "tidemark/sim/simulator.h"

namespace tidemark::simulation {
namespace {

constexpr std::uint64_t kStepsMax = 2'000'000;

const char* in_words(JobState state) {
  switch (state) {
    case JobState::kRunning: return "running";
    case JobState::kFinished: return "finished";
    case JobState::kStopped: return "stopped";
    case JobState::kFailed: return "failed";
  }
  return "lost";
}

/// A result of `found` that `expected` has not, in words.
std::string first_difference(const Results& found, const Results& expected, const char* what) {
  for (const auto& [window, result] : found) {
    const auto other = expected.find(window);
    if (other == expected.end() || other->second != result)
      return fmt::format(
          "{}: key {} window {}: count {} sum {} min {} max {}{}", what, window.first,
          window.second, result.count, result.sum, result.least, result.most,
          other == expected.end()
              ? ""
              : fmt::format(" instead of count {} sum {} min {} max {}", other->second.count,
                            other->second.sum, other->second.least, other->second.most));
  }
  return "";
}

class Run {
 public:
  Run(const Scenario& scenario, std::function<void(std::string_view)> log)
      : scenario_(std::make_shared<const Scenario>(scenario)),
        expected_(expect(scenario)),
        log_(std::move(log)),
        simulator_(scenario.seed, faults()),
        connectors_(make_builtin_connectors(printed_)) {
    connectors_.add(make_memory_connector(scenario_));
    simulator_.set_log(log_);
    simulator_.files().set_faults({});
    simulator_.files().create_directories("/data");
    simulator_.files().sync_directory("/");
  }

  Outcome run() {
    say(scenario_->describe());
    for (std::size_t i = 0; i < scenario_->interruptions.size() && fine(); ++i) {
      if (scenario_->interruptions[i] == Interruption::kMove) {
        move(scenario_->parallelism[i]);
      } else {
        interrupt(scenario_->interruptions[i], scenario_->parallelism[i]);
      }
      simulator_.files().set_faults({});
      check_visible();
    }
    if (fine()) run_to_the_end();
    if (fine()) check_end();
    if (fine() && simulator_.random().one_in(4)) start_again();
    outcome_.trace_hash = simulator_.trace_hash();
    outcome_.steps = simulator_.statistics().steps;
    // The power goes before the job does: nothing of it runs in an order that no machine has.
    simulator_.crash();
    job_.reset();
    return outcome_;
  }

 private:
  FaultPlan faults() const { return {.file_failure_one_in = scenario_->file_failure_one_in}; }

  JobConfig config(std::uint32_t parallelism) const {
    JobConfig config;
    config.parallelism = parallelism;
    config.max_parallelism = scenario_->max_parallelism;
    config.checkpoint.interval = scenario_->checkpoint_interval;
    config.checkpoint.min_pause = scenario_->min_pause;
    config.checkpoint.timeout = 100'000;
    config.checkpoint.tolerable_failures = scenario_->tolerable_failures;
    config.checkpoint.retained = scenario_->retained;
    config.restart.type = RestartConfig::Type::kFixedDelay;
    config.restart.attempts_max = 1'000'000;
    config.restart.delay = 10;
    config.checkpoint_directory = checkpoint_directory_;
    config.savepoint_directory = "/data/savepoints";
    config.savepoint_path = savepoint_;
    config.batch_rows = scenario_->batch_rows;
    config.channel_batches = scenario_->channel_batches;
    if (scenario_->rocksdb && outcome_.moves % 2 == 0)
      config.state = {.backend = StateConfig::Backend::kRocksdb,
                      .local_directories = {},
                      .managed_memory = 1 + scenario_->seed % 20'000};
    return config;
  }

  /// False when the disk did not let it start.
  bool start(std::uint32_t parallelism) {
    say(fmt::format("start with parallelism {}", parallelism));
    const Environs environs{.clock = &simulator_.clock(),
                            .executor = &simulator_.executor(),
                            .transport = &simulator_.transport(),
                            .files = &simulator_.files(),
                            .connectors = &connectors_};
    ++outcome_.starts;
    try {
      auto job = start_job(make_window_job(*scenario_), config(parallelism), environs, [] {});
      if (job.ok()) {
        job_ = std::move(*job);
      } else if (job.error().code != ErrorCode::kIo) {
        fail("does not start: " + job.error().message);
      }
    } catch (const Failure& failure) {
      if (failure.code() != ErrorCode::kIo) fail(std::string("does not start: ") + failure.what());
    }
    if (!job_) return false;
    if (outcome_.starts > 1 && parallelism != last_parallelism_) ++outcome_.rescales;
    last_parallelism_ = parallelism;
    return true;
  }

  void end_job(bool disk_halted = false) {
    if (!job_) return;
    const JobReport report = job_->report();
    outcome_.restarts += report.restarts;
    if (report.restored_from != 0) ++outcome_.restores;
    say(fmt::format("job is {} restored from {} last checkpoint {} restarts {} {}",
                    in_words(report.state), report.restored_from, report.last_checkpoint,
                    report.restarts, report.failure));
    if (report.state == JobState::kFailed && !disk_halted && scenario_->file_failure_one_in == 0)
      fail("the job failed without a fault: " + report.failure);
    job_.reset();
  }

  void crash() {
    const bool disk_halted = simulator_.files().halted();
    simulator_.crash();
    end_job(disk_halted);
  }

  void interrupt(Interruption how, std::uint32_t parallelism) {
    Random& random = simulator_.random();
    FaultPlan plan = faults();
    if (how == Interruption::kHalt) plan.halt_at_nth_file_operation = 1 + random.below(400);
    simulator_.files().set_faults(plan);
    const std::uint64_t steps =
        how == Interruption::kHalt ? 20'000 : 1 + random.below(random.one_in(2) ? 200 : 5'000);
    if (!start(parallelism)) {
      if (fine()) crash();
      return;
    }
    simulator_.run_until([&] { return job_->ended(); }, steps);
    if (!simulator_.files().halted() &&
        (how == Interruption::kStop || how == Interruption::kCancel)) {
      say(how == Interruption::kStop ? "stop" : "cancel");
      how == Interruption::kStop ? job_->stop() : job_->cancel();
      if (!simulator_.run_until([&] { return job_->ended(); }, kStepsMax))
        fail("does not stop:\n" + simulator_.describe_waiting());
      if (!fine()) return;
    }
    crash();
  }

  /// Takes a savepoint and loses power at once, before a later checkpoint can publish anything.
  void move(std::uint32_t parallelism) {
    simulator_.files().set_faults(faults());
    if (!start(parallelism)) {
      if (fine()) crash();
      return;
    }
    simulator_.run_until([&] { return job_->ended(); }, 1 + simulator_.random().below(400));
    job_->savepoint();
    const auto answered = [&] {
      const JobReport report = job_->report();
      return job_->ended() || !report.savepoint.empty() || !report.savepoint_failure.empty();
    };
    if (!simulator_.run_until(answered, kStepsMax))
      fail("does not answer a request for a savepoint:\n" + simulator_.describe_waiting());
    if (!fine()) return;
    const std::string taken = job_->report().savepoint;
    crash();
    if (taken.empty()) return;
    say("moves to " + taken);
    savepoint_ = taken;
    checkpoint_directory_ += "-moved";
    ++outcome_.moves;
  }

  void run_to_the_end() {
    if (!start(scenario_->parallelism.back())) return fail("does not start without faults");
    if (!simulator_.run_until([&] { return job_->ended(); }, kStepsMax))
      return fail((simulator_.deadlocked() ? "deadlock:\n" : "does not end:\n") +
                  simulator_.describe_waiting());
    report_ = job_->report();
    outcome_.checkpoints = report_.checkpoints_completed;
    if (report_.state != JobState::kFinished)
      fail(fmt::format("ends as {}: {}", in_words(report_.state), report_.failure));
    end_job();
  }

  /// Nothing that is not part of the result, and nothing twice, is ever visible.
  void check_visible() {
    if (!fine()) return;
    const auto found = read_output(simulator_.files());
    if (!found.ok()) return fail(found.error().message);
    fail(first_difference(*found, expected_.results, "visible too early or wrong"));
  }

  void check_end() {
    const auto found = read_output(simulator_.files());
    if (!found.ok()) return fail(found.error().message);
    fail(first_difference(*found, expected_.results, "wrong"));
    fail(first_difference(expected_.results, *found, "missing"));
    // A run that was left behind with a savepoint leaves what it had not published.
    if (const auto hidden = hidden_files(simulator_.files()); !hidden.empty() && savepoint_.empty())
      fail(fmt::format("files are left over: {}", fmt::join(hidden, ", ")));
    outcome_.results = found->size();
    outcome_.late = report_.late_rows;
    check_accounts(*found);
    check_checkpoints();
  }

  /// Every row that was read is in a window, or was filtered, late or rejected.
  void check_accounts(const Results& found) {
    std::uint64_t counted = 0;
    for (const auto& [window, result] : found) counted += static_cast<std::uint64_t>(result.count);
    const std::tuple<const char*, std::uint64_t, std::uint64_t> counters[] = {
        {"rows read", report_.rows_read, expected_.rows},
        {"rows filtered", report_.filtered_rows, expected_.filtered},
        {"rows late", report_.late_rows, expected_.late},
        {"rows rejected", report_.rejected_rows, expected_.rejected},
        {"rows written", report_.rows_written, expected_.results.size()},
        {"sum of the parts",
         counted + report_.filtered_rows + report_.late_rows + report_.rejected_rows,
         report_.rows_read}};
    for (const auto& [name, has, wants] : counters)
      if (has != wants) fail(fmt::format("{}: {} instead of {}", name, has, wants));
  }

  void check_checkpoints() {
    // Old ones are removed behind the job's back.
    simulator_.run_until([] { return false; }, 10'000);
    CheckpointStorage storage(simulator_.files(), checkpoint_directory_);
    // One that could not be removed stays until a job is started that has something to do.
    const bool all_removed = scenario_->file_failure_one_in == 0 && !report_.already_finished;
    if (const auto kept = storage.list().size(); all_removed && kept > scenario_->retained)
      fail(fmt::format("{} checkpoints are kept, {} are retained", kept, scenario_->retained));
    const auto latest = storage.load_latest();
    if (!latest.ok()) return fail(latest.error().message);
    // A savepoint of a job at its end leaves nothing to do, and so no checkpoint.
    if (!latest->has_value() && !savepoint_.empty() && report_.already_finished) return;
    if (!latest->has_value() || !(*latest)->job_finished())
      fail("no checkpoint says that the job has finished");
  }

  /// A job that has finished does nothing when it is started once more.
  void start_again() {
    if (!start(1)) return fail("does not start again");
    if (!simulator_.run_until([&] { return job_->ended(); }, kStepsMax))
      return fail("does not end again:\n" + simulator_.describe_waiting());
    if (!job_->report().already_finished) fail("does not know that it had finished");
    end_job();
    const auto found = read_output(simulator_.files());
    if (!found.ok()) return fail(found.error().message);
    if (*found != expected_.results) fail("the output changed when the job was started again");
  }

  bool fine() const { return outcome_.wrong.empty(); }
  /// Keeps the first thing that is wrong; the empty string is none.
  void fail(const std::string& what) {
    if (!what.empty()) say("WRONG: " + what);
    if (fine()) outcome_.wrong = what;
  }
  void say(const std::string& line) {
    if (log_) log_(line);
  }

  std::shared_ptr<const Scenario> scenario_;
  Expectation expected_;
  std::function<void(std::string_view)> log_;
  Simulator simulator_;
  std::ostringstream printed_;
  ConnectorRegistry connectors_;
  std::unique_ptr<Job> job_;
  JobReport report_;
  std::uint32_t last_parallelism_ = 0;
  std::string checkpoint_directory_ = kCheckpointDirectory;
  std::string savepoint_;  // with which a job without checkpoints begins; empty: none
  Outcome outcome_;
};

}  // namespace

Outcome run(const Scenario& scenario, std::function<void(std::string_view)> log) {
  return Run(scenario, std::move(log)).run();
}

}  // namespace tidemark::simulation
