// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/shared_files.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/checkpoint/metadata_file.h"

namespace tidemark {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

/// XXH3 64, seed 0, of what it is given piece by piece.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState(), &XXH3_freeState) { XXH3_64bits_reset(state_.get()); }
  void add(const char* bytes, std::size_t count) { XXH3_64bits_update(state_.get(), bytes, count); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

/// The checkpoint that brought a file; the largest number for names that are not ours.
CheckpointId creator_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  CheckpointId id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool ours = error == std::errc() && end < name.data() + name.size() && *end == '-';
  return ours ? id : std::numeric_limits<CheckpointId>::max();
}

Failure damaged(const std::string& path, std::string_view how) {
  return {ErrorCode::kCheckpointDamaged,
          fmt::format("checkpoint file '{}' is damaged: {}. Restore it from a copy, or start from "
                      "another checkpoint",
                      path, how),
          /*retryable=*/false};
}

}  // namespace

SharedFiles::SharedFiles(FileSystem& files, std::string directory)
    : files_(files), directory_(std::move(directory)) {}

std::string SharedFiles::path_of(std::string_view name) const {
  return fmt::format("{}/{}", directory_, name);
}

StoredFile SharedFiles::store(CheckpointId checkpoint, const std::string& owner,
                              const std::string& name, const SnapshotFileStore::Source& source) {
  StoredFile stored{name, fmt::format("{}-{}-{}", checkpoint, owner, name)};
  files_.create_directories(directory_);
  const std::unique_ptr<WritableFile> file = files_.create(path_of(stored.path));
  Checksum checksum;
  std::vector<std::byte> piece(kPieceBytes);
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = source(piece);
    if (count == 0) break;
    checksum.add(reinterpret_cast<const char*>(piece.data()), count);
    file->append({piece.data(), count});
    stored.bytes += count;
  }
  file->sync();
  file->close();
  stored.checksum = checksum.value();
  return stored;
}

void SharedFiles::sync() {
  files_.sync_directory(directory_);
}

void SharedFiles::add(const proto::CheckpointMetadata& metadata) {
  std::set<std::string> paths;
  for (const proto::OperatorMetadata& op : metadata.operators())
    for (const proto::SubtaskFile& file : op.files())
      for (const proto::SharedFile& shared : file.shared()) paths.insert(shared.path());
  const std::lock_guard lock(mutex_);
  references_[metadata.checkpoint_id()] = std::move(paths);
}

void SharedFiles::remove(CheckpointId checkpoint) {
  {
    const std::lock_guard lock(mutex_);
    references_.erase(checkpoint);
  }
  sweep(checkpoint);
}

void SharedFiles::remove_unreferenced() {
  // Not those with other names: they are not ours.
  sweep(std::numeric_limits<CheckpointId>::max() - 1);
}

bool SharedFiles::is_referenced(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(references_.begin(), references_.end(),
                     [&](const auto& entry) { return entry.second.contains(path); });
}

void SharedFiles::keep_all() {
  const std::lock_guard lock(mutex_);
  keeps_all_ = true;
}

void SharedFiles::sweep(CheckpointId last) {
  {
    const std::lock_guard lock(mutex_);
    if (keeps_all_) return;
  }
  if (!files_.exists(directory_)) return;
  for (const FileInfo& entry : files_.list(directory_)) {
    if (entry.is_directory || creator_of(entry.path) > last) continue;
    const std::string name = entry.path.substr(entry.path.find_last_of('/') + 1);
    if (!is_referenced(name)) files_.remove(entry.path);
  }
}

Status check_shared_file(FileSystem& files, const std::string& path,
                         const proto::SharedFile& expected, const std::string& metadata_path) {
  if (!files.exists(path))
    return damaged_metadata(metadata_path, fmt::format("names '{}', which does not exist", path));
  const std::uint64_t bytes = files.info(path).bytes;
  if (bytes != expected.bytes())
    return damaged_metadata(metadata_path, fmt::format("says that '{}' is {} bytes long, but it is "
                                                       "{}",
                                                       path, expected.bytes(), bytes));
  return {};
}

void read_shared_file(FileSystem& files, const std::string& path, const StoredFile& expected,
                      const std::function<void(std::string_view)>& piece) {
  if (!files.exists(path)) throw damaged(path, "it does not exist");
  const std::unique_ptr<ReadableFile> file = files.open(path);
  if (file->size() != expected.bytes)
    throw damaged(path,
                  fmt::format("it is {} bytes long instead of {}", file->size(), expected.bytes));
  Checksum checksum;
  std::vector<std::byte> bytes(kPieceBytes);
  for (std::uint64_t at = 0; at < expected.bytes;) {
    const std::size_t count = file->read_at(at, bytes);
    if (count == 0) throw damaged(path, "it ends too soon");
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    checksum.add(text, count);
    piece({text, count});
    at += count;
  }
  if (checksum.value() != expected.checksum) throw damaged(path, "its checksum is wrong");
}

}  // namespace tidemark
