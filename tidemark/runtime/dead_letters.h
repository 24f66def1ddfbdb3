// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/file_system.h"
#include "tidemark/operator/sink.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// Name of the operator state of a source that holds the dead-letter files of unfinished commits.
inline constexpr std::string_view kDeadLetterState = "dead-letters";

/// Where a source's bad records go: files of JSON lines in a directory, with the two phases of a
/// file sink. A file is hidden ('.' first) until the checkpoint that covers its rows is complete.
struct DeadLetterPlace {
  FileSystem* files = nullptr;
  std::string directory;  // scan.dead-letter.path
  std::string table;
  std::string job_id;
  std::uint32_t subtask = 0;
};

/// Phase one, for one subtask. A line is {"table", "split", "offset", "reason", "raw"}, raw in
/// base 64. Throws IoFailure. Thread: the task's.
class DeadLetterWriter {
 public:
  explicit DeadLetterWriter(DeadLetterPlace place) : place_(std::move(place)) {}

  void write(const BadRecord& record);
  /// Makes what was written durable; the files to publish with the next complete checkpoint.
  std::vector<std::string> prepare();

 private:
  void open_file();

  DeadLetterPlace place_;
  std::uint64_t next_number_ = 0;  // 0: the directory has not been looked at yet
  std::string name_;
  std::unique_ptr<WritableFile> file_;
};

/// Phase two, for all subtasks of the source.
std::unique_ptr<Committer> make_dead_letter_committer(DeadLetterPlace place);

}  // namespace tidemark
