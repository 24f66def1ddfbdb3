// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/report.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

JobReport sample() {
  JobReport report;
  report.rows_read = 20'000;
  report.rows_written = 17'372;
  report.late_rows = 124;
  report.watermark = 978'307'200'000;
  report.checkpoints_completed = 3;
  report.last_checkpoint = 3;
  return report;
}

TEST(Report, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1'000), "1,000");
  EXPECT_EQ(with_thousands(18'446'744'073'709'551'615ull), "18,446,744,073,709,551,615");
}

TEST(Report, ProgressFitsTheTerminal) {
  JobReport report = sample();
  report.bytes_read = 61;
  report.bytes_total = 100;
  const std::string line = progress_line(report, {.elapsed = 2'000}, 0);
  EXPECT_EQ(line,
            "20,000 rows read (61 %), 17,372 out, 124 late, watermark 2001-01-01 00:00:00.000, "
            "checkpoint 3, 10,000 rows/s");
  EXPECT_EQ(progress_line(report, {.elapsed = 2'000}, 20), line.substr(0, 20));
}

TEST(Report, SummaryCountsTheRateOfThisRunOnly) {
  JobReport report = sample();
  report.state = JobState::kFinished;
  report.restored_from = 2;
  EXPECT_EQ(summary("hourly", report, {.elapsed = 1'000, .rows_read_before = 15'000}),
            "Job hourly finished\n"
            "  rows read    20,000\n"
            "  rows out     17,372\n"
            "  late rows    124\n"
            "  watermark    2001-01-01 00:00:00.000\n"
            "  checkpoints  3, resumed from number 2\n"
            "  rows/s       5,000 (1.000 s)\n");
}

TEST(Report, OnlyAJobWithCheckpointsCanBeResumed) {
  JobReport report = sample();
  report.state = JobState::kStopped;
  EXPECT_TRUE(summary("q", report, {}).starts_with("Job q stopped, and can be resumed\n"));
  EXPECT_TRUE(summary("q", report, {.resumable = false}).starts_with("Job q stopped\n"));
}

TEST(Report, SummarySaysWhatFailed) {
  JobReport report = sample();
  report.state = JobState::kFailed;
  report.failure = "disk full";
  const std::string text = summary("hourly", report, {.elapsed = 0});
  EXPECT_NE(text.find("Job hourly FAILED"), std::string::npos);
  EXPECT_NE(text.find("disk full"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
