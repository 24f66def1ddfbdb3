// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/checkpoint/storage.h"

namespace tidemark {

/// For tests: a backend whose checkpoints are files that never change, as a database's are. Each
/// snapshot consists of the files in `contents`, by name.
class GrowingFiles {
 public:
  std::map<std::string, std::string> contents;

  std::unique_ptr<SnapshotFiles> snapshot() { return std::make_unique<Files>(*this); }
  /// As a backend that was restored knows what it was restored from.
  void know(const std::vector<StoredFile>& files) {
    known_.clear();
    for (const StoredFile& file : files) known_.emplace(file.name, file);
  }

 private:
  class Files final : public SnapshotFiles {
   public:
    explicit Files(GrowingFiles& owner) : owner_(owner), contents_(owner.contents) {}
    std::string_view form() const override { return "growing"; }
    std::vector<StoredFile> write(SnapshotFileStore& store) override {
      std::vector<StoredFile> files;
      for (const auto& [name, text] : contents_) {
        const auto known = owner_.known_.find(name);
        files.push_back(known != owner_.known_.end() && store.holds(known->second)
                            ? known->second
                            : write(store, name, text));
      }
      owner_.know(files);
      return files;
    }

   private:
    static StoredFile write(SnapshotFileStore& store, const std::string& name,
                            const std::string& text) {
      std::size_t at = 0;
      return store.store(name, [&](std::span<std::byte> into) {
        const std::size_t count = std::min(into.size(), text.size() - at);
        std::copy_n(text.data() + at, count, reinterpret_cast<char*>(into.data()));
        at += count;
        return count;
      });
    }

    GrowingFiles& owner_;
    std::map<std::string, std::string> contents_;
  };

  std::map<std::string, StoredFile> known_;
};

/// Writes and completes a checkpoint of one subtask whose state is `backend`.
inline proto::CheckpointMetadata write_growing(CheckpointStorage& storage, CheckpointId id,
                                               GrowingFiles& backend) {
  proto::CheckpointMetadata metadata;
  metadata.set_checkpoint_id(id);
  metadata.set_max_parallelism(4);
  proto::OperatorMetadata* op = metadata.add_operators();
  op->set_uid("table");
  op->set_parallelism(1);
  op->add_states()->set_name("counts");
  op->mutable_states(0)->set_keyed(true);
  const auto writer = storage.create_snapshot(id, "table", 0);
  writer->declare({.name = "counts", .keyed = true});
  writer->attach(backend.snapshot());
  *op->add_files() = writer->finish().file;
  storage.complete(metadata);
  return metadata;
}

/// The files that a checkpoint's subtask is restored from, by name, with their checks.
inline std::map<std::string, std::string> read_growing(CheckpointStorage& storage,
                                                       const proto::CheckpointMetadata& metadata) {
  std::map<std::string, std::string> contents;
  auto reader = storage.open_snapshot(metadata, "table", 0, 1);
  for (const OwnForm& form : (*reader)->own_forms())
    for (const StoredFile& file : form.files)
      (*reader)->read_file(file, [&](std::string_view piece) { contents[file.name] += piece; });
  return contents;
}

}  // namespace tidemark
