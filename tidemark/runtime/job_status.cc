// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/job_status.h"

#include <algorithm>
#include <optional>

namespace tidemark {
namespace {

// The least over the sinks; of the sources while no sink has one.
EventTime watermark_of(const std::vector<std::shared_ptr<TaskStats>>& tasks) {
  std::optional<EventTime> sinks;
  std::optional<EventTime> sources;
  for (const auto& task : tasks) {
    for (const TaskStats::OperatorLine& line : task->operators) {
      const EventTime watermark = line.metrics->watermark.load(std::memory_order_relaxed);
      std::optional<EventTime>* least = line.role == OperatorRole::kSink     ? &sinks
                                        : line.role == OperatorRole::kSource ? &sources
                                                                             : nullptr;
      if (least) *least = least->has_value() ? std::min(**least, watermark) : watermark;
    }
  }
  if (sinks && *sinks > kMinTime) return *sinks;
  return sources.value_or(kMinTime);
}

}  // namespace

JobReport JobStatus::report() const {
  Known known;
  {
    const std::lock_guard lock(mutex_);
    known = known_;
  }
  JobReport report;
  report.state = known.state;
  report.failure = known.failure;
  report.checkpoints_completed = known.checkpoints_completed;
  report.checkpoints_failed = known.checkpoints_failed;
  report.last_checkpoint = known.last_checkpoint;
  report.last_checkpoint_bytes = known.last_checkpoint_bytes;
  report.last_checkpoint_new_bytes = known.last_checkpoint_new_bytes;
  report.restored_from = known.restored_from;
  report.restored_savepoint = known.restored_savepoint;
  report.savepoint = known.savepoint;
  report.savepoint_failure = known.savepoint_failure;
  report.already_finished = known.already_finished;
  report.restarts = known.restarts;
  report.watermark = known.already_finished ? kMaxTime : watermark_of(known.tasks);
  JobCounters sum = known.base;
  for (const auto& task : known.tasks) {
    sum += task->counters();
    report.bytes_read += task->progress.bytes_read.get();
    report.bytes_total += task->progress.bytes_total.get();
    for (const TaskStats::OperatorLine& line : task->operators)
      for (std::string& row : line.metrics->late_sample.rows())
        if (report.late_sample.size() < LateSample::kRows)
          report.late_sample.push_back(std::move(row));
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    if (!task->operators.empty()) {
      in = task->operators.front().metrics->records_in.get();
      out = task->operators.back().metrics->records_out.get();
    }
    report.tasks.push_back({.name = task->name,
                            .subtask = task->subtask,
                            .records_in = in,
                            .records_out = out,
                            .busy_ns = task->time.busy_ns.get(),
                            .idle_ns = task->time.idle_ns.get(),
                            .backpressured_ns = task->time.backpressured_ns.get()});
  }
  report.rows_read = sum.rows_read;
  report.rows_written = sum.rows_written;
  report.late_rows = sum.late_dropped + sum.late_side_output;
  report.rejected_rows = sum.rejected_skipped + sum.rejected_dead_letter;
  report.filtered_rows = sum.filtered;
  report.nulled_rows = sum.nulled;
  return report;
}

}  // namespace tidemark
