// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/compaction_filter.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "tidemark/base/time.h"

namespace tidemark {

/// What the compactions of a database know of tables with a time to live, by table. Thread-safe.
class ExpiryTimes {
 public:
  struct Table {
    Millis ttl = 0;
    std::int64_t now = kMinTime;  // by the table's clock
  };

  void set(std::uint64_t table, const Table& times) {
    const std::lock_guard lock(mutex_);
    tables_[table] = times;
  }
  std::map<std::uint64_t, Table> tables() const {
    const std::lock_guard lock(mutex_);
    return tables_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Table> tables_;
};

/// Makes compactions leave out entries that had expired when they began.
std::shared_ptr<rocksdb::CompactionFilterFactory> make_expiry_filter_factory(
    std::shared_ptr<const ExpiryTimes> times);

}  // namespace tidemark
