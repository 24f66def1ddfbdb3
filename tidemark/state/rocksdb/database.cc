// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "tidemark/state/rocksdb/database_key.h"

namespace tidemark {
namespace {

constexpr std::size_t kSmallestCache = std::size_t{1} << 20;
constexpr std::size_t kLargestMemtable = std::size_t{64} << 20;
constexpr double kBloomBitsAKey = 10;
// More keys at a time gain nothing: RocksDB itself looks up 32 together.
constexpr std::size_t kKeysARead = 128;

std::shared_ptr<rocksdb::Env> make_env(const RocksdbConfig& config) {
  if (config.directories.empty())
    return std::shared_ptr<rocksdb::Env>(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  return {rocksdb::Env::Default(), [](rocksdb::Env*) {}};
}

std::string parent_directory(const RocksdbConfig& config) {
  static std::atomic<std::size_t> next{0};
  if (config.directories.empty()) return "/tidemark";
  return config.directories[next++ % config.directories.size()];
}

rocksdb::Options options_for(const RocksdbConfig& config,
                             const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.info_log_level = rocksdb::ERROR_LEVEL;  // its default depends on how this is compiled
  options.keep_log_file_num = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.avoid_flush_during_shutdown = true;
  options.max_background_jobs = 2;
  options.max_manifest_file_size = std::uint64_t{4} << 20;

  // Half of the cache's memory at most is memtables, which count as entries of the cache.
  const std::size_t memtables = cache->GetCapacity() / 2;
  options.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(memtables, cache, /*allow_stall=*/false);
  options.write_buffer_size = std::min(kLargestMemtable, memtables / 2);
  options.max_write_buffer_number = 3;
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = 0.1;

  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kDatabasePrefixBytes));
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = rocksdb::kLZ4Compression;
  // What is written often is not worth compressing.
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                                   rocksdb::kLZ4Compression};
  options.disable_auto_compactions = config.directories.empty();
  if (options.disable_auto_compactions) {
    options.level0_slowdown_writes_trigger = 1 << 20;
    options.level0_stop_writes_trigger = 1 << 20;
  }

  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsAKey));
  table.whole_key_filtering = true;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.format_version = 5;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::size_t cache_bytes(const RocksdbConfig& config) {
  const std::size_t tier = config.tier_bytes > 0 ? config.tier_bytes : config.memory_bytes / 2;
  const std::size_t rest = config.memory_bytes > tier ? config.memory_bytes - tier : 0;
  return std::max(kSmallestCache, rest);
}

}  // namespace

Database::Database(const RocksdbConfig& config, const DatabaseFiller& fill)
    : Database(config, fill, std::make_shared<const ExpiryTimes>()) {}

Database::Database(const RocksdbConfig& config, const DatabaseFiller& fill,
                   std::shared_ptr<const ExpiryTimes> expiry)
    : scratch_(make_env(config), parent_directory(config)),
      cache_(rocksdb::NewLRUCache(cache_bytes(config))) {
  const std::string directory = scratch_.path() + "/db";
  if (fill) {
    check_rocksdb(env().CreateDir(directory), "make the directory '" + directory + "'");
    fill(env(), directory);
  }
  rocksdb::Options options = options_for(config, cache_);
  options.env = &env();
  options.compaction_filter_factory = make_expiry_filter_factory(std::move(expiry));
  options.create_if_missing = !fill;
  rocksdb::DB* db = nullptr;
  check_rocksdb(rocksdb::DB::Open(options, directory, &db),
                "open the database in '" + directory + "'");
  db_.reset(db);
}

Database::~Database() {
  if (db_) db_->Close().PermitUncheckedError();
}

void Database::write(rocksdb::WriteBatch& batch) {
  if (batch.Count() == 0) return;
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  check_rocksdb(db_->Write(options, &batch), "write to the database in '" + scratch_.path() + "'");
  batch.Clear();
}

void Database::read(const std::vector<rocksdb::Slice>& keys,
                    const std::function<void(std::size_t, std::string_view)>& found) {
  rocksdb::PinnableSlice values[kKeysARead];
  rocksdb::Status statuses[kKeysARead];
  for (std::size_t at = 0; at < keys.size(); at += kKeysARead) {
    const std::size_t count = std::min(kKeysARead, keys.size() - at);
    db_->MultiGet(rocksdb::ReadOptions(), db_->DefaultColumnFamily(), count, keys.data() + at,
                  values, statuses);
    for (std::size_t i = 0; i < count; ++i) {
      if (!statuses[i].IsNotFound()) {
        check_rocksdb(statuses[i], "read from the database in '" + scratch_.path() + "'");
        found(at + i, values[i].ToStringView());
      }
      values[i].Reset();
    }
  }
}

void Database::remove_range(const std::string& begin, const std::string& end) {
  const rocksdb::Slice first(begin), last(end);
  rocksdb::ColumnFamilyHandle* family = db_->DefaultColumnFamily();
  const std::string what = "remove a range of the database in '" + scratch_.path() + "'";
  check_rocksdb(rocksdb::DeleteFilesInRange(db_.get(), family, &first, &last, false), what);
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  check_rocksdb(db_->DeleteRange(options, family, first, last), what);
}

std::unique_ptr<Database::Range> Database::range(std::string begin, std::string end,
                                                 bool same_namespace) const {
  return std::make_unique<Range>(*db_, std::move(begin), std::move(end), same_namespace);
}

std::string Database::link_files() {
  std::string directory = scratch_.path() + "/links-" + std::to_string(++links_made_);
  rocksdb::Checkpoint* made = nullptr;
  const std::string what = "link the files of the database into '" + directory + "'";
  check_rocksdb(rocksdb::Checkpoint::Create(db_.get(), &made), what);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const rocksdb::Status status = checkpoint->CreateCheckpoint(directory);
  if (!status.ok()) remove_scratch(env(), directory);
  check_rocksdb(status, what);
  return directory;
}

void Database::compact() {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  check_rocksdb(db_->CompactRange(options, nullptr, nullptr), "compact the database");
}

std::size_t Database::memory_bytes() const {
  return cache_->GetUsage();
}

Database::Range::Range(rocksdb::DB& db, std::string begin, std::string end, bool same_namespace)
    : end_(std::move(end)), upper_(end_) {
  rocksdb::ReadOptions options;
  if (!end_.empty()) options.iterate_upper_bound = &upper_;
  options.prefix_same_as_start = same_namespace;
  options.total_order_seek = !same_namespace;
  options.fill_cache = false;
  options.adaptive_readahead = true;
  iterator_.reset(db.NewIterator(options));
  iterator_->Seek(begin);
  check();
}

void Database::Range::next() {
  iterator_->Next();
  check();
}

void Database::Range::check() const {
  if (!iterator_->Valid()) check_rocksdb(iterator_->status(), "read a range of the database");
}

}  // namespace tidemark
