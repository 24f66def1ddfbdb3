// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/connector/filesystem/part_name.h"
#include "tidemark/format/format.h"
#include "tidemark/operator/sink.h"

namespace tidemark {

/// When a part file is closed before the next checkpoint closes it anyway.
struct RollingPolicy {
  std::uint64_t file_bytes = 128u << 20;
  Millis rollover_interval = 30 * 60 * 1000;
};

/// Writes rows to hidden part files. A checkpoint closes the open part, so that nothing of it is
/// left to be cut or finished after a crash: rows after the checkpoint are written again to a new
/// file.
class FileWriter final : public SinkWriter {
 public:
  FileWriter(const SinkContext& context, std::string directory, RollingPolicy policy,
             std::unique_ptr<Encoder> encoder);

  void write(const BatchPtr& batch) override;
  std::vector<std::string> prepare(CheckpointId checkpoint) override;
  std::string state() const override;
  void restore_state(std::span<const std::string> states) override;

 private:
  void open_part();
  void flush();
  void close_part();
  std::uint64_t find_next_number() const;

  const SinkContext& context_;
  std::string directory_;
  RollingPolicy policy_;
  std::unique_ptr<Encoder> encoder_;
  PartNames names_;
  // The number of the next part; 0 until the directory was looked at. Numbers are never used again:
  // they are above those of the restored state, whose files may have been moved away since, and
  // above those in the directory, which an attempt after the restored checkpoint may have
  // published.
  std::uint64_t next_number_ = 0;
  std::uint64_t restored_number_ = 1;
  std::unique_ptr<WritableFile> part_;
  std::string part_name_;
  std::uint64_t part_bytes_ = 0;
  ProcessingTime part_opened_at_ = 0;
  std::string encoded_;
  std::vector<std::string> committables_;
};

/// Publishes part files by renaming them. A committable in bytes, little-endian:
///   u8 version (1), u32 length and bytes of the final name, u64 size of the file.
class FileCommitter final : public Committer {
 public:
  FileCommitter(const SinkContext& context, std::string directory, std::string_view extension);

  void commit(std::span<const std::string> committables) override;
  /// Removes this job's and sink's hidden files of the subtasks that are this one modulo the
  /// parallelism, so that each is some subtask's duty, whatever the parallelism was before.
  void abort_unknown() override;

  static std::string encode(std::string_view final_name, std::uint64_t bytes);

 private:
  void publish(const std::string& final_name, std::uint64_t bytes);

  const SinkContext& context_;
  std::string directory_;
  PartNames names_;
};

}  // namespace tidemark
