// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/base/file_system.h"
#include "tidemark/checkpoint/storage.h"

namespace tidemark {

/// A checkpoint storage in a temporary directory of its own.
class StorageFixture : public ::testing::Test {
 protected:
  StorageFixture()
      : files_(make_local_file_system()),
        directory_(::testing::TempDir() + "tidemark-" + std::to_string(getpid()) + "-" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        storage_(*files_, directory_) {
    files_->remove_tree(directory_);
  }
  ~StorageFixture() override { files_->remove_tree(directory_); }

  static StateDescriptor keyed(const std::string& name) {
    return {.name = name, .keyed = true, .schema = "(k BIGINT) -> COUNT", .version = 3};
  }
  static StateDescriptor items(const std::string& name, Redistribution redistribution) {
    return {.name = name, .redistribution = redistribution, .schema = "item"};
  }

  /// What the tests' operators hold: for each key group "<state>:<group>", and for each subtask two
  /// items "<state>:<subtask>:<i>" of each kind of operator state.
  SnapshotFile write(CheckpointId checkpoint, const std::string& uid, std::uint32_t subtask,
                     std::uint32_t parallelism, bool with_items = true) {
    const auto writer = storage_.create_snapshot(checkpoint, uid, subtask);
    for (const char* name : {"counts", "sums"}) {
      writer->declare(keyed(name));
      const KeyGroupRange range = range_of(subtask, parallelism, kGroups);
      for (KeyGroup group = range.begin; group < range.end; ++group)
        writer->write_keyed(name, group, std::string(name) + ":" + std::to_string(group));
    }
    if (with_items) {
      const std::pair<const char*, Redistribution> kinds[] = {
          {"split", Redistribution::kSplit},
          {"union", Redistribution::kUnion},
          {"broadcast", Redistribution::kBroadcast}};
      for (const auto& [name, kind] : kinds) {
        writer->declare(items(name, kind));
        for (const char* item : {"0", "1"})
          writer->write_operator(name,
                                 std::string(name) + ":" + std::to_string(subtask) + ":" + item);
      }
    }
    return writer->finish();
  }

  static void add_file(const SnapshotFile& file, std::uint32_t parallelism,
                       proto::CheckpointMetadata* metadata) {
    proto::OperatorMetadata* op = nullptr;
    for (auto& candidate : *metadata->mutable_operators())
      if (candidate.uid() == file.operator_uid) op = &candidate;
    if (op == nullptr) {
      op = metadata->add_operators();
      op->set_uid(file.operator_uid);
      op->set_parallelism(parallelism);
      for (const StateDescriptor& state : file.states) {
        proto::StateMetadata* out = op->add_states();
        out->set_name(state.name);
        out->set_keyed(state.keyed);
        out->set_redistribution(static_cast<std::uint32_t>(state.redistribution));
        out->set_schema(state.schema);
        out->set_version(state.version);
      }
    }
    *op->add_files() = file.file;
  }

  /// A complete checkpoint of one operator.
  proto::CheckpointMetadata make_checkpoint(CheckpointId id, std::uint32_t parallelism,
                                            bool with_items = true) {
    proto::CheckpointMetadata metadata;
    metadata.set_format_version(1);
    metadata.set_checkpoint_id(id);
    metadata.set_job_name("job");
    metadata.set_max_parallelism(kGroups);
    (*metadata.mutable_counters())["rows_read"] = 7;
    for (std::uint32_t subtask = 0; subtask < parallelism; ++subtask)
      add_file(write(id, "window", subtask, parallelism, with_items), parallelism, &metadata);
    storage_.complete(metadata);
    return metadata;
  }

  /// All that a subtask gets, as text.
  static std::string contents(const SnapshotReader& reader) {
    std::multimap<KeyGroup, std::string> blocks;  // their order is not promised
    for (const char* name : {"counts", "sums"})
      reader.read_keyed(name, [&](KeyGroup group, std::string_view entries) {
        blocks.emplace(group, std::string(entries));
      });
    std::string text;
    for (const auto& [group, entries] : blocks) text += entries + " ";
    for (const char* name : {"split", "union", "broadcast"})
      for (const std::string& item : reader.read_operator(name)) text += item + " ";
    return text;
  }

  std::string chk(CheckpointId id) const { return directory_ + "/chk-" + std::to_string(id); }

  void overwrite(const std::string& path, const std::string& bytes) {
    const auto file = files_->create(path);
    file->append(as_byte_span(bytes));
    file->close();
  }

  static constexpr std::uint32_t kGroups = 8;

  std::unique_ptr<FileSystem> files_;
  std::string directory_;
  CheckpointStorage storage_;
};

}  // namespace tidemark
