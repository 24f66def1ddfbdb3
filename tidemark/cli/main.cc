// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/base/options.h"
#include "tidemark/cli/run_command.h"
#include "tidemark/cli/state_command.h"
#include "tidemark/state/key_group.h"

namespace {

tidemark::OptionMap to_options(const std::vector<std::string>& definitions) {
  tidemark::OptionMap options;
  for (const std::string& definition : definitions) {
    const std::size_t equals = definition.find('=');
    if (equals == std::string::npos || equals == 0)
      throw CLI::ValidationError("-D", fmt::format("takes key=value, got '{}'", definition));
    options[definition.substr(0, equals)] = definition.substr(equals + 1);
  }
  return options;
}

void add_run(CLI::App& app, tidemark::RunCommand& command, std::vector<std::string>& definitions) {
  CLI::App* run = app.add_subcommand("run", "Run the statements of a SQL file");
  run->add_option("file", command.sql_file, "SQL file; - reads standard input")->required();
  run->add_option("-p,--parallelism", command.parallelism,
                  "Subtasks of each operator (parallelism.default)")
      ->check(CLI::Range(1u, tidemark::kMaxMaxParallelism));
  run->add_option("--cores", command.cores, "Threads that process rows; all cores by default")
      ->check(CLI::Range(1u, 1024u));
  run->add_option("--checkpoint-dir", command.checkpoint_directory,
                  "Where checkpoints go and a job resumes from, one directory a job below it "
                  "(execution.checkpointing.dir); .tidemark/checkpoints by default");
  run->add_flag("--fresh", command.fresh,
                "Start over: remove the job's checkpoints first; files it has committed stay");
  run->add_option("-s,--from-savepoint", command.from_savepoint,
                  "Begin with this savepoint when the job has no checkpoint of its own "
                  "(execution.state-recovery.path)");
  run->add_flag("--allow-dropped-state", command.allow_dropped_state,
                "Leave behind what the savepoint holds of operators that the job no longer has");
  run->add_option("--savepoint-dir", command.savepoint_directory,
                  "Where savepoints go: one on SIGUSR1, and one when the job is stopped "
                  "(execution.checkpointing.savepoint-dir)");
  run->add_option("-D", definitions, "Set an option of the job, key=value, over the file's SET")
      ->take_all();
  run->add_option("--first-rows", command.first_rows,
                  "Result rows of each sink to show at the end (5; 0 for none)")
      ->check(CLI::Range(0u, 1000u));
  run->add_flag("-q,--quiet", command.quiet, "No progress lines");
  run->add_flag("-v,--verbose", command.verbose, "Log what the engine does");
}

// CLI11 would only say that a command is missing.
bool is_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return false;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return false;
  const std::string near = tidemark::nearest_name(argv[1], names);
  std::cerr << fmt::format("there is no command '{}'; it is one of {}{}\n", argv[1],
                           fmt::join(names, ", "),
                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near))
            << "Run with --help for more information.\n";
  return true;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Tidemark: stateful stream processing in Flink's SQL and in C++");
  app.set_version_flag("--version", "tidemark " TIDEMARK_VERSION);
  app.require_subcommand(1);
  tidemark::RunCommand command;
  std::vector<std::string> definitions;
  add_run(app, command, definitions);
  std::string explained;
  CLI::App* explain = app.add_subcommand("explain", "Print the plans of a SQL file's jobs");
  explain->add_option("file", explained, "SQL file; - reads standard input")->required();
  tidemark::StateListCommand listed;
  CLI::App* state = app.add_subcommand("state", "Look into checkpoints and savepoints");
  state->require_subcommand(1);
  CLI::App* list = state->add_subcommand("ls", "List operators, states, schemas and sizes");
  list->add_option("path", listed.path, "A savepoint, a checkpoint, or a directory of them")
      ->required();
  list->add_flag("--verify", listed.verify, "Read and check all of the state; count entries");
  tidemark::StateShowCommand shown;
  CLI::App* show = state->add_subcommand("show", "Print the entries of a keyed state");
  show->add_option("path", shown.path, "A savepoint or a checkpoint")->required();
  show->add_option("--operator", shown.operator_uid, "Its uid, as `state ls` prints it");
  show->add_option("--state", shown.state, "The state's name, as `state ls` prints it");
  show->add_option("--where", shown.where,
                   "A SQL condition over the columns, such as \"key LIKE 'S%'\"");
  show->add_option("--limit", shown.limit, "Rows to print (100)");
  if (argc == 1) {
    std::cerr << app.help();
    return tidemark::kExitUserError;
  }
  if (is_unknown_command(app, argc, argv)) return tidemark::kExitUserError;
  try {
    app.parse(argc, argv);
    command.options = to_options(definitions);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? tidemark::kExitOk : tidemark::kExitUserError;
  }
  if (show->parsed()) return tidemark::show_state(shown, std::cout, std::cerr);
  if (list->parsed()) return tidemark::list_state(listed, std::cout, std::cerr);
  if (explain->parsed()) return tidemark::explain(explained, std::cout, std::cerr);
  return tidemark::run(command, std::cout, std::cerr);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tidemark: " << error.what() << '\n';
    return tidemark::kExitJobFailed;
  }
}
