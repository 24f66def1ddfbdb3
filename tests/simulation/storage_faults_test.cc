// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/checkpoint/growing_files.h"
#include "tidemark/checkpoint/storage.h"
#include "tidemark/sim/simulated_file_system.h"

// Checkpoint storage on a disk that fails or loses its power at every single operation: afterwards
// the old or the new checkpoint loads, whole.

namespace tidemark {
namespace {

constexpr std::uint32_t kGroups = 4;

std::string value_of(CheckpointId id, std::uint32_t subtask) {
  return "checkpoint " + std::to_string(id) + " subtask " + std::to_string(subtask);
}

/// Writes a checkpoint of two subtasks.
void write_checkpoint(CheckpointStorage& storage, CheckpointId id) {
  proto::CheckpointMetadata metadata;
  metadata.set_checkpoint_id(id);
  metadata.set_max_parallelism(kGroups);
  proto::OperatorMetadata* op = metadata.add_operators();
  op->set_uid("window");
  op->set_parallelism(2);
  op->add_states()->set_name("counts");
  op->mutable_states(0)->set_keyed(true);
  for (std::uint32_t subtask = 0; subtask < 2; ++subtask) {
    const auto writer = storage.create_snapshot(id, "window", subtask);
    writer->declare({.name = "counts", .keyed = true});
    for (KeyGroup group = 2 * subtask; group < 2 * subtask + 2; ++group)
      writer->write_keyed("counts", group, value_of(id, subtask));
    *op->add_files() = writer->finish().file;
  }
  storage.complete(metadata);
}

/// Loads the newest checkpoint and reads all of it; its number. Fails the test when it is not
/// whole.
std::optional<CheckpointId> load_whole(CheckpointStorage& storage) {
  auto latest = storage.load_latest();
  EXPECT_TRUE(latest.ok()) << latest.error().message;
  if (!latest.ok() || !latest->has_value()) return std::nullopt;
  const CheckpointId id = (*latest)->checkpoint_id();
  for (std::uint32_t subtask = 0; subtask < 2; ++subtask) {
    auto reader = storage.open_snapshot(**latest, "window", subtask, 2);
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    int blocks = 0;
    if (reader.ok())
      (*reader)->read_keyed("counts", [&](KeyGroup, std::string_view entries) {
        EXPECT_EQ(entries, value_of(id, subtask));
        ++blocks;
      });
    EXPECT_EQ(blocks, 2);
  }
  return id;
}

/// What a coordinator does for checkpoint 2 when 1 is retained: write, complete, discard the old
/// one. When that fails it removes what it made, if the disk lets it.
void replace_checkpoint(CheckpointStorage& storage) {
  try {
    write_checkpoint(storage, 2);
  } catch (const IoFailure&) {
    try {
      storage.remove(2);
    } catch (const IoFailure&) {
    }
    return;
  }
  try {
    storage.remove(1);
  } catch (const IoFailure&) {
  }
}

/// Makes checkpoint 1, then replaces it under faults; hands the outcome to `check`. Returns whether
/// the faults could strike: false once n is beyond the last operation.
bool replace_under(std::uint64_t seed, FaultPlan faults, bool crash,
                   const std::function<void(CheckpointStorage&)>& check) {
  const auto files = make_simulated_file_system(seed);
  CheckpointStorage storage(*files, "/jobs/flights/checkpoints");
  write_checkpoint(storage, 1);
  files->set_faults(faults);
  const std::uint64_t before = files->operations();
  replace_checkpoint(storage);
  const std::uint64_t used = files->operations() - before;
  const std::uint64_t n =
      std::max(faults.fail_nth_file_operation, faults.halt_at_nth_file_operation);
  if (crash) files->crash();
  files->set_faults({});
  check(storage);
  return n <= used;
}

TEST(StorageFaults, AnyOneFailingOperationLeavesTheOldOrTheNewCheckpoint) {
  int old_ones = 0, new_ones = 0;
  std::uint64_t n = 1;
  for (bool struck = true; struck; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    struck =
        replace_under(1, {.fail_nth_file_operation = n}, false, [&](CheckpointStorage& storage) {
          const auto id = load_whole(storage);
          ASSERT_TRUE(id.has_value());
          ++(*id == 1 ? old_ones : new_ones);
          // Cleaning up and going on must work, whatever was left behind.
          storage.remove_incomplete();
          write_checkpoint(storage, 3);
          EXPECT_EQ(load_whole(storage), 3u);
        });
  }
  EXPECT_GT(old_ones, 10);
  EXPECT_GT(new_ones, 3);
  EXPECT_GT(n, 20u);
}

TEST(StorageFaults, ALossOfPowerAtAnyOperationLeavesTheOldOrTheNewCheckpoint) {
  int old_ones = 0, new_ones = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool keep_some : {false, true}) {
      std::uint64_t n = 1;
      for (bool struck = true; struck; ++n) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " operation " + std::to_string(n));
        const FaultPlan faults{.halt_at_nth_file_operation = n,
                               .crash_keeps_some_unsynced = keep_some};
        struck = replace_under(seed, faults, true, [&](CheckpointStorage& storage) {
          const auto id = load_whole(storage);
          ASSERT_TRUE(id.has_value());
          ++(*id == 1 ? old_ones : new_ones);
          storage.remove_incomplete();
          EXPECT_EQ(load_whole(storage), id);
        });
      }
    }
  }
  EXPECT_GT(old_ones, 100);
  EXPECT_GT(new_ones, 20);
}

TEST(StorageFaults, TheFirstCheckpointSurvivesInDirectoriesThatWereNew) {
  const auto files = make_simulated_file_system(1);
  files->set_faults({.crash_keeps_some_unsynced = false});
  CheckpointStorage storage(*files, "/a/b/c");
  write_checkpoint(storage, 1);
  files->crash();
  EXPECT_EQ(load_whole(storage), 1u);
}

TEST(StorageFaults, AFailureBeforeTheFirstCheckpointIsMadeUpFor) {
  for (std::uint64_t n = 1; n < 40; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    const auto files = make_simulated_file_system(1);
    CheckpointStorage storage(*files, "/a/b/c");
    files->set_faults({.fail_nth_file_operation = n, .crash_keeps_some_unsynced = false});
    try {
      write_checkpoint(storage, 1);
    } catch (const IoFailure&) {
    }
    files->set_faults({.crash_keeps_some_unsynced = false});
    write_checkpoint(storage, 2);
    files->crash();
    EXPECT_EQ(load_whole(storage), 2u);
  }
}

TEST(StorageFaults, ARemovedCheckpointDoesNotComeBackInParts) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t n = 1; n < 12; ++n) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " operation " + std::to_string(n));
      const auto files = make_simulated_file_system(seed);
      CheckpointStorage storage(*files, "/checkpoints");
      write_checkpoint(storage, 1);
      files->set_faults({.halt_at_nth_file_operation = n});
      try {
        storage.remove(1);
      } catch (const IoFailure&) {
      }
      files->crash();
      load_whole(storage);  // it, or nothing
    }
  }
}

TEST(StorageFaults, RandomFaultsNeverLoseAllCheckpoints) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    const auto files = make_simulated_file_system(seed);
    CheckpointStorage storage(*files, "/checkpoints");
    write_checkpoint(storage, 1);
    CheckpointId newest = 1;
    for (CheckpointId id = 2; id < 12; ++id) {
      files->set_faults({.file_failure_one_in = 15});
      try {
        write_checkpoint(storage, id);
        newest = id;
        storage.remove(id - 1);
      } catch (const IoFailure&) {
      }
      files->set_faults({});
      if (id % 4 == 0) files->crash();
      const auto loaded = load_whole(storage);
      ASSERT_TRUE(loaded.has_value());
      ASSERT_GE(*loaded, newest);
    }
  }
}

// Checkpoints that share files. As a job does it: one is retained, one that fails is removed and
// the next one tried, and after a crash leftovers go and the backend is restored.
class SharingStory {
 public:
  explicit SharingStory(std::uint64_t seed)
      : random_(seed), files_(make_simulated_file_system(seed)) {
    restart();
  }

  SimulatedFileSystem& files() { return *files_; }

  /// The next checkpoint, of a state in which some files are new and some have gone. Whether it was
  /// completed.
  bool checkpoint() {
    const CheckpointId id = next_id_++;
    change(id);
    try {
      write_growing(*storage_, id, backend_);
    } catch (const IoFailure&) {
      try {
        storage_->remove(id);
      } catch (const IoFailure&) {
      }
      return false;
    }
    history_[id] = backend_.contents;
    for (const CheckpointId old : complete_) {
      try {
        storage_->remove(old);
      } catch (const IoFailure&) {
      }
    }
    complete_ = {id};
    return true;
  }

  void crash() {
    files_->crash();
    files_->set_faults({});
    restart();
  }

  /// Loads the newest checkpoint and compares it with what was written; the number of files shared.
  void check() {
    auto latest = storage_->load_latest();
    ASSERT_TRUE(latest.ok()) << latest.error().message;
    if (!latest->has_value()) return;
    const CheckpointId id = (*latest)->checkpoint_id();
    const auto expected = attempts_.find(id);
    ASSERT_NE(expected, attempts_.end());
    EXPECT_EQ(read_growing(*storage_, **latest), expected->second);
    if (!history_.empty()) {
      EXPECT_GE(id, history_.rbegin()->first);
    }
  }

  std::size_t shared_files() {
    const std::string directory = std::string(kDirectory) + "/shared";
    return files_->exists(directory) ? files_->list(directory).size() : 0;
  }
  std::size_t live_files() const { return backend_.contents.size(); }

 private:
  static constexpr const char* kDirectory = "/jobs/table/checkpoints";

  void change(CheckpointId id) {
    for (std::uint64_t i = 0; i <= random_.below(2); ++i) {
      const std::string name = std::to_string(next_file_++) + ".sst";
      backend_.contents[name] = name + " of checkpoint " + std::to_string(id);
    }
    if (backend_.contents.size() > 4) backend_.contents.erase(backend_.contents.begin());
    attempts_[id] = backend_.contents;
  }

  /// A new process: it knows what is on the disk.
  void restart() {
    storage_ = std::make_unique<CheckpointStorage>(*files_, kDirectory);
    storage_->remove_incomplete();
    complete_ = storage_->list();
    next_id_ = complete_.empty() ? 1 : complete_.back() + 1;  // the number of one that failed, too
    backend_ = {};
    auto latest = storage_->load_latest();
    if (!latest.ok() || !latest->has_value()) return;
    backend_.contents = read_growing(*storage_, **latest);
    auto reader = storage_->open_snapshot(**latest, "table", 0, 1);
    backend_.know((*reader)->own_forms().at(0).files);
  }

  Random random_;
  std::unique_ptr<SimulatedFileSystem> files_;
  std::unique_ptr<CheckpointStorage> storage_;
  GrowingFiles backend_;
  CheckpointId next_id_ = 1;
  int next_file_ = 100;
  std::vector<CheckpointId> complete_;
  std::map<CheckpointId, std::map<std::string, std::string>> attempts_;  // what each would hold
  std::map<CheckpointId, std::map<std::string, std::string>> history_;   // those that completed
};

TEST(StorageFaults, AnyOneFailingOperationLeavesSharedFilesToThoseWhoNeedThem) {
  std::uint64_t n = 1;
  for (bool struck = true; struck; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    SharingStory story(1);
    story.checkpoint();
    story.checkpoint();
    story.files().set_faults({.fail_nth_file_operation = n});
    const std::uint64_t before = story.files().operations();
    story.checkpoint();
    struck = story.files().operations() - before >= n;
    story.files().set_faults({});
    story.check();
    ASSERT_TRUE(story.checkpoint());
    story.check();
    story.crash();
    story.check();
    ASSERT_TRUE(story.checkpoint());
    story.check();
    EXPECT_EQ(story.shared_files(), story.live_files()) << "nothing is left over";
  }
  EXPECT_GT(n, 20u);
}

TEST(StorageFaults, ALossOfPowerAtAnyOperationLeavesSharedFilesToThoseWhoNeedThem) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const bool keep_some : {false, true}) {
      std::uint64_t n = 1;
      for (bool struck = true; struck; ++n) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " operation " + std::to_string(n));
        SharingStory story(seed);
        story.checkpoint();
        story.checkpoint();
        story.files().set_faults(
            {.halt_at_nth_file_operation = n, .crash_keeps_some_unsynced = keep_some});
        const std::uint64_t before = story.files().operations();
        story.checkpoint();
        struck = story.files().operations() - before >= n;
        story.crash();
        story.check();
        ASSERT_TRUE(story.checkpoint());
        story.check();
        EXPECT_EQ(story.shared_files(), story.live_files());
      }
    }
  }
}

TEST(StorageFaults, RandomFaultsNeverLoseASharedFile) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    SharingStory story(seed);
    for (int round = 1; round < 15; ++round) {
      story.files().set_faults({.file_failure_one_in = 20});
      story.checkpoint();
      story.files().set_faults({});
      if (round % 4 == 0) story.crash();
      story.check();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tidemark
