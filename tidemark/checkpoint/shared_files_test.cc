// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/shared_files.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/checkpoint/growing_files.h"
#include "tidemark/checkpoint/storage_fixture.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SharedFilesTest : public StorageFixture {
 protected:
  std::vector<std::string> shared() {
    std::vector<std::string> names;
    if (!files_->exists(directory_ + "/shared")) return names;
    for (const FileInfo& file : files_->list(directory_ + "/shared"))
      names.push_back(file.path.substr(file.path.find_last_of('/') + 1));
    return names;
  }

  GrowingFiles backend_;
};

TEST_F(SharedFilesTest, ACheckpointBringsOnlyWhatNoneHas) {
  backend_.contents = {{"1.sst", "one"}, {"2.sst", "two"}};
  const auto first = write_growing(storage_, 1, backend_);
  EXPECT_EQ(first.operators(0).files(0).stored_bytes(), 6u);
  EXPECT_EQ(first.operators(0).files(0).form(), "growing");
  backend_.contents["3.sst"] = "three";
  const auto second = write_growing(storage_, 2, backend_);
  EXPECT_EQ(second.operators(0).files(0).stored_bytes(), 5u);
  EXPECT_THAT(shared(), SizeIs(3));
  EXPECT_EQ(read_growing(storage_, second), backend_.contents);
}

TEST_F(SharedFilesTest, AFileGoesWithTheLastCheckpointThatNeedsIt) {
  backend_.contents = {{"1.sst", "one"}, {"2.sst", "two"}};
  write_growing(storage_, 1, backend_);
  backend_.contents = {{"2.sst", "two"}, {"3.sst", "three"}};
  const auto second = write_growing(storage_, 2, backend_);
  EXPECT_THAT(shared(), SizeIs(3));
  storage_.remove(1);
  EXPECT_THAT(shared(), SizeIs(2));
  EXPECT_EQ(read_growing(storage_, second), backend_.contents);
  storage_.remove(2);
  EXPECT_THAT(shared(), IsEmpty());
}

TEST_F(SharedFilesTest, AnAbortedCheckpointTakesItsFilesAlong) {
  backend_.contents = {{"1.sst", "one"}};
  const auto first = write_growing(storage_, 1, backend_);
  backend_.contents["2.sst"] = "two";
  {
    const auto writer = storage_.create_snapshot(2, "table", 0);
    writer->attach(backend_.snapshot());
    writer->finish();
  }
  EXPECT_THAT(shared(), SizeIs(2));
  storage_.remove(2);
  EXPECT_THAT(shared(), SizeIs(1));
  EXPECT_EQ(read_growing(storage_, first).at("1.sst"), "one");
  // The backend still believes that the file is there.
  const auto third = write_growing(storage_, 3, backend_);
  EXPECT_EQ(third.operators(0).files(0).stored_bytes(), 3u);
  EXPECT_EQ(read_growing(storage_, third), backend_.contents);
}

TEST_F(SharedFilesTest, RemovingOneLeavesWhatALaterOneIsStoring) {
  backend_.contents = {{"1.sst", "one"}};
  write_growing(storage_, 1, backend_);
  backend_.contents = {{"2.sst", "two"}};
  const auto writer = storage_.create_snapshot(2, "table", 0);
  writer->attach(backend_.snapshot());
  writer->finish();
  storage_.remove(1);
  EXPECT_THAT(shared(), SizeIs(1));
}

TEST_F(SharedFilesTest, LeftoversOfACrashAreRemovedAndOthersKept) {
  backend_.contents = {{"1.sst", "one"}};
  const auto first = write_growing(storage_, 1, backend_);
  {
    backend_.contents["2.sst"] = "two";
    const auto writer = storage_.create_snapshot(2, "table", 0);
    writer->attach(backend_.snapshot());
    writer->finish();
  }
  overwrite(directory_ + "/shared/of-somebody-else", "?");
  CheckpointStorage restarted(*files_, directory_);
  restarted.remove_incomplete();
  EXPECT_THAT(shared(), SizeIs(2));
  EXPECT_TRUE(files_->exists(directory_ + "/shared/of-somebody-else"));
  EXPECT_EQ(read_growing(restarted, first).at("1.sst"), "one");
  restarted.remove(1);
  EXPECT_THAT(shared(), SizeIs(1));
}

TEST_F(SharedFilesTest, NothingIsRemovedWhileAReferenceIsUnreadable) {
  backend_.contents = {{"1.sst", "one"}};
  write_growing(storage_, 1, backend_);
  backend_.contents = {{"2.sst", "two"}};
  write_growing(storage_, 2, backend_);
  overwrite(chk(1) + "/_metadata", "damaged");
  CheckpointStorage restarted(*files_, directory_);
  restarted.remove_incomplete();
  restarted.remove(2);
  EXPECT_THAT(shared(), SizeIs(2));
}

TEST_F(SharedFilesTest, AMissingOrDamagedFileIsNamed) {
  backend_.contents = {{"1.sst", "one and a bit"}};
  const auto metadata = write_growing(storage_, 1, backend_);
  const std::string path = directory_ + "/shared/" + shared().at(0);
  const std::string good = read_file(*files_, path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    overwrite(path, bad);
    try {
      read_growing(storage_, metadata);
      FAIL() << "byte " << i;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::kCheckpointDamaged);
      EXPECT_FALSE(failure.retryable());
      EXPECT_THAT(failure.what(), AllOf(HasSubstr(path), HasSubstr("checksum")));
    }
  }
  overwrite(path, good.substr(1));
  EXPECT_THAT(storage_.load_latest().error().message, HasSubstr(path));
  files_->remove(path);
  EXPECT_THAT(storage_.load_latest().error().message,
              AllOf(HasSubstr(path), HasSubstr("does not exist")));
}

TEST_F(SharedFilesTest, ARetainedCheckpointServesAsASavepoint) {
  backend_.contents = {{"1.sst", "one"}};
  write_growing(storage_, 1, backend_);
  CheckpointStorage savepoint(*files_, chk(1), CheckpointStorage::Layout::kSavepoint);
  auto loaded = savepoint.load_latest();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(read_growing(savepoint, **loaded), backend_.contents);
}

}  // namespace
}  // namespace tidemark
