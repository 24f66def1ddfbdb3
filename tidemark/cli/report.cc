// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/data/calendar.h"

namespace tidemark {
namespace {

std::uint64_t per_second(const JobReport& report, RunSpan span) {
  const std::uint64_t rows = report.rows_read - std::min(report.rows_read, span.rows_read_before);
  return span.elapsed <= 0 ? rows : rows * 1000 / static_cast<std::uint64_t>(span.elapsed);
}

std::string watermark_text(EventTime watermark) {
  if (watermark == kMinTime) return "none yet";
  if (watermark == kMaxTime) return "end of input";
  return event_time_to_string(watermark);
}

std::string state_text(const JobReport& report, bool resumable) {
  if (report.already_finished) return "had already finished; --fresh runs it again";
  switch (report.state) {
    case JobState::kRunning: return "running";
    case JobState::kFinished: return "finished";
    case JobState::kStopped: return resumable ? "stopped, and can be resumed" : "stopped";
    case JobState::kFailed: return "FAILED";
  }
  return "";
}

std::string checkpoint_text(const JobReport& report) {
  std::string text = with_thousands(report.checkpoints_completed);
  if (report.checkpoints_failed > 0)
    text += fmt::format(" (and {} failed)", with_thousands(report.checkpoints_failed));
  if (report.last_checkpoint_bytes > 0)
    text += fmt::format(", the last of {} bytes, {} of them new",
                        with_thousands(report.last_checkpoint_bytes),
                        with_thousands(report.last_checkpoint_new_bytes));
  if (!report.restored_savepoint.empty())
    text += fmt::format(", began with savepoint {}", report.restored_savepoint);
  else if (report.restored_from > 0)
    text += fmt::format(", resumed from number {}", report.restored_from);
  return text;
}

}  // namespace

std::string with_thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string progress_line(const JobReport& report, RunSpan span, std::size_t columns) {
  std::string read = with_thousands(report.rows_read) + " rows read";
  if (report.bytes_total > 0)
    read += fmt::format(" ({} %)", report.bytes_read * 100 / report.bytes_total);
  std::string line = fmt::format("{}, {} out, {} late, watermark {}, checkpoint {}, {} rows/s",
                                 read, with_thousands(report.rows_written),
                                 with_thousands(report.late_rows), watermark_text(report.watermark),
                                 report.last_checkpoint, with_thousands(per_second(report, span)));
  if (report.restarts > 0) line += fmt::format(", restarts {}", report.restarts);
  if (columns > 0 && line.size() > columns) line.resize(columns);
  return line;
}

std::string summary(const std::string& job, const JobReport& report, RunSpan span) {
  std::string text = fmt::format("Job {} {}\n", job, state_text(report, span.resumable));
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("rows read", with_thousands(report.rows_read));
  line("rows out", with_thousands(report.rows_written));
  line("late rows", with_thousands(report.late_rows));
  for (std::size_t i = 0; i < std::min<std::size_t>(report.late_sample.size(), 3); ++i)
    line("", "such as " + report.late_sample[i]);
  if (report.filtered_rows > 0) line("filtered", with_thousands(report.filtered_rows));
  if (report.rejected_rows > 0) line("rejected", with_thousands(report.rejected_rows));
  if (report.nulled_rows > 0) line("nulled", with_thousands(report.nulled_rows));
  line("watermark", watermark_text(report.watermark));
  line("checkpoints", checkpoint_text(report));
  if (!report.savepoint.empty()) line("savepoint", report.savepoint);
  if (!report.savepoint_failure.empty()) line("savepoint", "FAILED: " + report.savepoint_failure);
  if (report.restarts > 0) line("restarts", with_thousands(report.restarts));
  line("rows/s", fmt::format("{} ({:.3f} s)", with_thousands(per_second(report, span)),
                             static_cast<double>(span.elapsed) / 1000));
  if (!report.failure.empty()) line("failure", report.failure);
  return text;
}

}  // namespace tidemark
