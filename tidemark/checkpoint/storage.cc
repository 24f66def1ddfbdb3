// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/base/hash.h"
#include "tidemark/checkpoint/metadata_file.h"
#include "tidemark/checkpoint/snapshot_file.h"
#include "tidemark/checkpoint/snapshot_reader.h"

namespace tidemark {
namespace {

constexpr std::string_view kPrefix = "chk-";
constexpr const char* kMetadataName = "/_metadata";

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// "…/chk-12" -> 12; nothing for other names, such as those of files that are not ours.
std::optional<CheckpointId> id_of(const FileInfo& info) {
  const std::string_view path = info.path;
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  if (!info.is_directory || !name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  CheckpointId id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  const bool canonical = error == std::errc() && end == digits.data() + digits.size() &&
                         fmt::to_string(id) == digits && id != 0;
  return canonical ? std::optional(id) : std::nullopt;
}

StateDescriptor descriptor_of(const proto::StateMetadata& state) {
  return {state.name(), state.keyed(), static_cast<Redistribution>(state.redistribution()),
          state.schema(), state.version()};
}

bool has_shared_files(const proto::CheckpointMetadata& metadata) {
  for (const proto::OperatorMetadata& op : metadata.operators())
    for (const proto::SubtaskFile& file : op.files())
      if (!file.shared().empty()) return true;
  return false;
}

OwnForm own_form_of(const proto::SubtaskFile& file, KeyGroupRange groups) {
  OwnForm form{file.form(), groups, {}};
  for (const proto::SharedFile& shared : file.shared())
    form.files.push_back({shared.name(), shared.path(), shared.bytes(), shared.checksum()});
  return form;
}

/// Keeps the shared files of one subtask's snapshot of one operator.
class CheckpointFileStore final : public SnapshotFileStore {
 public:
  CheckpointFileStore(SharedFiles& shared, CheckpointId checkpoint, std::string owner)
      : shared_(shared), checkpoint_(checkpoint), owner_(std::move(owner)) {}

  StoredFile store(const std::string& name, const Source& source) override {
    return shared_.store(checkpoint_, owner_, name, source);
  }
  bool holds(const StoredFile& file) override { return shared_.is_referenced(file.path); }

 private:
  SharedFiles& shared_;
  CheckpointId checkpoint_;
  std::string owner_;
};

bool overlap(KeyGroupRange a, KeyGroupRange b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

std::string safe_file_name(std::string_view operator_uid) {
  std::string name;
  for (const char c : operator_uid.substr(0, 40)) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                      (c == '.' && !name.empty());
    const bool upper = c >= 'A' && c <= 'Z';
    name += safe ? c : upper ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  return fmt::format("{}-{:016x}", name, stable_hash(operator_uid));
}

CheckpointStorage::CheckpointStorage(FileSystem& files, std::string directory, Layout layout)
    : files_(files),
      directory_(without_trailing_slashes(std::move(directory))),
      layout_(layout),
      // A retained checkpoint that a job starts from like a savepoint has its shared files beside
      // it.
      shared_(files, directory_ + (layout == Layout::kSavepoint ? "/../shared" : "/shared")) {}

// With the references of all complete checkpoints.
SharedFiles& CheckpointStorage::shared() {
  const std::lock_guard lock(mutex_);
  if (references_known_ || layout_ == Layout::kSavepoint) return shared_;
  for (const CheckpointId id : list()) {
    const std::string path = path_of(id) + kMetadataName;
    const Result<proto::CheckpointMetadata> metadata =
        decode_metadata(path, read_file(files_, path));
    if (metadata.ok()) {
      shared_.add(*metadata);
    } else {
      shared_.keep_all();
    }
  }
  references_known_ = true;
  return shared_;
}

std::string CheckpointStorage::path_of(CheckpointId checkpoint) const {
  if (layout_ == Layout::kSavepoint) return directory_;
  return fmt::format("{}/{}{}", directory_, kPrefix, checkpoint);
}

std::unique_ptr<SnapshotFileWriter> CheckpointStorage::create_snapshot(
    CheckpointId checkpoint, const std::string& operator_uid, std::uint32_t subtask) {
  const std::string directory = path_of(checkpoint);
  files_.create_directories(directory);
  std::string name = fmt::format("{}-{}.state", safe_file_name(operator_uid), subtask);
  const std::string path = directory + "/" + name;
  std::unique_ptr<SnapshotFileStore> store;
  if (layout_ == Layout::kCheckpoints)
    store = std::make_unique<CheckpointFileStore>(
        shared(), checkpoint, fmt::format("{}-{}", safe_file_name(operator_uid), subtask));
  return make_snapshot_file_writer(files_, path, operator_uid, subtask, std::move(name),
                                   std::move(store));
}

void CheckpointStorage::complete(const proto::CheckpointMetadata& metadata) {
  const std::string directory = path_of(metadata.checkpoint_id());
  files_.create_directories(directory);  // a job without state has no files
  files_.sync_directory(directory);      // the files' entries, before anything names them
  if (layout_ == Layout::kCheckpoints && has_shared_files(metadata)) shared().sync();
  files_.sync_directory(directory_);
  if (!directory_durable_) create_directories_durably(files_, directory_);
  directory_durable_ = true;
  if (layout_ == Layout::kCheckpoints) shared().add(metadata);
  const std::string bytes = encode_metadata(metadata);
  write_file_atomically(files_, directory + kMetadataName, as_byte_span(bytes));
}

void CheckpointStorage::remove(CheckpointId checkpoint) {
  const std::string directory = path_of(checkpoint);
  if (files_.exists(directory)) {
    files_.remove(directory + kMetadataName);
    files_.sync_directory(directory);  // or a crash could bring it back without its files
    files_.remove_tree(directory);
    if (layout_ == Layout::kCheckpoints) files_.sync_directory(directory_);
  }
  if (layout_ == Layout::kCheckpoints) shared().remove(checkpoint);
}

void CheckpointStorage::remove_incomplete() {
  if (!files_.exists(directory_)) return;
  bool any = false;
  for (const FileInfo& entry : files_.list(directory_)) {
    if (!id_of(entry) || files_.exists(entry.path + kMetadataName)) continue;
    files_.remove_tree(entry.path);
    any = true;
  }
  if (any) files_.sync_directory(directory_);
  shared().remove_unreferenced();
}

std::vector<CheckpointId> CheckpointStorage::list() {
  TIDEMARK_CHECK(layout_ == Layout::kCheckpoints, "a savepoint is one");
  std::vector<CheckpointId> found;
  if (!files_.exists(directory_)) return found;
  for (const FileInfo& entry : files_.list(directory_)) {
    const std::optional<CheckpointId> id = id_of(entry);
    if (id && files_.exists(entry.path + kMetadataName)) found.push_back(*id);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<proto::CheckpointMetadata> CheckpointStorage::load(CheckpointId checkpoint) {
  const std::string directory = path_of(checkpoint);
  TIDEMARK_ASSIGN_OR_RETURN(proto::CheckpointMetadata metadata, load_from(directory));
  if (metadata.checkpoint_id() != checkpoint)
    return damaged_metadata(directory + kMetadataName,
                            fmt::format("belongs to checkpoint {}", metadata.checkpoint_id()));
  return metadata;
}

Result<proto::CheckpointMetadata> CheckpointStorage::load_from(const std::string& directory) {
  const std::string path = directory + kMetadataName;
  if (!files_.exists(path)) return damaged_metadata(path, "does not exist");
  TIDEMARK_ASSIGN_OR_RETURN(proto::CheckpointMetadata metadata,
                            decode_metadata(path, read_file(files_, path)));
  for (const proto::OperatorMetadata& op : metadata.operators()) {
    for (const proto::SubtaskFile& file : op.files()) {
      const std::string state_path = directory + "/" + file.path();
      if (!files_.exists(state_path))
        return damaged_metadata(path, fmt::format("names '{}', which does not exist", state_path));
      if (const auto bytes = files_.info(state_path).bytes; bytes != file.bytes())
        return damaged_metadata(path, fmt::format("says that '{}' is {} bytes long, but it is {}",
                                                  state_path, file.bytes(), bytes));
      for (const proto::SharedFile& shared : file.shared())
        TIDEMARK_TRY(check_shared_file(files_, shared_.path_of(shared.path()), shared, path));
    }
  }
  return metadata;
}

Result<std::optional<proto::CheckpointMetadata>> CheckpointStorage::load_latest() {
  if (layout_ == Layout::kSavepoint) {
    if (!files_.exists(directory_ + kMetadataName))
      return std::optional<proto::CheckpointMetadata>();
    TIDEMARK_ASSIGN_OR_RETURN(proto::CheckpointMetadata savepoint, load_from(directory_));
    return std::optional(std::move(savepoint));
  }
  const std::vector<CheckpointId> complete = list();
  if (complete.empty()) return std::optional<proto::CheckpointMetadata>();
  TIDEMARK_ASSIGN_OR_RETURN(proto::CheckpointMetadata latest, load(complete.back()));
  return std::optional(std::move(latest));
}

Result<SnapshotFileReader> CheckpointStorage::open_file(const proto::CheckpointMetadata& metadata,
                                                        const proto::SubtaskFile& file) {
  const std::string path = path_of(metadata.checkpoint_id()) + "/" + file.path();
  return SnapshotFileReader::open(files_, path, file);
}

Result<std::unique_ptr<SnapshotReader>> CheckpointStorage::open_snapshot(
    const proto::CheckpointMetadata& metadata, const std::string& operator_uid,
    std::uint32_t subtask, std::uint32_t parallelism) {
  const auto op =
      std::find_if(metadata.operators().begin(), metadata.operators().end(),
                   [&](const proto::OperatorMetadata& o) { return o.uid() == operator_uid; });
  if (op == metadata.operators().end()) return std::unique_ptr<SnapshotReader>();

  std::vector<StateDescriptor> states;
  for (const proto::StateMetadata& state : op->states()) states.push_back(descriptor_of(state));
  // Operator state is handed out by counting the items of all; key groups come from a few.
  const bool needs_all = std::any_of(states.begin(), states.end(),
                                     [](const StateDescriptor& state) { return !state.keyed; });
  const std::uint32_t max_parallelism = metadata.max_parallelism();
  const KeyGroupRange groups = range_of(subtask, parallelism, max_parallelism);

  std::vector<OldSubtaskFile> files;
  for (const proto::SubtaskFile& file : op->files()) {
    const KeyGroupRange held = range_of(file.subtask(), op->parallelism(), max_parallelism);
    if (!needs_all && !overlap(held, groups)) continue;
    TIDEMARK_ASSIGN_OR_RETURN(SnapshotFileReader reader, open_file(metadata, file));
    files.push_back({file.subtask(), std::move(reader), {}});
    if (overlap(held, groups)) files.back().own_form = own_form_of(file, held);
  }
  std::sort(files.begin(), files.end(),
            [](const OldSubtaskFile& a, const OldSubtaskFile& b) { return a.subtask < b.subtask; });
  auto read_shared = [&files = files_, directory = shared_.path_of("")](
                         const StoredFile& file,
                         const std::function<void(std::string_view)>& piece) {
    read_shared_file(files, directory + file.path, file, piece);
  };
  return make_snapshot_reader(std::move(states), op->parallelism(), std::move(files),
                              {subtask, parallelism, max_parallelism}, read_shared);
}

}  // namespace tidemark
