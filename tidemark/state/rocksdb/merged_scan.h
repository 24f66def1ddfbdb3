// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidemark/state/hashmap/slot_array.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/rocksdb/database.h"
#include "tidemark/state/rocksdb/guests.h"

namespace tidemark {

/// The entries of a namespace in memory, then those that only the database has. Owns what it shows
/// of the latter until it is asked for more.
class MergedScan final : public TableScan {
 public:
  /// Either of `array` and `stored` may be null.
  MergedScan(std::shared_ptr<const SlotArrayType> type, std::shared_ptr<const SlotArray> array,
             std::unique_ptr<Database::Range> stored, const StateTime& time);

  std::size_t next(std::span<Entry> out) override;

 private:
  std::size_t next_in_memory(std::span<Entry> out);
  bool is_expired(const std::byte* value) const noexcept;
  bool is_in_memory(const KeyedEntry& entry);

  std::shared_ptr<const SlotArrayType> type_;
  std::shared_ptr<const SlotArray> array_;
  std::unique_ptr<Database::Range> stored_;
  std::int64_t now_;  // when the scan was made, by the table's clock
  std::size_t at_ = 0;
  GuestValues values_;
  std::vector<std::string> keys_;
  KeyBatch probed_;
  std::vector<std::size_t> homes_;
};

}  // namespace tidemark
