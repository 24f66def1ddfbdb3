// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/base/time.h"
#include "tidemark/runtime/job.h"

namespace tidemark {

/// 1234567 as "1,234,567".
std::string with_thousands(std::uint64_t number);

/// How long this run has taken, and what earlier runs of the job had read before it.
struct RunSpan {
  Millis elapsed = 0;
  std::uint64_t rows_read_before = 0;
  bool resumable = true;  // whether the job has checkpoints to go on from
};

/// One line about a running job, at most `columns` characters; 0 is no limit.
std::string progress_line(const JobReport& report, RunSpan span, std::size_t columns);

/// What a person wants to know at the end of a run, a fact a line.
std::string summary(const std::string& job, const JobReport& report, RunSpan span);

}  // namespace tidemark
