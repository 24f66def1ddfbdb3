// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tidemark {

Result<DirectoryLock> DirectoryLock::acquire(const std::string& directory) {
  const std::string path = directory + "/.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    return Error{ErrorCode::kIo, fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool held = errno == EWOULDBLOCK;
    ::close(fd);
    if (held)
      return Error{
          ErrorCode::kInvalidOption,
          fmt::format("another process is running this job: it holds '{}'. Stop it, or give "
                      "this run a directory of its own with --checkpoint-dir",
                      path)};
    return Error{ErrorCode::kIo, fmt::format("cannot lock '{}': {}", path, std::strerror(errno))};
  }
  return DirectoryLock(fd);
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace tidemark
