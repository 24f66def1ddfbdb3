// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace tidemark {

struct StateListCommand {
  std::string path;     // a savepoint, a checkpoint, a job's checkpoints, or a checkpoint directory
  bool verify = false;  // read and check all of the state, and count entries
};

/// Prints what the checkpoints and savepoints at a path hold: operators, states, schemas, sizes.
/// Returns an ExitCode (run_command.h).
int list_state(const StateListCommand& command, std::ostream& out, std::ostream& err);

struct StateShowCommand {
  std::string path;          // of one savepoint or checkpoint; of several: the last
  std::string operator_uid;  // empty: the one that has the state
  std::string state;         // empty: the only keyed one
  std::string where;         // SQL over the columns; empty: all
  std::size_t limit = 100;   // rows to print
};

/// Prints the entries of a keyed state as a table: the key, the namespace (of windows: the end of a
/// slice), the value's bytes. Returns an ExitCode.
int show_state(const StateShowCommand& command, std::ostream& out, std::ostream& err);

}  // namespace tidemark
