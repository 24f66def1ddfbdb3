// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/base/result.h"

namespace tidemark {

/// Keeps a second process from running the same job over the same checkpoints: two would commit the
/// same output twice. Held by the kernel (flock), so a killed process leaves nothing behind.
class DirectoryLock {
 public:
  /// Locks `directory`, which exists. An error names the directory when another process holds it.
  static Result<DirectoryLock> acquire(const std::string& directory);

  DirectoryLock(DirectoryLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace tidemark
