// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/cut_files.h"

#include <algorithm>

namespace tidemark {
namespace {

bool is_table_file(const std::string& name) {
  return name.ends_with(".sst");
}

/// What a database is opened from: the tables, the manifest that lists them, and the name of the
/// manifest.
bool is_needed(const std::string& name) {
  return is_table_file(name) || name.starts_with("MANIFEST-") || name == "CURRENT";
}

StoredFile store_file(rocksdb::Env& env, const std::string& directory, const std::string& name,
                      SnapshotFileStore& store) {
  const std::string path = directory + "/" + name;
  std::unique_ptr<rocksdb::SequentialFile> file;
  check_rocksdb(env.NewSequentialFile(path, &file, rocksdb::EnvOptions()), "open '" + path + "'");
  return store.store(name, [&](std::span<std::byte> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
      rocksdb::Slice read;
      char* to = reinterpret_cast<char*>(into.data()) + filled;
      check_rocksdb(file->Read(into.size() - filled, &read, to), "read '" + path + "'");
      if (read.empty()) break;
      if (read.data() != to) std::copy_n(read.data(), read.size(), to);
      filled += read.size();
    }
    return filled;
  });
}

}  // namespace

void KnownFiles::replace(const std::vector<StoredFile>& files) {
  const std::lock_guard lock(mutex_);
  files_.clear();
  for (const StoredFile& file : files)
    if (is_table_file(file.name)) files_.emplace(file.name, file);
}

StoredFile KnownFiles::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(name);
  return found == files_.end() ? StoredFile() : found->second;
}

std::vector<StoredFile> CutFiles::write(SnapshotFileStore& store) {
  cut_->take();
  const std::string directory = cut_->directory();
  rocksdb::Env& env = cut_->database().env();
  std::vector<std::string> names;
  check_rocksdb(env.GetChildren(directory, &names), "list '" + directory + "'");
  std::sort(names.begin(), names.end());
  std::vector<StoredFile> files;
  for (const std::string& name : names) {
    if (!is_needed(name)) continue;
    const StoredFile known = known_->find(name);
    const bool shared = !known.path.empty() && store.holds(known);
    files.push_back(shared ? known : store_file(env, directory, name, store));
  }
  known_->replace(files);
  cut_->give_up();
  return files;
}

DatabaseFiller fill_from(const SnapshotReader& reader, const OwnForm& stored) {
  return [&reader, &stored](rocksdb::Env& env, const std::string& directory) {
    for (const StoredFile& stored_file : stored.files) {
      const std::string path = directory + "/" + stored_file.name;
      std::unique_ptr<rocksdb::WritableFile> file;
      check_rocksdb(env.NewWritableFile(path, &file, rocksdb::EnvOptions()),
                    "create '" + path + "'");
      reader.read_file(stored_file, [&](std::string_view piece) {
        check_rocksdb(file->Append({piece.data(), piece.size()}), "write '" + path + "'");
      });
      check_rocksdb(file->Close(), "close '" + path + "'");
    }
  };
}

}  // namespace tidemark
