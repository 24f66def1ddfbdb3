// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace tidemark
