// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/simulation/scenario.h"
#include "tidemark/base/file_system.h"
#include "tidemark/base/result.h"
#include "tidemark/graph/job_graph.h"

namespace tidemark::simulation {

inline constexpr const char* kOutputDirectory = "/data/out";
inline constexpr const char* kCheckpointDirectory = "/data/checkpoints";

/// memory source -> WHERE value <> x -> by key: COUNT, SUM, MIN, MAX a window -> CSV files.
JobGraph make_window_job(const Scenario& scenario);

/// All rows of all visible part files. An error for a row that does not parse or comes twice.
Result<Results> read_output(FileSystem& files);
/// Names of hidden files in the output directory.
std::vector<std::string> hidden_files(FileSystem& files);

}  // namespace tidemark::simulation
