// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/storage.h"

#include <gmock/gmock.h>

#include <set>

#include "tidemark/base/error.h"
#include "tidemark/checkpoint/storage_fixture.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StorageTest : public StorageFixture {
 protected:
  std::string read(const proto::CheckpointMetadata& metadata, std::uint32_t subtask,
                   std::uint32_t parallelism) {
    auto reader = storage_.open_snapshot(metadata, "window", subtask, parallelism);
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    return contents(**reader);
  }
};

TEST_F(StorageTest, AnEmptyPlaceHasNoCheckpoint) {
  EXPECT_THAT(storage_.list(), IsEmpty());
  const auto latest = storage_.load_latest();
  ASSERT_TRUE(latest.ok());
  EXPECT_FALSE(latest->has_value());
  EXPECT_FALSE(files_->exists(directory_)) << "looking makes nothing";
  EXPECT_NO_THROW(storage_.remove_incomplete());
  EXPECT_NO_THROW(storage_.remove(1));
}

TEST_F(StorageTest, LoadsTheNewestCompleteOne) {
  make_checkpoint(9, 1);
  make_checkpoint(10, 1);
  write(11, "window", 0, 1);
  EXPECT_THAT(storage_.list(), ElementsAre(9, 10));
  const auto latest = storage_.load_latest();
  ASSERT_TRUE(latest.ok()) << latest.error().message;
  EXPECT_EQ((*latest)->checkpoint_id(), 10u);
  EXPECT_EQ((*latest)->counters().at("rows_read"), 7u);
}

TEST_F(StorageTest, RemovesCheckpointsAndLeftovers) {
  make_checkpoint(1, 2);
  make_checkpoint(2, 2);
  write(3, "window", 0, 1);
  files_->create_directories(directory_ + "/chk-x");
  files_->create_directories(directory_ + "/chk-007");
  overwrite(directory_ + "/chk-5", "a file of somebody else");
  storage_.remove(1);
  EXPECT_FALSE(files_->exists(chk(1)));
  storage_.remove_incomplete();
  EXPECT_FALSE(files_->exists(chk(3)));
  EXPECT_THAT(storage_.list(), ElementsAre(2));
  for (const char* other : {"/chk-x", "/chk-007", "/chk-5"})
    EXPECT_TRUE(files_->exists(directory_ + other)) << other;
}

TEST_F(StorageTest, RestoresAtTheSameParallelism) {
  const auto metadata = make_checkpoint(1, 2);
  EXPECT_EQ(read(metadata, 0, 2),
            "counts:0 sums:0 counts:1 sums:1 counts:2 sums:2 counts:3 sums:3 "
            "split:0:0 split:0:1 union:0:0 union:0:1 union:1:0 union:1:1 "
            "broadcast:0:0 broadcast:0:1 ");
  EXPECT_EQ(read(metadata, 1, 2),
            "counts:4 sums:4 counts:5 sums:5 counts:6 sums:6 counts:7 sums:7 "
            "split:1:0 split:1:1 union:0:0 union:0:1 union:1:0 union:1:1 "
            "broadcast:1:0 broadcast:1:1 ");
}

TEST_F(StorageTest, EveryRescaleHandsOutEverythingOnce) {
  for (std::uint32_t before = 1; before <= 5; ++before) {
    const auto metadata = make_checkpoint(before, before);
    for (std::uint32_t after = 1; after <= 5; ++after) {
      std::multiset<std::string> keyed_blocks, split;
      for (std::uint32_t subtask = 0; subtask < after; ++subtask) {
        auto reader = storage_.open_snapshot(metadata, "window", subtask, after);
        ASSERT_TRUE(reader.ok());
        const KeyGroupRange range = range_of(subtask, after, kGroups);
        (*reader)->read_keyed("counts", [&](KeyGroup group, std::string_view entries) {
          EXPECT_TRUE(range.contains(group));
          keyed_blocks.emplace(entries);
        });
        for (const auto& item : (*reader)->read_operator("split")) split.insert(item);
        EXPECT_EQ((*reader)->read_operator("union").size(), 2 * before);
        EXPECT_EQ((*reader)->read_operator("broadcast").size(), 2u);
      }
      EXPECT_EQ(keyed_blocks.size(), kGroups);
      EXPECT_EQ(std::set(keyed_blocks.begin(), keyed_blocks.end()).size(), kGroups);
      EXPECT_EQ(split.size(), 2 * before) << before << " to " << after;
      EXPECT_EQ(std::set(split.begin(), split.end()).size(), 2 * before);
    }
  }
}

TEST_F(StorageTest, SplitStateGoesRoundRobin) {
  const auto metadata = make_checkpoint(1, 2);
  auto reader = storage_.open_snapshot(metadata, "window", 1, 3);
  EXPECT_THAT((*reader)->read_operator("split"), ElementsAre("split:0:1"));
  reader = storage_.open_snapshot(metadata, "window", 0, 3);
  EXPECT_THAT((*reader)->read_operator("split"), ElementsAre("split:0:0", "split:1:1"));
}

TEST_F(StorageTest, ReadsOnlyTheFilesOfItsKeyGroups) {
  const auto metadata = make_checkpoint(1, 4, /*with_items=*/false);
  overwrite(chk(1) + "/" + metadata.operators(0).files(3).path(), "gone");
  EXPECT_EQ(read(metadata, 0, 2),
            "counts:0 sums:0 counts:1 sums:1 counts:2 sums:2 counts:3 sums:3 ");
  const auto other = storage_.open_snapshot(metadata, "window", 1, 2);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message,
              AllOf(HasSubstr(metadata.operators(0).files(3).path()), HasSubstr("4 bytes long")));
}

TEST_F(StorageTest, DescribesStatesAndKnowsOperators) {
  const auto metadata = make_checkpoint(1, 1);
  auto reader = storage_.open_snapshot(metadata, "window", 0, 1);
  const StateDescriptor* counts = (*reader)->find("counts");
  ASSERT_NE(counts, nullptr);
  EXPECT_TRUE(counts->keyed);
  EXPECT_EQ(counts->schema, "(k BIGINT) -> COUNT");
  EXPECT_EQ(counts->version, 3u);
  EXPECT_EQ((*reader)->find("union")->redistribution, Redistribution::kUnion);
  EXPECT_EQ((*reader)->find("none"), nullptr);
  EXPECT_THAT((*reader)->read_operator("none"), IsEmpty());
  const auto other = storage_.open_snapshot(metadata, "sink", 0, 1);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(*other, nullptr);
}

TEST_F(StorageTest, FinishedSubtasksHaveNoFile) {
  auto metadata = make_checkpoint(1, 2);
  metadata.mutable_operators(0)->mutable_files()->DeleteSubrange(0, 1);
  EXPECT_EQ(read(metadata, 0, 2), "union:1:0 union:1:1 broadcast:1:0 broadcast:1:1 ");
}

TEST_F(StorageTest, LargeStatesAreWrittenInPieces) {
  const auto writer = storage_.create_snapshot(1, "window", 0);
  writer->declare(keyed("counts"));
  const std::string big(100'000, 'x');
  for (int i = 0; i < 20; ++i) writer->write_keyed("counts", 3, big + std::to_string(i));
  EXPECT_GT(files_->list(chk(1)).at(0).bytes, 1'000'000u) << "before finish";
  proto::CheckpointMetadata metadata;
  metadata.set_checkpoint_id(1);
  metadata.set_max_parallelism(kGroups);
  add_file(writer->finish(), 1, &metadata);
  auto reader = storage_.open_snapshot(metadata, "window", 0, 1);
  std::set<std::string> ends;
  (*reader)->read_keyed("counts", [&](KeyGroup group, std::string_view entries) {
    EXPECT_EQ(group, 3u);
    EXPECT_TRUE(entries.starts_with(big));
    ends.emplace(entries.substr(big.size()));
  });
  EXPECT_EQ(ends.size(), 20u);
}

TEST_F(StorageTest, ADamagedCheckpointIsNeverPassedOver) {
  make_checkpoint(1, 1);
  const auto second = make_checkpoint(2, 1);
  const std::string state = chk(2) + "/" + second.operators(0).files(0).path();
  const std::string metadata_path = chk(2) + "/_metadata";
  const std::string good = read_file(*files_, metadata_path);

  overwrite(metadata_path, "");
  auto latest = storage_.load_latest();
  ASSERT_FALSE(latest.ok()) << "checkpoint 1 must not be taken instead";
  EXPECT_EQ(latest.error().code, ErrorCode::kCheckpointDamaged);
  EXPECT_THAT(latest.error().message, AllOf(HasSubstr(metadata_path), HasSubstr("truncated")));

  overwrite(metadata_path, "{\"json\": 1}, and much more of it, longer than a header");
  EXPECT_THAT(storage_.load_latest().error().message, HasSubstr("not written by Tidemark"));
  std::string other = good;
  other[8] = 2;
  overwrite(metadata_path, other);
  EXPECT_THAT(storage_.load_latest().error().message,
              HasSubstr("format version 2, this program reads 1"));
  other = good;
  other.back() ^= 1;
  overwrite(metadata_path, other);
  EXPECT_THAT(storage_.load_latest().error().message, HasSubstr("its checksum is wrong"));
  overwrite(metadata_path, read_file(*files_, chk(1) + "/_metadata"));
  EXPECT_THAT(storage_.load_latest().error().message, HasSubstr("belongs to checkpoint 1"));

  overwrite(metadata_path, good);
  EXPECT_TRUE(storage_.load_latest().ok());
  overwrite(state, "short");
  EXPECT_THAT(storage_.load_latest().error().message, AllOf(HasSubstr(state), HasSubstr("is 5")));
  files_->remove(state);
  EXPECT_THAT(storage_.load_latest().error().message,
              AllOf(HasSubstr(state), HasSubstr("does not exist")));
}

TEST_F(StorageTest, OperatorUidsMakeSafeFileNames) {
  const std::string uids[] = {"window",
                              "Window",
                              "../../etc/passwd",
                              "a/b",
                              "a\\b",
                              std::string(5'000, 'x'),
                              std::string(5'000, 'x') + "y",
                              "",
                              ".",
                              "..",
                              std::string("a\0b", 3),
                              "größe",
                              "con"};
  std::set<std::string> names;
  for (const std::string& uid : uids) {
    const std::string name = safe_file_name(uid);
    EXPECT_LE(name.size(), 64u);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-."), std::string::npos);
    EXPECT_NE(name[0], '.');
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(safe_file_name(uid), name);
    EXPECT_EQ(write(1, uid, 0, 1).operator_uid, uid);
  }
  EXPECT_EQ(files_->list(chk(1)).size(), std::size(uids));
}

TEST_F(StorageTest, EqualMetadataGivesEqualBytes) {
  auto metadata = make_checkpoint(1, 1);
  for (int i = 0; i < 50; ++i) (*metadata.mutable_counters())["c" + std::to_string(i)] = 1;
  storage_.complete(metadata);
  const std::string first = read_file(*files_, chk(1) + "/_metadata");
  proto::CheckpointMetadata copy;
  for (int i = 49; i >= 0; --i) (*copy.mutable_counters())["c" + std::to_string(i)] = 1;
  copy.MergeFrom(metadata);
  storage_.complete(copy);
  EXPECT_EQ(read_file(*files_, chk(1) + "/_metadata"), first);
}

}  // namespace
}  // namespace tidemark
