// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/state/keyed_state.h"
#include "tidemark/state/rocksdb/guests.h"
#include "tidemark/state/rocksdb/rocksdb_shared.h"

namespace tidemark {

/// Entries of a table by namespace.
using NamespaceCounts = std::map<StateNamespace, std::size_t>;

/// A keyed table of which a part is in memory: an array of slots for each namespace, as in the
/// hashmap backend, in front of the database. Exact in its number of entries, because a look-up for
/// writing learns whether the database has the key; but with a time to live, entries that a
/// compaction has removed count on.
class RocksdbTable final : public KeyedTable {
 public:
  RocksdbTable(const TableDescriptor& descriptor, RocksdbShared& shared);
  ~RocksdbTable() override;

  void find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                      std::span<std::byte*> values, Touch touch = Touch::kRenew) override;
  void find(StateNamespace ns, const KeyBatch& keys, Selection rows,
            std::span<const std::byte*> values) override;
  void erase(StateNamespace ns, const KeyBatch& keys, Selection rows) override;
  std::unique_ptr<TableScan> scan(StateNamespace ns) override;
  void drop(StateNamespace ns) override;
  std::vector<StateNamespace> namespaces() const override;
  std::size_t entries() const override;
  std::size_t memory_bytes() const override;

  const TableDescriptor& descriptor() const noexcept { return descriptor_; }
  std::uint64_t id() const noexcept { return id_; }
  /// Whether a call on another table must leave the tier's slots where they are.
  bool is_pinned(const NamespaceTier& tier) const noexcept { return tier.pin == pin_; }
  /// Pointers that were handed out are not used any more.
  void unpin() {
    ++pin_;
    guests_.clear();
  }
  const SlotArrayType& type() const noexcept { return *type_; }
  const std::shared_ptr<const SlotArrayType>& shared_type() const noexcept { return type_; }

  /// Puts what a slot holds, or the deletion of its key, into a batch for the database.
  void write_slot(const NamespaceTier& tier, const std::byte* slot, rocksdb::WriteBatch& batch);

  /// Renewals by look-ups for reading that found no room are made up for. Before the clocks go on
  /// and before anything else changes the table.
  void renew_read();
  /// Looks for expired entries in memory where the last call ended, in bounded time, and removes
  /// them.
  void remove_some_expired();
  /// Tells compactions by which time to judge. Not past the barrier of an unfinished snapshot: it
  /// may be restored, and what expired after it must then live again.
  void tell_compactions();

  /// All that was written so far becomes part of the snapshot that is being made.
  void freeze(FrozenState& frozen);
  NamespaceCounts counts() const;
  /// Takes entries that are in the database, and nowhere else, into account.
  void add_stored(const NamespaceCounts& counts);

 private:
  struct Lookup;  // rocksdb_lookup.cc
  /// A row whose key is not in memory, and the slot made for it.
  struct Miss {
    std::size_t index;  // of `values`
    std::size_t row;    // of the keys
    std::byte* slot;
  };
  struct Placed {
    std::byte* slot;  // null: there is no room
    bool fresh;       // made just now
  };

  NamespaceTier& tier_of(StateNamespace ns);
  void touch(NamespaceTier& tier, std::byte* slot);
  void erase_slot(NamespaceTier& tier, std::byte* slot);
  void mark_absent(NamespaceTier& tier, std::byte* slot);
  const TimeToLive& ttl() const noexcept { return type_->ttl; }
  bool sweep(NamespaceTier& tier, std::size_t& left);
  std::int64_t touch_time(const KeyBatch& keys, std::size_t row) const noexcept;
  void touch_stamp(std::byte* value, std::int64_t time, Touch renewal);
  /// What a look-up for reading shows of a slot with a stamp; null: nothing.
  const std::byte* read_stamped(NamespaceTier& tier, std::byte* slot, std::int64_t time);
  /// found(i, value) for each miss that the database has.
  void read_misses(StateNamespace ns, const KeyBatch& keys,
                   const std::function<void(std::size_t, std::string_view)>& found);
  void read_into_slots(NamespaceTier& tier, const KeyBatch& keys, Touch renewal);
  void read_for_find(NamespaceTier& tier, const KeyBatch& keys, std::span<const std::byte*> values);
  Placed insert_clean(NamespaceTier& tier, const KeyBatch& keys, std::size_t row);

  TableDescriptor descriptor_;
  RocksdbShared& shared_;
  std::uint64_t id_;
  std::shared_ptr<const SlotArrayType> type_;
  std::map<StateNamespace, std::shared_ptr<NamespaceTier>> tiers_;
  std::vector<std::size_t> homes_;
  std::vector<Miss> misses_;
  GuestValues guests_;  // handed out by find() since the last other call
  std::uint64_t pin_ = 1;
  struct Renewal {
    StateNamespace ns;
    std::int64_t time;
    std::string key;
  };
  std::vector<Renewal> renewals_;
  StateNamespace sweep_namespace_ = 0;  // where remove_some_expired goes on
  std::size_t sweep_slot_ = 0;
  std::int64_t told_time_ = kMinTime;  // to compactions

  // Reused.
  std::string key_;
  ByteWriter value_;
  std::string read_keys_;
  std::vector<std::size_t> read_ends_;
  std::vector<rocksdb::Slice> read_slices_;
};

}  // namespace tidemark
