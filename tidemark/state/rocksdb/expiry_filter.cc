// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/expiry_filter.h"

#include <cstring>
#include <string>

#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark {
namespace {

class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  explicit ExpiryFilter(std::map<std::uint64_t, ExpiryTimes::Table> tables)
      : tables_(std::move(tables)) {}

  const char* Name() const override { return "tidemark.expiry"; }

  Decision FilterV2(int, const rocksdb::Slice& key, ValueType type, const rocksdb::Slice& value,
                    std::string*, std::string*) const override {
    if (type != ValueType::kValue || value.size() < kStampBytes) return Decision::kKeep;
    const auto table = tables_.find(big_endian_at(key.ToStringView(), 0));
    if (table == tables_.end()) return Decision::kKeep;
    std::int64_t stamp = 0;
    std::memcpy(&stamp, value.data(), sizeof(stamp));
    return is_expired(stamp, table->second.ttl, table->second.now) ? Decision::kRemove
                                                                   : Decision::kKeep;
  }

 private:
  std::map<std::uint64_t, ExpiryTimes::Table> tables_;
};

class ExpiryFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  explicit ExpiryFilterFactory(std::shared_ptr<const ExpiryTimes> times)
      : times_(std::move(times)) {}

  const char* Name() const override { return "tidemark.expiry"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    std::map<std::uint64_t, ExpiryTimes::Table> tables = times_->tables();
    if (tables.empty()) return nullptr;
    return std::make_unique<ExpiryFilter>(std::move(tables));
  }

 private:
  std::shared_ptr<const ExpiryTimes> times_;
};

}  // namespace

std::shared_ptr<rocksdb::CompactionFilterFactory> make_expiry_filter_factory(
    std::shared_ptr<const ExpiryTimes> times) {
  return std::make_shared<ExpiryFilterFactory>(std::move(times));
}

}  // namespace tidemark
