// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/checkpoint/metadata_file.h"
#include "tidemark/checkpoint/storage_fixture.h"

// A bit of every byte of a small checkpoint is flipped, and every file cut at every length: never a
// crash, never other contents than were written, always an error that names the file.

namespace tidemark {
namespace {

using ::testing::HasSubstr;

class DamageTest : public StorageFixture {
 protected:
  DamageTest() : metadata_(make_checkpoint(1, 1)) {
    state_path_ = chk(1) + "/" + metadata_.operators(0).files(0).path();
    metadata_path_ = chk(1) + "/_metadata";
  }

  /// Restores everything; the message of what stopped it, or nothing.
  std::string restore() {
    try {
      auto loaded = storage_.load_latest();
      if (!loaded.ok()) return loaded.error().message;
      if (!loaded->has_value()) return "";
      auto reader = storage_.open_snapshot(**loaded, "window", 0, 1);
      if (!reader.ok()) return reader.error().message;
      contents(**reader);
      return "";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::kCheckpointDamaged);
      EXPECT_FALSE(failure.retryable());
      return failure.what();
    }
  }

  void expect_detected(const std::string& path, const std::string& bytes, const std::string& what) {
    overwrite(path, bytes);
    EXPECT_THAT(restore(), HasSubstr(path)) << what;
  }

  void damage_everywhere(const std::string& path) {
    const std::string good = read_file(*files_, path);
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
      expect_detected(path, bad, "byte " + std::to_string(i));
    }
    for (std::size_t length = 0; length < good.size(); ++length)
      expect_detected(path, good.substr(0, length), "length " + std::to_string(length));
    expect_detected(path, good + '\0', "one byte more");
    overwrite(path, good);
    EXPECT_EQ(restore(), "");
  }

  proto::CheckpointMetadata metadata_;
  std::string state_path_;
  std::string metadata_path_;
};

TEST_F(DamageTest, OfTheMetadataIsFound) {
  damage_everywhere(metadata_path_);
}

TEST_F(DamageTest, OfASnapshotFileIsFound) {
  damage_everywhere(state_path_);
}

TEST_F(DamageTest, AFileOfAnotherRunDoesNotPass) {
  const std::string good = read_file(*files_, state_path_);
  const auto writer = storage_.create_snapshot(1, "window", 0);
  for (const char* name : {"counts", "sums"}) writer->declare(keyed(name));
  writer->write_keyed("counts", 0, std::string(good.size(), 'x'));
  const SnapshotFile other = writer->finish();
  metadata_.mutable_operators(0)->mutable_files(0)->set_bytes(other.file.bytes());
  storage_.complete(metadata_);
  EXPECT_THAT(restore(), HasSubstr("not the file that its checkpoint was made with"));
}

TEST_F(DamageTest, GarbageBehindAValidHeaderIsNoMetadata) {
  // A checksum that fits garbage: only a bug can write it, and still nothing crashes.
  proto::CheckpointMetadata empty;
  const std::string header = encode_metadata(empty);
  EXPECT_TRUE(decode_metadata("m", header).ok());
  EXPECT_FALSE(decode_metadata("m", header + "x").ok());
}

}  // namespace
}  // namespace tidemark
