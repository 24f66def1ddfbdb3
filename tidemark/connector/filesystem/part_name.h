// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// The names of the files that one sink of one job writes:
///   part-<job>-<sink>-<subtask>-<number>.<extension>              complete, visible
///   .part-<job>-<sink>-<subtask>-<number>.<extension>.inprogress  hidden
/// <sink> is a hash of job and sink uid, so that two sinks may share a directory.
class PartNames {
 public:
  PartNames(std::string_view job_id, std::string_view sink_uid, std::string_view extension);

  struct Part {
    std::uint32_t subtask;
    std::uint64_t number;
    bool hidden;
  };

  std::string final_name(std::uint32_t subtask, std::uint64_t number) const;
  static std::string hidden_name(std::string_view final_name);
  /// What a file name says; nullopt for a name that is not of this sink and job.
  std::optional<Part> parse(std::string_view name) const;

 private:
  std::string prefix_;  // "part-<job>-<sink>-"
  std::string extension_;
};

}  // namespace tidemark
