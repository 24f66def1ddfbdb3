// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/run_command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>

#include "tidemark/base/log.h"
#include "tidemark/cli/running_job.h"
#include "tidemark/cli/shown_rows.h"
#include "tidemark/cli/stop_signals.h"
#include "tidemark/connector/builtin.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/runtime/threaded_executor.h"
#include "tidemark/runtime/transport.h"
#include "tidemark/sql/compile.h"

namespace tidemark {
namespace {

constexpr Millis kTerminalProgressPeriod = 200;
constexpr Millis kLogProgressPeriod = 5'000;
constexpr std::string_view kDefaultCheckpointDirectory = ".tidemark/checkpoints";

Result<std::string> read_text(FileSystem& files, const std::string& path) {
  if (path == "-")
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  try {
    return read_file(files, path);
  } catch (const IoFailure& failure) {
    return Error{ErrorCode::kNotFound, failure.what()};
  }
}

// One run of a SQL file: what outlives every job, and the jobs.
class Session {
 public:
  Session(const RunCommand& command, std::ostream& out, std::ostream& err)
      : command_(command),
        out_(out),
        err_(err),
        files_(make_local_file_system()),
        transport_(make_local_transport()),
        builtin_(make_builtin_connectors(out)),
        first_rows_(command.first_rows),
        connectors_(keep_first_rows(builtin_, first_rows_)),
        result_(out),
        terminal_(::isatty(STDERR_FILENO) == 1) {
    connectors_.add(result_.connector());
  }

  int run() {
    auto text = read_text(*files_, command_.sql_file);
    if (!text.ok()) return refuse(text.error());
    auto statements = sql::compile(*text, command_.sql_file, connectors_);
    if (!statements.ok()) return refuse(statements.error());
    if (statements->empty())
      return refuse({ErrorCode::kInvalidSql,
                     fmt::format("{}: nothing to run: the file has no INSERT, SELECT, EXPLAIN or "
                                 "SHOW",
                                 command_.sql_file)});
    if (const auto refused = check_savepoint_option(*statements)) return refuse(*refused);
    for (const sql::CompiledStatement& statement : *statements) {
      const int code = execute(statement);
      if (code != kExitOk || stop_signals_received() > 0) {
        finish_all();
        return code;
      }
    }
    return finish_all();
  }

 private:
  using Kind = sql::CompiledStatement::Kind;

  int refuse(const Error& error) {
    err_ << error.message << '\n';
    return kExitUserError;
  }

  // A savepoint is of one job.
  std::optional<Error> check_savepoint_option(
      const std::vector<sql::CompiledStatement>& statements) const {
    if (command_.from_savepoint.empty()) return std::nullopt;
    const auto inserts = std::count_if(
        statements.begin(), statements.end(),
        [](const sql::CompiledStatement& statement) { return statement.kind == Kind::kInsert; });
    if (inserts == 1) return std::nullopt;
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("--from-savepoint: a savepoint is of one job, but {} has {} INSERT "
                             "statements; SET 'execution.state-recovery.path' before each",
                             command_.sql_file, inserts)};
  }

  int execute(const sql::CompiledStatement& statement) {
    if (statement.kind == Kind::kExplain || statement.kind == Kind::kShow) {
      out_ << statement.text << std::flush;
      return kExitOk;
    }
    const bool select = statement.kind == Kind::kSelect;
    // A query shows its table alone, after the output of the inserts before it.
    if (select)
      if (const int code = finish_all(); code != kExitOk) return code;
    auto job = start(statement);
    if (!job.ok()) return refuse(job.error());
    jobs_.push_back(std::move(*job));
    showing_result_ = select;
    const auto& options = statement.graph.options();
    const auto sync = options.find("table.dml-sync");
    if (select || (sync != options.end() && sync->second == "true")) return finish_all();
    return kExitOk;
  }

  Result<std::unique_ptr<RunningJob>> start(const sql::CompiledStatement& statement) {
    JobGraph graph;
    graph.plan = statement.graph;
    for (const auto& [key, value] : command_.options) (*graph.plan.mutable_options())[key] = value;
    JobConfig defaults;
    defaults.checkpoint_directory = std::string(kDefaultCheckpointDirectory);
    TIDEMARK_ASSIGN_OR_RETURN(JobConfig config, read_job_config(graph.plan, defaults));
    if (command_.parallelism) config.parallelism = *command_.parallelism;
    if (!command_.checkpoint_directory.empty())
      config.checkpoint_directory = command_.checkpoint_directory;
    config.fresh = command_.fresh;
    if (!command_.from_savepoint.empty()) config.savepoint_path = command_.from_savepoint;
    if (command_.allow_dropped_state) config.allow_dropped_state = true;
    if (!command_.savepoint_directory.empty())
      config.savepoint_directory = command_.savepoint_directory;
    std::optional<DirectoryLock> lock;
    std::string name = statement.name;
    if (statement.kind == Kind::kSelect) {
      config.checkpoint_directory.clear();
      config.savepoint_path.clear();
      config.savepoint_directory.clear();
    } else {
      name = unique_name(name);
      config.checkpoint_directory += "/" + name;
      TIDEMARK_TRY(make_directory(config.checkpoint_directory));
      auto acquired = DirectoryLock::acquire(config.checkpoint_directory);
      if (!acquired.ok()) return acquired.error();
      lock.emplace(std::move(*acquired));
    }
    if (!executor_) {
      const std::uint32_t cores = command_.cores.value_or(machine_cores());
      executor_ = make_threaded_executor(clock_, {.cores = cores});
    }
    const Environs environs{.clock = &clock_,
                            .executor = executor_.get(),
                            .transport = transport_.get(),
                            .files = files_.get(),
                            .connectors = &connectors_};
    TIDEMARK_ASSIGN_OR_RETURN(
        std::unique_ptr<Job> job,
        start_job(std::move(graph), std::move(config), environs, [this] { ended_.notify(); }));
    return std::make_unique<RunningJob>(std::move(name), std::move(job), std::move(lock), clock_);
  }

  Status make_directory(const std::string& directory) {
    try {
      files_->create_directories(directory);
      return {};
    } catch (const IoFailure& failure) {
      return Error{ErrorCode::kInvalidOption, failure.what()};
    }
  }

  // Two inserts into one table are two jobs with checkpoints of their own.
  std::string unique_name(const std::string& name) {
    std::string candidate = name;
    for (int i = 2; !names_.insert(candidate).second; ++i)
      candidate = fmt::format("{}-{}", name, i);
    return candidate;
  }

  // Waits for every job, and says how each ended.
  int finish_all() {
    int signals_seen = 0;
    Millis since_progress = 0;
    const Millis period = terminal_ ? kTerminalProgressPeriod : kLogProgressPeriod;
    while (!std::all_of(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->ended(); })) {
      ended_.wait(kTerminalProgressPeriod);
      react_to_signals(signals_seen);
      react_to_savepoint_signals(savepoint_signals_seen_);
      since_progress += kTerminalProgressPeriod;
      if (since_progress >= period) {
        show_progress();
        since_progress = 0;
      }
    }
    show_last_progress();
    result_.finish();
    int code = kExitOk;
    for (const auto& job : jobs_) {
      (showing_result_ ? err_ : out_) << job->summarize();
      const JobReport report = job->job().report();
      if (report.state == JobState::kFailed || !report.savepoint_failure.empty())
        code = kExitJobFailed;
    }
    out_.flush();
    jobs_.clear();
    showing_result_ = false;
    first_rows_.print(out_);
    first_rows_.clear();
    return code;
  }

  void react_to_savepoint_signals(int& seen) {
    const int received = savepoint_signals_received();
    if (received == seen) return;
    seen = received;
    clear_progress();
    for (const auto& job : jobs_) {
      if (job->job().takes_savepoints()) {
        err_ << "Taking a savepoint of job " << job->name() << '\n';
        job->job().savepoint();
      } else {
        err_ << "No savepoint of job " << job->name()
             << ": name a directory for it with --savepoint-dir\n";
      }
    }
  }

  void react_to_signals(int& seen) {
    const int received = stop_signals_received();
    if (received == seen) return;
    clear_progress();
    if (received > 1) {
      err_ << "Stopping at once\n";
    } else if (jobs_.empty() || !jobs_.front()->resumable()) {
      err_ << "Stopping\n";  // a SELECT, which runs alone
    } else {
      err_ << "Stopping: taking a last checkpoint (once more to stop at once)\n";
    }
    for (const auto& job : jobs_) {
      Job& running = job->job();
      if (received > 1) {
        running.cancel();
      } else if (running.takes_savepoints()) {
        running.stop_with_savepoint();
      } else {
        running.stop();
      }
    }
    seen = received;
  }

  void show_progress() {
    // A line that is drawn over would end up among the rows of a result.
    if (command_.quiet || (showing_result_ && terminal_)) return;
    for (const auto& job : jobs_) {
      if (job->ended()) continue;
      if (terminal_) {
        err_ << "\r\033[K" << job->progress(terminal_columns()) << std::flush;
        progress_shown_ = true;
        return;
      }
      err_ << job->name() << ": " << job->progress(0) << std::endl;
    }
  }

  // Even a job that ends at once leaves a line that says how far it came.
  void show_last_progress() {
    clear_progress();
    if (command_.quiet || showing_result_) return;
    for (const auto& job : jobs_) err_ << job->name() << ": " << job->progress(0) << std::endl;
  }

  void clear_progress() {
    if (progress_shown_) err_ << "\r\033[K" << std::flush;
    progress_shown_ = false;
  }

  static std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 79;
    return size.ws_col - 1u;
  }

  const RunCommand& command_;
  std::ostream& out_;
  std::ostream& err_;
  SystemClock clock_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Transport> transport_;
  ConnectorRegistry builtin_;
  FirstRows first_rows_;
  ConnectorRegistry connectors_;
  ResultDisplay result_;
  const bool terminal_;
  EndSignal ended_;
  std::set<std::string> names_;
  std::vector<std::unique_ptr<RunningJob>> jobs_;
  // Last, so that its threads stop before what the jobs use goes.
  std::unique_ptr<Executor> executor_;
  int savepoint_signals_seen_ = 0;
  bool progress_shown_ = false;
  bool showing_result_ = false;
};

}  // namespace

int run(const RunCommand& command, std::ostream& out, std::ostream& err) {
  if (command.verbose) set_log_level(LogLevel::kInfo);
  install_stop_signals();
  install_savepoint_signal();
  const int code = Session(command, out, err).run();
  out.flush();
  if (out) return code;
  err << "cannot write to the standard output\n";
  return code == kExitOk ? static_cast<int>(kExitJobFailed) : code;
}

int explain(const std::string& sql_file, std::ostream& out, std::ostream& err) {
  const auto files = make_local_file_system();
  ConnectorRegistry connectors = make_builtin_connectors(out);
  ResultDisplay result(out);
  connectors.add(result.connector());
  auto text = read_text(*files, sql_file);
  if (!text.ok()) {
    err << text.error().message << '\n';
    return kExitUserError;
  }
  auto statements = sql::compile(*text, sql_file, connectors);
  if (!statements.ok()) {
    err << statements.error().message << '\n';
    return kExitUserError;
  }
  for (const sql::CompiledStatement& statement : *statements)
    if (statement.kind == sql::CompiledStatement::Kind::kInsert ||
        statement.kind == sql::CompiledStatement::Kind::kSelect)
      out << statement.name << '\n' << explain(statement.graph) << '\n';
  return kExitOk;
}

}  // namespace tidemark
