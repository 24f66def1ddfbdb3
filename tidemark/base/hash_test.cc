// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/hash.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

// The hash is written into snapshots: these values are the published ones of XXH3 64-bit, seed 0,
// and must never change.
TEST(StableHash, IsXxh3) {
  EXPECT_EQ(stable_hash(""), 0x2d06800538d394c2ull);
  EXPECT_EQ(stable_hash("a"), 0xe6c632b61e964e1full);
  EXPECT_EQ(stable_hash("abc"), 0x78af5f94892f3950ull);
}

TEST(StableHash, OfIntegersIsTheHashOfTheirBytes) {
  const std::uint64_t keys[] = {0, 1, 42, 0xffffffffffffffffull};
  std::uint64_t hashes[4];
  stable_hash_u64(keys, 4, hashes);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(hashes[i],
              stable_hash({reinterpret_cast<const char*>(&keys[i]), sizeof(std::uint64_t)}));
}

}  // namespace
}  // namespace tidemark
