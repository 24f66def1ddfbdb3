// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sim/simulated_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "tidemark/base/bytes.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

FaultPlan lose_everything() {
  return {.crash_keeps_some_unsynced = false};
}

void write(FileSystem& files, const std::string& path, std::string_view contents, bool sync) {
  const auto file = files.create(path);
  file->append(as_byte_span(contents));
  if (sync) file->sync();
  file->close();
}

class SimulatedFileSystemTest : public ::testing::Test {
 protected:
  SimulatedFileSystemTest() {
    files_->set_faults(lose_everything());
    files_->create_directories("/data");
    files_->sync_directory("/");
  }

  std::unique_ptr<SimulatedFileSystem> files_ = make_simulated_file_system(1);
};

TEST_F(SimulatedFileSystemTest, ReadsBackWhatWasWritten) {
  write(*files_, "/data/a", "hello", false);
  EXPECT_EQ(read_file(*files_, "/data/a"), "hello");
  EXPECT_EQ(files_->info("/data/a").bytes, 5u);
  EXPECT_TRUE(files_->info("/data").is_directory);
  files_->rename("/data/a", "/data/b");
  EXPECT_FALSE(files_->exists("/data/a"));
  EXPECT_EQ(read_file(*files_, "data//b"), "hello");
}

TEST_F(SimulatedFileSystemTest, ListsSortedAndNotRecursively) {
  write(*files_, "/data/b", "1", false);
  write(*files_, "/data/a", "22", false);
  files_->create_directories("/data/c/d");
  const auto found = files_->list("/data");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, "/data/a");
  EXPECT_EQ(found[0].bytes, 2u);
  EXPECT_EQ(found[1].path, "/data/b");
  EXPECT_EQ(found[2].path, "/data/c");
  EXPECT_TRUE(found[2].is_directory);
}

TEST_F(SimulatedFileSystemTest, ErrorsNameOperationPathAndCause) {
  try {
    files_->open("/data/none");
    FAIL() << "opened a file that does not exist";
  } catch (const IoFailure& failure) {
    EXPECT_EQ(failure.system_error(), ENOENT);
    EXPECT_THAT(failure.what(), HasSubstr("/data/none"));
  }
  EXPECT_THROW(files_->create("/none/a"), IoFailure);
  EXPECT_THROW(files_->create("/data"), IoFailure);
  EXPECT_THROW(files_->list("/none"), IoFailure);
  EXPECT_NO_THROW(files_->remove("/data/none"));
  EXPECT_NO_THROW(files_->remove_tree("/data/none"));
}

TEST_F(SimulatedFileSystemTest, CrashForgetsUnsyncedBytes) {
  const auto file = files_->create("/data/a");
  file->append(as_byte_span("kept"));
  file->sync();
  file->append(as_byte_span("lost"));
  files_->sync_directory("/data");
  files_->crash();
  EXPECT_EQ(read_file(*files_, "/data/a"), "kept");
}

TEST_F(SimulatedFileSystemTest, CrashUndoesUnsyncedEntries) {
  write(*files_, "/data/old", "old", true);
  write(*files_, "/data/gone", "gone", true);
  files_->sync_directory("/data");
  write(*files_, "/data/new", "new", true);
  files_->rename("/data/old", "/data/renamed");
  files_->remove("/data/gone");
  files_->crash();
  EXPECT_FALSE(files_->exists("/data/new"));
  EXPECT_FALSE(files_->exists("/data/renamed"));
  EXPECT_EQ(read_file(*files_, "/data/old"), "old");
  EXPECT_EQ(read_file(*files_, "/data/gone"), "gone");
}

TEST_F(SimulatedFileSystemTest, SyncedEntriesSurvive) {
  write(*files_, "/data/old", "old", true);
  files_->rename("/data/old", "/data/new");
  files_->sync_directory("/data");
  files_->crash();
  EXPECT_FALSE(files_->exists("/data/old"));
  EXPECT_EQ(read_file(*files_, "/data/new"), "old");
}

TEST_F(SimulatedFileSystemTest, RenameBetweenDirectoriesNeedsBothSynced) {
  files_->create_directories("/data/a");
  files_->create_directories("/data/b");
  files_->sync_directory("/data");
  write(*files_, "/data/a/f", "1", true);
  files_->sync_directory("/data/a");
  files_->rename("/data/a/f", "/data/b/f");
  files_->sync_directory("/data/b");
  files_->crash();
  EXPECT_TRUE(files_->exists("/data/a/f"));
  EXPECT_FALSE(files_->exists("/data/b/f"));
  files_->rename("/data/a/f", "/data/b/f");
  files_->sync_directory("/data/b");
  files_->sync_directory("/data/a");
  files_->crash();
  EXPECT_FALSE(files_->exists("/data/a/f"));
  EXPECT_EQ(read_file(*files_, "/data/b/f"), "1");
}

TEST_F(SimulatedFileSystemTest, DirectoryThatWasNotSyncedTakesItsFilesAlong) {
  files_->create_directories("/data/a/b");
  write(*files_, "/data/a/b/f", "1", true);
  files_->sync_directory("/data/a/b");
  files_->sync_directory("/data/a");
  files_->crash();
  EXPECT_FALSE(files_->exists("/data/a"));
}

TEST_F(SimulatedFileSystemTest, AtomicWriteShowsTheOldOrTheNewFile) {
  const std::string old_text(100, 'o'), new_text(70, 'n');
  bool saw_old = false, saw_new = false;
  for (std::uint64_t n = 1; n < 20; ++n) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto files = make_simulated_file_system(seed);
      files->create_directories("/d");
      files->sync_directory("/");
      write_file_atomically(*files, "/d/f", as_byte_span(old_text));
      files->set_faults({.halt_at_nth_file_operation = n});
      try {
        write_file_atomically(*files, "/d/f", as_byte_span(new_text));
      } catch (const IoFailure&) {
      }
      files->crash();
      const std::string found = read_file(*files, "/d/f");
      ASSERT_TRUE(found == old_text || found == new_text) << "n=" << n << " seed=" << seed;
      (found == old_text ? saw_old : saw_new) = true;
    }
  }
  EXPECT_TRUE(saw_old);
  EXPECT_TRUE(saw_new);
}

TEST_F(SimulatedFileSystemTest, TornFilesHaveRandomLengthsAndMayEndInZeros) {
  std::set<std::size_t> lengths;
  bool zeros = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto files = make_simulated_file_system(seed);
    files->set_faults({});
    const auto file = files->create("/f");
    files->sync_directory("/");
    file->append(as_byte_span("12"));
    file->sync();
    file->append(as_byte_span("345678"));
    files->crash();
    const std::string found = read_file(*files, "/f");
    ASSERT_GE(found.size(), 2u);
    ASSERT_LE(found.size(), 8u);
    const std::size_t whole = std::min(found.find('\0'), found.size());
    EXPECT_EQ(found.substr(0, whole), std::string("12345678").substr(0, whole));
    EXPECT_EQ(found.find_first_not_of('\0', whole), std::string::npos);
    lengths.insert(found.size());
    zeros |= whole < found.size();
  }
  EXPECT_EQ(lengths.size(), 7u);
  EXPECT_TRUE(zeros);
}

TEST_F(SimulatedFileSystemTest, OpenFilesFailAfterACrash) {
  const auto out = files_->create("/data/a");
  out->append(as_byte_span("1"));
  out->sync();
  files_->sync_directory("/data");
  const auto in = files_->open("/data/a");
  files_->crash();
  std::byte byte{};
  EXPECT_THROW(in->read_at(0, {&byte, 1}), IoFailure);
  EXPECT_THROW(out->append(as_byte_span("2")), IoFailure);
  EXPECT_THROW(out->sync(), IoFailure);
  EXPECT_EQ(read_file(*files_, "/data/a"), "1");
}

TEST_F(SimulatedFileSystemTest, TheNthOperationFailsAndNoOther) {
  files_->set_faults({.fail_nth_file_operation = 2});
  const auto file = files_->create("/data/a");
  EXPECT_THROW(file->append(as_byte_span("1234")), IoFailure);
  EXPECT_THROW(file->append(as_byte_span("1234")), IoFailure) << "a failed file is not used again";
  EXPECT_LE(files_->info("/data/a").bytes, 4u);
  EXPECT_NO_THROW(write(*files_, "/data/b", "1", true));
}

TEST_F(SimulatedFileSystemTest, AFailedRemoveTreeLeavesARest) {
  for (const char* name : {"/data/a", "/data/b", "/data/c"}) write(*files_, name, "1", true);
  files_->set_faults({.fail_nth_file_operation = 3});
  EXPECT_THROW(files_->remove_tree("/data"), IoFailure);
  EXPECT_EQ(files_->list("/data").size(), 1u);
  files_->remove_tree("/data");
  EXPECT_FALSE(files_->exists("/data"));
}

TEST_F(SimulatedFileSystemTest, AHaltedDiskRefusesEverythingUntilTheCrash) {
  files_->set_faults({.halt_at_nth_file_operation = 3});
  write(*files_, "/x", "", false);
  EXPECT_THROW(files_->create("/data/a"), IoFailure);
  EXPECT_TRUE(files_->halted());
  EXPECT_THROW(files_->exists("/data"), IoFailure);
  files_->crash();
  EXPECT_FALSE(files_->halted());
  EXPECT_TRUE(files_->exists("/data"));
}

TEST_F(SimulatedFileSystemTest, RandomFaultsComeFromTheSeed) {
  const auto failures = [](std::uint64_t seed) {
    const auto files = make_simulated_file_system(seed);
    files->set_faults({.file_failure_one_in = 3});
    std::string pattern;
    for (int i = 0; i < 64; ++i) {
      try {
        files->exists("/");
        pattern += '.';
      } catch (const IoFailure&) {
        pattern += 'x';
      }
    }
    return pattern;
  };
  EXPECT_EQ(failures(7), failures(7));
  EXPECT_NE(failures(7), failures(8));
  EXPECT_THAT(failures(7), HasSubstr("x"));
  EXPECT_THAT(failures(7), HasSubstr("."));
}

}  // namespace
}  // namespace tidemark
