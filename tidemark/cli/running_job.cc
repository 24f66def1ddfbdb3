// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/running_job.h"

namespace tidemark {

RunningJob::RunningJob(std::string name, std::unique_ptr<Job> job,
                       std::optional<DirectoryLock> lock, const Clock& clock)
    : name_(std::move(name)),
      lock_(std::move(lock)),
      clock_(clock),
      started_ns_(clock.monotonic_ns()),
      job_(std::move(job)) {
  const JobReport report = job_->report();
  rows_read_before_ = report.restored_from > 0 ? report.rows_read : 0;
}

std::string RunningJob::progress(std::size_t columns) const {
  return progress_line(job_->report(), span(), columns);
}

std::string RunningJob::summarize() const {
  return summary(name_, job_->report(), span());
}

RunSpan RunningJob::span() const {
  return {.elapsed = (clock_.monotonic_ns() - started_ns_) / 1'000'000,
          .rows_read_before = rows_read_before_,
          .resumable = resumable()};
}

}  // namespace tidemark
