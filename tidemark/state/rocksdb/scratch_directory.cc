// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/scratch_directory.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

constexpr const char* kPrefix = "tidemark-rocksdb-";
constexpr const char* kLockName = "/LOCK";
constexpr int kAttempts = 100;

// Names are tidemark-rocksdb-<process>-<number>.
bool is_of_dead_process(const std::string& name) {
  const auto process = static_cast<pid_t>(std::atol(name.c_str() + std::strlen(kPrefix)));
  return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

void remove_leftovers(rocksdb::Env& env, const std::string& parent) {
  std::vector<std::string> names;
  if (!env.GetChildren(parent, &names).ok()) return;
  for (const std::string& name : names) {
    if (name.rfind(kPrefix, 0) != 0 || !is_of_dead_process(name)) continue;
    const std::string path = parent + "/" + name;
    // Its process died while it made or removed it.
    if (!env.FileExists(path + kLockName).ok()) {
      remove_scratch(env, path);
      continue;
    }
    // The lock tells of processes that cannot be seen from here, such as those of another
    // container.
    rocksdb::FileLock* lock = nullptr;
    if (!env.LockFile(path + kLockName, &lock).ok()) continue;
    remove_scratch(env, path);
    env.UnlockFile(lock);
  }
}

rocksdb::Status make_directories(rocksdb::Env& env, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    env.CreateDirIfMissing(path.substr(0, slash)).PermitUncheckedError();
  return env.CreateDirIfMissing(path);
}

}  // namespace

void check_rocksdb(const rocksdb::Status& status, const std::string& what) {
  if (status.ok()) return;
  throw Failure(ErrorCode::kIo, "cannot " + what + ": " + status.ToString(), /*retryable=*/true);
}

void remove_scratch(rocksdb::Env& env, const std::string& directory) noexcept {
  std::vector<rocksdb::Env::FileAttributes> files;
  std::vector<std::string> names;
  if (!env.GetChildren(directory, &names).ok()) return;
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    const std::string path = directory + "/" + name;
    bool is_directory = false;
    if (env.IsDirectory(path, &is_directory).ok() && is_directory) {
      remove_scratch(env, path);
    } else {
      env.DeleteFile(path).PermitUncheckedError();
    }
  }
  env.DeleteDir(directory).PermitUncheckedError();
}

ScratchDirectory::ScratchDirectory(std::shared_ptr<rocksdb::Env> env, const std::string& parent)
    : env_(std::move(env)) {
  static std::atomic<std::uint64_t> next{1};
  check_rocksdb(make_directories(*env_, parent),
                "make the directory '" + parent + "' for RocksDB's files");
  remove_leftovers(*env_, parent);
  rocksdb::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    path_ = parent + "/" + kPrefix + std::to_string(::getpid()) + "-" + std::to_string(next++);
    status = env_->CreateDir(path_);
    if (!status.ok()) continue;
    status = env_->LockFile(path_ + kLockName, &lock_);
    if (!status.ok()) continue;
    // Somebody may have taken it for a leftover before it was locked.
    status = env_->FileExists(path_ + kLockName);
    if (status.ok()) return;
    env_->UnlockFile(lock_).PermitUncheckedError();
    lock_ = nullptr;
  }
  check_rocksdb(status, "make the directory '" + path_ + "' for RocksDB's files");
}

ScratchDirectory::~ScratchDirectory() {
  remove_scratch(*env_, path_);
  if (lock_ != nullptr) env_->UnlockFile(lock_).PermitUncheckedError();
}

}  // namespace tidemark
