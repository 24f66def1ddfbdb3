// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/file_system.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tidemark/base/bytes.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

class LocalFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "tidemark_files_" + std::to_string(::getpid());
    files_->remove_tree(directory_);
    files_->create_directories(directory_);
  }
  void TearDown() override { files_->remove_tree(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::unique_ptr<FileSystem> files_ = make_local_file_system();
  std::string directory_;
};

TEST_F(LocalFileSystemTest, ReadsBackWhatItWrote) {
  const auto file = files_->create(path("a"));
  file->append(as_byte_span("hello "));
  file->append(as_byte_span("world"));
  EXPECT_EQ(file->size(), 11u);
  file->sync();
  file->close();
  EXPECT_EQ(read_file(*files_, path("a")), "hello world");
  std::byte two[8];
  EXPECT_EQ(files_->open(path("a"))->read_at(9, two), 2u);
  EXPECT_EQ(files_->open(path("a"))->read_at(99, two), 0u);
}

TEST_F(LocalFileSystemTest, ReplacesAFileWhole) {
  write_file_atomically(*files_, path("a"), as_byte_span("one"));
  write_file_atomically(*files_, path("a"), as_byte_span("two"));
  EXPECT_EQ(read_file(*files_, path("a")), "two");
  EXPECT_EQ(files_->list(directory_).size(), 1u);
}

TEST_F(LocalFileSystemTest, ListsSortedWithKinds) {
  files_->create(path("b"))->append(as_byte_span("xy"));
  files_->create_directories(path("a/deep"));
  const auto entries = files_->list(directory_);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].is_directory);
  EXPECT_EQ(entries[1].bytes, 2u);
  EXPECT_TRUE(files_->exists(path("a/deep")));
  files_->remove_tree(path("a"));
  EXPECT_FALSE(files_->exists(path("a")));
  EXPECT_NO_THROW(files_->remove(path("none")));
}

TEST_F(LocalFileSystemTest, NamesThePathOfAFailure) {
  try {
    files_->open(path("missing"));
    FAIL() << "no exception";
  } catch (const IoFailure& failure) {
    EXPECT_EQ(failure.system_error(), ENOENT);
    EXPECT_TRUE(failure.retryable());
    EXPECT_NE(std::string(failure.what()).find("missing"), std::string::npos);
  }
}

// Trying again cannot turn a file into a directory.
TEST_F(LocalFileSystemTest, DoesNotAskToTryAWrongPathAgain) {
  for (const int wrong : {ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, EROFS})
    EXPECT_FALSE(IoFailure("open", "x", wrong).retryable()) << wrong;
  for (const int passing : {ENOSPC, EACCES, ENOENT, EIO, 0})
    EXPECT_TRUE(IoFailure("open", "x", passing).retryable()) << passing;
}

}  // namespace
}  // namespace tidemark
