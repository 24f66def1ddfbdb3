// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/file_system.h"

// For tests only.

namespace tidemark {

/// Files in memory: nothing to sync, so a test with many checkpoints waits for no disk.
/// Thread-safe.
class TestFiles final : public FileSystem {
 public:
  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<Reader>(*this, find(path, "open"));
  }
  std::unique_ptr<WritableFile> create(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (read_only_ || !directories_.contains(parent_of(path)))
      throw IoFailure("create", path, read_only_ ? EROFS : ENOENT);
    return std::make_unique<Writer>(*this, files_[path] = std::make_shared<std::string>());
  }
  void rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    files_[to] = find(from, "rename");
    files_.erase(from);
  }
  void remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
  }
  void remove_tree(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const auto inside = [&](const std::string& name) {
      return name == path || name.starts_with(path + "/");
    };
    std::erase_if(files_, [&](const auto& file) { return inside(file.first); });
    std::erase_if(directories_, inside);
  }
  void create_directories(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    for (std::string at = path; !at.empty(); at = parent_of(at)) directories_.insert(at);
  }
  void sync_directory(const std::string&) override {}
  bool exists(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return files_.contains(path) || directories_.contains(path);
  }
  FileInfo info(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (directories_.contains(path)) return {path, 0, true};
    return {path, find(path, "stat")->size(), false};
  }
  std::vector<FileInfo> list(const std::string& directory) override {
    const std::lock_guard lock(mutex_);
    if (!directories_.contains(directory)) throw IoFailure("list", directory, ENOENT);
    std::vector<FileInfo> entries;
    for (const auto& [path, content] : files_)
      if (parent_of(path) == directory) entries.push_back({path, content->size(), false});
    for (const std::string& path : directories_)
      if (parent_of(path) == directory) entries.push_back({path, 0, true});
    std::sort(entries.begin(), entries.end(),
              [](const FileInfo& a, const FileInfo& b) { return a.path < b.path; });
    return entries;
  }

  /// Whether create() fails, as on a disk that became read-only.
  void set_read_only(bool read_only) {
    const std::lock_guard lock(mutex_);
    read_only_ = read_only;
  }
  /// Cuts every file of that name to half its length.
  void damage(const std::string& name) {
    const std::lock_guard lock(mutex_);
    for (auto& [path, content] : files_)
      if (path.ends_with("/" + name)) content->resize(content->size() / 2);
  }

 private:
  using Content = std::shared_ptr<std::string>;

  class Reader final : public ReadableFile {
   public:
    Reader(TestFiles& files, Content content) : files_(files), content_(std::move(content)) {}
    std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
      const std::lock_guard lock(files_.mutex_);
      if (offset >= content_->size()) return 0;
      const std::size_t count = std::min<std::size_t>(into.size(), content_->size() - offset);
      std::memcpy(into.data(), content_->data() + offset, count);
      return count;
    }
    std::uint64_t size() const override {
      const std::lock_guard lock(files_.mutex_);
      return content_->size();
    }

   private:
    TestFiles& files_;
    Content content_;
  };

  class Writer final : public WritableFile {
   public:
    Writer(TestFiles& files, Content content) : files_(files), content_(std::move(content)) {}
    void append(std::span<const std::byte> bytes) override {
      const std::lock_guard lock(files_.mutex_);
      content_->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    void sync() override {}
    void close() override {}
    std::uint64_t size() const override {
      const std::lock_guard lock(files_.mutex_);
      return content_->size();
    }

   private:
    TestFiles& files_;
    Content content_;
  };

  static std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
  }
  Content find(const std::string& path, const char* operation) {
    const auto found = files_.find(path);
    if (found == files_.end()) throw IoFailure(operation, path, ENOENT);
    return found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Content> files_;
  std::set<std::string> directories_;
  bool read_only_ = false;
};

}  // namespace tidemark
