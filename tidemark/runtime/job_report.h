// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// kRunning is also a job that waits to be restarted.
enum class JobState : std::uint8_t { kRunning, kFinished, kStopped, kFailed };

/// A moment of a running job, for progress lines and summaries. All counts include those before a
/// restore.
struct JobReport {
  JobState state = JobState::kRunning;
  std::string failure;                   // kFailed: what a user should read
  std::uint64_t rows_read = 0;           // by all sources
  std::uint64_t rows_written = 0;        // by all sinks
  std::uint64_t late_rows = 0;           // dropped and to side outputs
  std::vector<std::string> late_sample;  // some of them, since the last restart
  std::uint64_t rejected_rows = 0;
  std::uint64_t filtered_rows = 0;
  std::uint64_t nulled_rows = 0;   // with a value that became NULL by policy
  EventTime watermark = kMinTime;  // min over the sinks; the sources' when there is no sink yet
  std::uint64_t checkpoints_completed = 0;
  std::uint64_t checkpoints_failed = 0;
  CheckpointId last_checkpoint = 0;
  std::uint64_t last_checkpoint_bytes = 0;      // of all files that the last one needs
  std::uint64_t last_checkpoint_new_bytes = 0;  // of those that it brought
  CheckpointId restored_from = 0;               // 0: started fresh
  std::string restored_savepoint;               // its directory, when it was a savepoint
  std::string savepoint;                        // the directory of the last one that was asked for
  std::string savepoint_failure;  // why the last one that was asked for failed; empty: it did not
  bool already_finished = false;  // the checkpoint says that the job had ended before
  std::uint32_t restarts = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_total = 0;  // of bounded sources, 0 unknown

  struct TaskLine {
    std::string name;
    std::uint32_t subtask;
    std::uint64_t records_in, records_out;
    std::uint64_t busy_ns, idle_ns, backpressured_ns;
  };
  std::vector<TaskLine> tasks;
};

}  // namespace tidemark
