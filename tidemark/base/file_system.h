// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidemark {

/// A file open for appending. Owned by one thread at a time. Destroying it without close() gives up
/// what was not synced.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  /// Appends all of `bytes` or throws IoFailure, after which the file must not be used again.
  virtual void append(std::span<const std::byte> bytes) = 0;
  /// Returns once everything appended so far survives a loss of power.
  virtual void sync() = 0;
  /// Closes without syncing. Idempotent.
  virtual void close() = 0;
  /// Bytes appended so far, those before this object was opened included.
  virtual std::uint64_t size() const = 0;
};

/// A file open for reading. read_at is const and thread-safe.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  /// Fills `into` from `offset`; returns fewer bytes only at the end of the file, 0 at or beyond
  /// it.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;
  virtual std::uint64_t size() const = 0;
};

struct FileInfo {
  std::string path;  // as it can be passed to the other calls
  std::uint64_t bytes = 0;
  bool is_directory = false;
};

/// Seam three of four: files, as durable storage. Paths are '/'-separated and absolute or relative
/// to the working directory. Every call throws IoFailure on error. Thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual std::unique_ptr<ReadableFile> open(const std::string& path) = 0;
  /// Creates or empties the file; its directory must exist.
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;
  /// Moves a file atomically, replacing `to`. Durable after sync_directory of both parents.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  /// Removes a file; no error when there is none.
  virtual void remove(const std::string& path) = 0;
  /// Removes a directory with all it holds; no error when there is none.
  virtual void remove_tree(const std::string& path) = 0;
  /// Creates the directory and its parents; no error when they exist.
  virtual void create_directories(const std::string& path) = 0;
  /// Makes creations, renames and removals in the directory survive a loss of power.
  virtual void sync_directory(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual FileInfo info(const std::string& path) = 0;
  /// The directory's entries, sorted by path, not recursive.
  virtual std::vector<FileInfo> list(const std::string& directory) = 0;
};

/// The machine's own files (POSIX).
std::unique_ptr<FileSystem> make_local_file_system();

/// Reads the whole file as a string.
std::string read_file(FileSystem& files, const std::string& path);

/// Creates the directory and its parents so that all of them survive a loss of power, whoever made
/// them: an earlier call may have failed half-way. Parents that may not be read are not ones that
/// we made.
void create_directories_durably(FileSystem& files, const std::string& path);

/// Writes `contents` so that a reader sees the old file or the new one, whole: temporary file
/// beside it, sync, rename, sync of the directory.
void write_file_atomically(FileSystem& files, const std::string& path,
                           std::span<const std::byte> contents);

}  // namespace tidemark
