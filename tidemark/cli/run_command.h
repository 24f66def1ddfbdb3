// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tidemark/base/options.h"

namespace tidemark {

enum ExitCode : int {
  kExitOk = 0,
  kExitJobFailed = 1,
  kExitUserError = 2,  // the SQL, an option or the checkpoint is not right; nothing was run
};

struct RunCommand {
  std::string sql_file;  // "-" reads standard input
  std::optional<std::uint32_t> parallelism;
  std::optional<std::uint32_t> cores;
  std::string checkpoint_directory;  // empty: the job's SET option, else .tidemark/checkpoints
  bool fresh = false;
  std::string from_savepoint;  // of the file's one INSERT; empty: none
  bool allow_dropped_state = false;
  std::string savepoint_directory;  // empty: the job's SET option
  OptionMap options;                // -D key=value, over the file's SET
  std::size_t first_rows = 5;       // of each sink, shown at the end; 0 for none
  bool quiet = false;               // no progress
  bool verbose = false;             // log at INFO
};

/// Runs every statement of a SQL file. Results of SELECT and summaries go to `out`, progress and
/// errors to `err`. Returns an ExitCode.
int run(const RunCommand& command, std::ostream& out, std::ostream& err);

/// Prints the plan of every INSERT and SELECT of a file, without running any.
int explain(const std::string& sql_file, std::ostream& out, std::ostream& err);

}  // namespace tidemark
