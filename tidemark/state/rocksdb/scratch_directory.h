// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

namespace tidemark {

/// Throws a Failure (kIo) that says what was done and what RocksDB says about it.
void check_rocksdb(const rocksdb::Status& status, const std::string& what);

/// Removes a directory with all it holds, as far as it can.
void remove_scratch(rocksdb::Env& env, const std::string& directory) noexcept;

/// A directory of its own on a local disk, locked while it lives and removed with all it holds when
/// it dies. Making one removes those in the same place that nobody has locked: leftovers of
/// programs that crashed.
class ScratchDirectory {
 public:
  /// Throws a Failure (kIo).
  ScratchDirectory(std::shared_ptr<rocksdb::Env> env, const std::string& parent);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  rocksdb::Env& env() const noexcept { return *env_; }
  const std::string& path() const noexcept { return path_; }

 private:
  std::shared_ptr<rocksdb::Env> env_;
  std::string path_;
  rocksdb::FileLock* lock_ = nullptr;
};

}  // namespace tidemark
