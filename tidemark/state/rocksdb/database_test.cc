// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/database.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/state/rocksdb/database_key.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string key(std::uint64_t table, StateNamespace ns, std::uint64_t hash, std::string_view name) {
  std::string bytes;
  append_database_key(table, ns, hash, name, bytes);
  return bytes;
}

void put(Database& database, const std::string& key, const std::string& value) {
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Put(key, value).ok());
  database.write(batch);
}

std::vector<std::string> names(const Database& database, std::uint64_t table, StateNamespace ns) {
  std::vector<std::string> found;
  const std::string prefix = namespace_prefix(table, ns);
  for (const auto range = database.range(prefix, prefix_end(prefix), true); range->valid();
       range->next())
    found.emplace_back(DatabaseKey(range->key()).key);
  return found;
}

std::string stamped(std::int64_t stamp) {
  return {reinterpret_cast<const char*>(&stamp), sizeof(stamp)};
}

TEST(DatabaseKeys, StandInTheOrderOfNamespaceAndHash) {
  Database database(RocksdbConfig{});
  put(database, key(7, -1, 5, "c"), "");
  put(database, key(7, -1, 0xffff'ffff'ffff'ffff, "d"), "");
  put(database, key(7, 0, 1, "e"), "");
  put(database, key(7, -2, 9, "a"), "");
  put(database, key(7, kMinTime, 1, "b"), "");
  put(database, key(7, kMaxTime, 1, "f"), "");
  put(database, key(8, -1, 1, "x"), "");
  EXPECT_THAT(names(database, 7, -1), ElementsAre("c", "d"));
  EXPECT_THAT(names(database, 7, kMaxTime), ElementsAre("f"));
  EXPECT_THAT(names(database, 7, kMinTime), ElementsAre("b"));
  const DatabaseKey parts(key(7, -12, 34, "name"));
  EXPECT_EQ(parts.table, 7u);
  EXPECT_EQ(parts.ns, -12);
  EXPECT_EQ(parts.hash, 34u);
}

TEST(Databases, ARangeShowsTheMomentAtWhichItWasMade) {
  Database database(RocksdbConfig{});
  put(database, key(1, 0, 1, "old"), "");
  const std::string prefix = namespace_prefix(1, 0);
  const auto range = database.range(prefix, prefix_end(prefix), true);
  database.remove_range(prefix, prefix_end(prefix));
  put(database, key(1, 0, 2, "new"), "");
  ASSERT_TRUE(range->valid());
  EXPECT_EQ(DatabaseKey(range->key()).key, "old");
  range->next();
  EXPECT_FALSE(range->valid());
  EXPECT_THAT(names(database, 1, 0), ElementsAre("new"));
}

TEST(Databases, CompactionRemovesWhatHasExpired) {
  const auto expiry = std::make_shared<ExpiryTimes>();
  Database database(RocksdbConfig{}, nullptr, expiry);
  put(database, key(1, 0, 1, "expired"), stamped(1000));
  put(database, key(1, 0, 2, "living"), stamped(1001));
  put(database, key(1, 0, 3, "untouched"), stamped(kMinTime));
  put(database, key(2, 0, 1, "for ever"), stamped(1000));
  expiry->set(1, {.ttl = 500, .now = 1500});
  database.compact();
  EXPECT_THAT(names(database, 1, 0), ElementsAre("living", "untouched"));
  EXPECT_THAT(names(database, 2, 0), ElementsAre("for ever"));
}

TEST(Databases, GoWithTheirDirectoriesAndClearUpAfterACrash) {
  const std::string parent = ::testing::TempDir() + "tidemark-scratch-test";
  rocksdb::Env& env = *rocksdb::Env::Default();
  remove_scratch(env, parent);
  ASSERT_TRUE(env.CreateDir(parent).ok());
  const std::string crashed = parent + "/tidemark-rocksdb-999999999-1";
  ASSERT_TRUE(env.CreateDir(crashed).ok());
  for (const char* name : {"/LOCK", "/file"}) {
    std::unique_ptr<rocksdb::WritableFile> file;
    ASSERT_TRUE(env.NewWritableFile(crashed + name, &file, {}).ok());
  }
  ASSERT_TRUE(env.CreateDir(parent + "/of-somebody-else").ok());
  std::vector<std::string> names;
  {
    const Database first(RocksdbConfig{.directories = {parent}});
    const Database second(RocksdbConfig{.directories = {parent}});
    ASSERT_TRUE(env.GetChildren(parent, &names).ok());
    EXPECT_EQ(names.size(), 3u) << "one each, and somebody else's";
  }
  ASSERT_TRUE(env.GetChildren(parent, &names).ok());
  EXPECT_THAT(names, ElementsAre("of-somebody-else"));
  remove_scratch(env, parent);
}

TEST(Databases, ADirectoryThatCannotBeMadeIsNamed) {
  try {
    Database(RocksdbConfig{.directories = {"/proc/none"}});
    FAIL() << "made";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kIo);
    EXPECT_THAT(failure.what(), HasSubstr("'/proc/none'"));
  }
}

}  // namespace
}  // namespace tidemark
