// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/inventory.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/checkpoint/storage_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InventoryTest : public StorageFixture {
 protected:
  static const StateInventory& find(const std::vector<StateInventory>& states,
                                    const std::string& name) {
    for (const StateInventory& state : states)
      if (state.state.name == name) return state;
    throw std::out_of_range(name);
  }
};

TEST_F(InventoryTest, SumsWhatAllSubtasksHold) {
  const proto::CheckpointMetadata metadata = make_checkpoint(3, 2);
  const auto states = take_inventory(storage_, metadata, Verification::kBlocks);
  ASSERT_TRUE(states.ok()) << states.error().message;
  EXPECT_EQ(states->size(), 5u);
  const StateInventory& counts = find(*states, "counts");
  EXPECT_EQ(counts.operator_uid, "window");
  EXPECT_EQ(counts.parallelism, 2u);
  EXPECT_EQ(counts.key_groups, kGroups);
  EXPECT_EQ(counts.bytes, 8u * kGroups) << "\"counts:0\" is 8 bytes";
  EXPECT_FALSE(counts.entries) << "blocks of another form are not counted";
  EXPECT_EQ(find(*states, "union").items, 4u) << "two of each subtask";
}

TEST_F(InventoryTest, VerificationFindsADamagedBlock) {
  const proto::CheckpointMetadata metadata = make_checkpoint(3, 1);
  const std::string path = chk(3) + "/" + metadata.operators(0).files(0).path();
  std::string bytes = read_file(*files_, path);
  bytes[bytes.find("counts:5") + 2] ^= 1;
  overwrite(path, bytes);
  EXPECT_TRUE(take_inventory(storage_, metadata, Verification::kIndexes).ok());
  const auto states = take_inventory(storage_, metadata, Verification::kBlocks);
  ASSERT_FALSE(states.ok());
  EXPECT_THAT(states.error().message, HasSubstr(path));
}

TEST_F(InventoryTest, FindsCheckpointsWhereverThePathPoints) {
  make_checkpoint(9, 1);
  make_checkpoint(10, 1);
  write(11, "window", 0, 1);  // not complete
  EXPECT_THAT(find_checkpoints(*files_, directory_), ElementsAre(chk(9), chk(10)));
  EXPECT_THAT(find_checkpoints(*files_, chk(10)), ElementsAre(chk(10)));
  EXPECT_THAT(find_checkpoints(*files_, chk(11)), IsEmpty());
  EXPECT_THAT(find_checkpoints(*files_, directory_ + "/nowhere"), IsEmpty());
}

}  // namespace
}  // namespace tidemark
