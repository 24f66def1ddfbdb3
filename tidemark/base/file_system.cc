// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/file_system.h"

#include <cerrno>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string read_file(FileSystem& files, const std::string& path) {
  const std::unique_ptr<ReadableFile> file = files.open(path);
  std::string contents(file->size(), '\0');
  const std::size_t read =
      file->read_at(0, {reinterpret_cast<std::byte*>(contents.data()), contents.size()});
  if (read != contents.size()) throw IoFailure("read all of", path, 0);
  return contents;
}

void create_directories_durably(FileSystem& files, const std::string& path) {
  files.create_directories(path);
  for (std::string child = path; child != "/" && child != ".";) {
    child = directory_of(child);
    try {
      files.sync_directory(child);
    } catch (const IoFailure& failure) {
      // One that may not be read or written is not one that we made.
      const int error = failure.system_error();
      if (error != EACCES && error != EROFS) throw;
    }
  }
}

void write_file_atomically(FileSystem& files, const std::string& path,
                           std::span<const std::byte> contents) {
  const std::string temporary = path + ".tmp";
  const std::unique_ptr<WritableFile> file = files.create(temporary);
  file->append(contents);
  file->sync();
  file->close();
  files.rename(temporary, path);
  files.sync_directory(directory_of(path));
}

}  // namespace tidemark
