// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/state/hashmap/slot_array.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

class HashmapTable;

/// One open snapshot of a backend. The arrays that existed when it was made are scanned in steps.
/// A slot that is about to be changed before the scan has come to it is saved to the undo log first
/// and marked with the snapshot's epoch; the scan skips marked slots. What the scan and the log
/// give together is the state of the snapshot's moment, each entry once.
/// Owner: shared by the backend and the part. Thread: the task's.
class SnapshotSession {
 public:
  /// What had expired at `time`, the snapshot's moment, is left out.
  SnapshotSession(std::uint32_t epoch, const StateTime& time) : epoch_(epoch), time_(time) {}
  ~SnapshotSession() { close(); }
  SnapshotSession(const SnapshotSession&) = delete;
  SnapshotSession& operator=(const SnapshotSession&) = delete;

  std::uint32_t epoch() const noexcept { return epoch_; }
  bool open() const noexcept { return open_; }

  /// Only while the snapshot is made.
  void add_table(HashmapTable& table);
  void add_array(HashmapTable& table, StateNamespace ns, std::shared_ptr<SlotArray> array);

  /// Saves an entry that the scan has not come to; `hash` is its key's.
  void save(const HashmapTable& table, StateNamespace ns, const SlotArray& array,
            const std::byte* slot, std::uint64_t hash);
  /// Saves whatever of an array the scan has not come to, and gives the array up.
  void save_rest(const HashmapTable& table, StateNamespace ns, SlotArray& array);

  bool step(SnapshotWriter& writer, std::size_t bytes_max);
  /// Lets go of everything. Called at the end, by an abandoned part, and by a dying backend.
  void close() noexcept;

  std::size_t memory_bytes() const noexcept;

 private:
  struct Pending {
    HashmapTable* table;
    StateNamespace ns;
    std::shared_ptr<SlotArray> array;
  };
  /// Where saved entries came from.
  struct Origin {
    const HashmapTable* table;
    StateNamespace ns;
  };
  struct Undo {
    std::uint64_t offset;  // in undo_bytes_
    std::uint32_t length;
    std::uint32_t origin;  // in origins_
    KeyGroup group;
  };
  /// Entries of one key group and namespace on their way to the writer.
  struct Block {
    const HashmapTable* table = nullptr;
    StateNamespace ns = 0;
    KeyGroup group = 0;
    std::uint32_t entries = 0;
    ByteWriter bytes;
  };

  void declare_all(SnapshotWriter& writer);
  std::size_t scan(Pending& pending, SnapshotWriter& writer, std::size_t bytes_max);
  std::size_t drain_undo(SnapshotWriter& writer);
  std::uint32_t origin_of(const HashmapTable& table, StateNamespace ns);
  void order_undo();
  Block& block_for(const HashmapTable& table, StateNamespace ns, KeyGroup group,
                   SnapshotWriter& writer);
  void flush_block(SnapshotWriter& writer);
  void release(Pending& pending) noexcept;

  std::uint32_t epoch_;
  StateTime time_;
  bool open_ = true;
  bool declared_ = false;
  std::vector<HashmapTable*> tables_;
  std::vector<Pending> pending_;
  std::size_t next_ = 0;  // of pending_
  std::vector<Undo> undo_;
  ByteWriter undo_bytes_;
  std::vector<Origin> origins_;
  std::vector<std::uint32_t> undo_order_;
  std::vector<std::uint32_t> undo_begins_;
  Block block_;
  ByteWriter framed_;
};

}  // namespace tidemark
