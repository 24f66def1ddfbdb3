// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "tidemark/base/error.h"
#include "tidemark/base/file_system.h"

namespace tidemark {
namespace {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  void close() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

int open_or_throw(const std::string& path, int flags, std::string_view operation) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw IoFailure(operation, path, errno);
  return fd;
}

class LocalWritableFile final : public WritableFile {
 public:
  explicit LocalWritableFile(const std::string& path)
      : path_(path), file_(open_or_throw(path, O_WRONLY | O_CREAT | O_TRUNC, "create")) {}

  void append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        throw IoFailure("write", path_, errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      size_ += static_cast<std::uint64_t>(written);
    }
  }
  void sync() override {
    if (::fdatasync(file_.get()) != 0) throw IoFailure("sync", path_, errno);
  }
  void close() override { file_.close(); }
  std::uint64_t size() const override { return size_; }

 private:
  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

class LocalReadableFile final : public ReadableFile {
 public:
  explicit LocalReadableFile(const std::string& path)
      : path_(path), file_(open_or_throw(path, O_RDONLY, "open")) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::pread(file_.get(), into.data() + done, into.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0) {
        if (errno == EINTR) continue;
        throw IoFailure("read", path_, errno);
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  std::uint64_t size() const override {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) throw IoFailure("stat", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  std::string path_;
  Descriptor file_;
};

class LocalFileSystem final : public FileSystem {
 public:
  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    return std::make_unique<LocalReadableFile>(path);
  }
  std::unique_ptr<WritableFile> create(const std::string& path) override {
    return std::make_unique<LocalWritableFile>(path);
  }
  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) throw IoFailure("rename", from, errno);
  }
  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw IoFailure("remove", path, errno);
  }
  void remove_tree(const std::string& path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) throw IoFailure("remove", path, error.value());
  }
  void create_directories(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw IoFailure("create directory", path, error.value());
  }
  void sync_directory(const std::string& path) override {
    const Descriptor directory(open_or_throw(path, O_RDONLY | O_DIRECTORY, "open directory"));
    if (::fsync(directory.get()) != 0) throw IoFailure("sync directory", path, errno);
  }
  bool exists(const std::string& path) override {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw IoFailure("stat", path, errno);
  }
  FileInfo info(const std::string& path) override {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw IoFailure("stat", path, errno);
    return {.path = path,
            .bytes = static_cast<std::uint64_t>(status.st_size),
            .is_directory = S_ISDIR(status.st_mode)};
  }
  std::vector<FileInfo> list(const std::string& directory) override {
    std::error_code error;
    std::vector<FileInfo> entries;
    for (auto it = std::filesystem::directory_iterator(directory, error);
         !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
      // A file may go while the directory is read; what is gone is not listed.
      std::error_code gone;
      const std::string path = it->path().string();
      const bool is_directory = it->is_directory(gone);
      const std::uint64_t bytes = is_directory || gone ? 0 : it->file_size(gone);
      if (!gone) entries.push_back({.path = path, .bytes = bytes, .is_directory = is_directory});
    }
    if (error) throw IoFailure("list", directory, error.value());
    std::sort(entries.begin(), entries.end(),
              [](const FileInfo& a, const FileInfo& b) { return a.path < b.path; });
    return entries;
  }
};

}  // namespace

std::unique_ptr<FileSystem> make_local_file_system() {
  return std::make_unique<LocalFileSystem>();
}

}  // namespace tidemark
