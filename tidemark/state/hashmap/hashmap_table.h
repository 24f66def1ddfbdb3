// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/state/hashmap/slot_array.h"
#include "tidemark/state/hashmap/snapshot_session.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/table_block.h"

namespace tidemark {

/// What the tables of one backend share.
struct HashmapShared {
  KeyGroupRange range;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
  std::uint32_t epoch = 1;  // of the last snapshot made, open or not
  StateTime time;
  std::shared_ptr<SnapshotSession> session;

  SnapshotSession* open_session() const noexcept {
    return session && session->open() ? session.get() : nullptr;
  }
};

/// Entries by namespace.
using EntryCounts = std::map<StateNamespace, std::size_t>;

/// A keyed table in memory: an array of slots for each namespace. Arrays of dropped namespaces are
/// used again with their capacity, so that a window does not grow what the last one has grown.
class HashmapTable final : public KeyedTable {
 public:
  HashmapTable(const TableDescriptor& descriptor, HashmapShared& shared);
  ~HashmapTable() override;

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
  const SlotArrayType& type() const noexcept { return *type_; }
  KeyGroup group_of(std::uint64_t hash) const noexcept {
    return key_group_of(hash, shared_.max_parallelism);
  }

  void join(SnapshotSession& session);
  /// Takes back an array that nobody needs any more.
  void recycle(std::shared_ptr<SlotArray> array) noexcept;

  /// Key and value of a live slot as snapshots hold them.
  void encode_slot(const SlotArray& array, const std::byte* slot, ByteWriter& out) const;
  /// Adds the number of entries of one block of a snapshot to `counts`.
  void count_block(std::string_view block, EntryCounts& counts) const;
  /// Makes room for `entries` in a namespace that holds none.
  void reserve(StateNamespace ns, std::size_t entries);
  /// Adds the entries of one block of a snapshot, but for those that have expired.
  void load_block(KeyGroup group, std::string_view block, const TableRestore& how);

  /// Looks for expired entries where the last call ended, in bounded time, and removes them.
  void remove_some_expired();

 private:
  struct Lookup;  // hashmap_lookup.cc

  std::shared_ptr<SlotArray>& array_of(StateNamespace ns);
  /// The open snapshot that an array's entries must be saved to before they change; or null.
  SnapshotSession* session_of(const SlotArray& array) const noexcept;
  std::shared_ptr<SlotArray> take_array();
  void grow(StateNamespace ns, std::shared_ptr<SlotArray>& array);
  void load_entries(KeyGroup group, TableBlockReader& in, const TableRestore& how);
  void load_value(std::string_view stored, std::byte* value) const;
  void start_life_or_remove(StateNamespace ns, SlotArray& array, std::byte* slot);
  std::size_t slots_to_sweep();
  [[noreturn]] void damaged(const std::string& how) const;

  TableDescriptor descriptor_;
  HashmapShared& shared_;
  std::shared_ptr<const SlotArrayType> type_;
  std::map<StateNamespace, std::shared_ptr<SlotArray>> arrays_;
  std::vector<std::shared_ptr<SlotArray>> spare_;
  std::size_t expected_entries_ = 0;  // what the last dropped array held
  std::vector<std::size_t> homes_;
  mutable ByteWriter encoded_value_;  // reused from slot to slot

  // Where remove_some_expired goes on, and when it was last called.
  StateNamespace sweep_namespace_ = 0;
  std::size_t sweep_slot_ = 0;
  std::int64_t swept_at_ = kMinTime;
};

}  // namespace tidemark
