// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tidemark/state/rocksdb/frozen_state.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// The name of the form of checkpoints that are files of a database.
inline constexpr std::string_view kRocksdbForm = "rocksdb";

/// The files of a database that were stored for its last checkpoint, or that it was restored from,
/// by name: a table file never changes, so that it need not be stored again. Thread-safe.
class KnownFiles {
 public:
  void replace(const std::vector<StoredFile>& files);
  /// Empty path: not known.
  StoredFile find(const std::string& name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, StoredFile> files_;
};

/// A checkpoint as the files of the database at a cut. See SnapshotFiles for threads.
class CutFiles final : public SnapshotFiles {
 public:
  CutFiles(std::shared_ptr<DatabaseCut> cut, std::shared_ptr<KnownFiles> known)
      : cut_(std::move(cut)), known_(std::move(known)) {}
  ~CutFiles() override { cut_->give_up(); }

  std::string_view form() const override { return kRocksdbForm; }
  std::vector<StoredFile> write(SnapshotFileStore& store) override;

 private:
  std::shared_ptr<DatabaseCut> cut_;
  std::shared_ptr<KnownFiles> known_;
};

/// Writes the files of a stored form into a database's directory.
DatabaseFiller fill_from(const SnapshotReader& reader, const OwnForm& stored);

}  // namespace tidemark
