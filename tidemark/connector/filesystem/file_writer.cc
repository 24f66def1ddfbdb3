// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/file_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/bytes.h"
#include "tidemark/connector/filesystem/path_pattern.h"

namespace tidemark {
namespace {

constexpr std::uint8_t kCommittableVersion = 1;
constexpr std::size_t kFlushBytes = 256 * 1024;

void refuse_changes(const SinkContext& context, const Batch& batch) {
  const std::int8_t* kinds = batch.row_kinds();
  if (kinds == nullptr) return;
  const bool only_inserts = std::all_of(kinds, kinds + batch.rows(), [](std::int8_t kind) {
    return kind == static_cast<std::int8_t>(RowKind::kInsert);
  });
  if (!only_inserts)
    throw Failure(ErrorCode::kUnsupported,
                  fmt::format("table '{}': a file takes inserts only, and the query updates or "
                              "deletes rows it has sent",
                              context.table),
                  /*retryable=*/false);
}

}  // namespace

FileWriter::FileWriter(const SinkContext& context, std::string directory, RollingPolicy policy,
                       std::unique_ptr<Encoder> encoder)
    : context_(context),
      directory_(std::move(directory)),
      policy_(policy),
      encoder_(std::move(encoder)),
      names_(context.job_id, context.sink_uid, encoder_->extension()) {}

void FileWriter::write(const BatchPtr& batch) {
  refuse_changes(context_, *batch);
  if (batch->rows() == 0) return;
  const bool too_old = part_ != nullptr && saturating_sub(context_.clock->now(), part_opened_at_) >=
                                               policy_.rollover_interval;
  if (too_old) close_part();
  if (part_ == nullptr) open_part();
  encoder_->encode(*batch, encoded_);
  if (encoded_.size() >= kFlushBytes) flush();
  if (part_bytes_ + encoded_.size() >= policy_.file_bytes) close_part();
}

void FileWriter::open_part() {
  if (next_number_ == 0) next_number_ = find_next_number();
  part_name_ = names_.final_name(context_.subtask, next_number_++);
  part_ = context_.files->create(directory_ + "/" + PartNames::hidden_name(part_name_));
  part_bytes_ = 0;
  part_opened_at_ = context_.clock->now();
}

std::uint64_t FileWriter::find_next_number() const {
  std::uint64_t next = restored_number_;
  for (const FileInfo& entry : context_.files->list(directory_)) {
    const auto part = names_.parse(file_name(entry.path));
    if (part && part->subtask == context_.subtask) next = std::max(next, part->number + 1);
  }
  return next;
}

void FileWriter::flush() {
  part_->append(as_byte_span(encoded_));
  part_bytes_ += encoded_.size();
  encoded_.clear();
}

void FileWriter::close_part() {
  flush();
  part_->sync();
  part_->close();
  part_.reset();
  committables_.push_back(FileCommitter::encode(part_name_, part_bytes_));
}

std::vector<std::string> FileWriter::prepare(CheckpointId) {
  if (part_ != nullptr) close_part();
  // The hidden names must survive a crash as surely as the bytes.
  if (!committables_.empty()) context_.files->sync_directory(directory_);
  return std::exchange(committables_, {});
}

std::string FileWriter::state() const {
  ByteWriter out;
  out.put(next_number_ == 0 ? restored_number_ : next_number_);
  return out.take();
}

void FileWriter::restore_state(std::span<const std::string> states) {
  for (const std::string& state : states)
    restored_number_ = std::max(restored_number_, ByteReader(state).get<std::uint64_t>());
}

FileCommitter::FileCommitter(const SinkContext& context, std::string directory,
                             std::string_view extension)
    : context_(context),
      directory_(std::move(directory)),
      names_(context.job_id, context.sink_uid, extension) {}

std::string FileCommitter::encode(std::string_view final_name, std::uint64_t bytes) {
  ByteWriter out;
  out.put(kCommittableVersion);
  out.put_string(final_name);
  out.put(bytes);
  return out.take();
}

void FileCommitter::commit(std::span<const std::string> committables) {
  if (committables.empty()) return;
  for (const std::string& committable : committables) {
    ByteReader in(committable);
    if (in.get<std::uint8_t>() != kCommittableVersion)
      throw Failure(ErrorCode::kCheckpointDamaged,
                    fmt::format("table '{}': a stored file to publish is of an unknown version",
                                context_.table),
                    /*retryable=*/false);
    const std::string final_name(in.get_string());
    publish(final_name, in.get<std::uint64_t>());
  }
  context_.files->sync_directory(directory_);
}

void FileCommitter::publish(const std::string& final_name, std::uint64_t bytes) {
  FileSystem& files = *context_.files;
  const std::string final_path = directory_ + "/" + final_name;
  const std::string hidden_path = directory_ + "/" + PartNames::hidden_name(final_name);
  const bool hidden = files.exists(hidden_path);
  const bool published = files.exists(final_path);
  const auto refuse = [&](ErrorCode code, const std::string& what) {
    throw Failure(code, fmt::format("table '{}': {}", context_.table, what), /*retryable=*/false);
  };
  if (hidden && published)
    refuse(ErrorCode::kIo, fmt::format("cannot publish '{}': there is another file '{}'; move it "
                                       "away",
                                       hidden_path, final_path));
  if (!hidden && !published)
    refuse(
        ErrorCode::kNotFound,
        fmt::format("the checkpoint names file '{}', but neither it nor '{}' exists; put it back "
                    "or start from another checkpoint",
                    final_path, hidden_path));
  const std::string& present = hidden ? hidden_path : final_path;
  const std::uint64_t present_bytes = files.info(present).bytes;
  if (present_bytes != bytes)
    refuse(ErrorCode::kCheckpointDamaged,
           fmt::format("file '{}' has {} bytes, the checkpoint says {}", present, present_bytes,
                       bytes));
  if (hidden) files.rename(hidden_path, final_path);
}

void FileCommitter::abort_unknown() {
  FileSystem& files = *context_.files;
  if (!files.exists(directory_)) return;
  bool removed = false;
  for (const FileInfo& entry : files.list(directory_)) {
    const std::string_view name = file_name(entry.path);
    const auto part = names_.parse(name);
    if (!part || !part->hidden || part->subtask % context_.parallelism != context_.subtask)
      continue;
    files.remove(directory_ + "/" + std::string(name));
    removed = true;
  }
  if (removed) files.sync_directory(directory_);
}

}  // namespace tidemark
