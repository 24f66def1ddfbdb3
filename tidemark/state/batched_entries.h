// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// The entries of one table, one namespace, for a function that is called row by row and asks for
/// the entry of its row when it needs it. The first question of a row looks up some rows after it
/// too, for writing or for reading alone, as the rows before it were used; so a row costs its share
/// of a batched look-up, and a table that a row does not ask for costs nothing.
///
/// A present value has a first word that is not zero. Entries that were made by looking ahead and
/// not written are erased again. Thread: the task's.
class BatchedEntries {
 public:
  /// `descriptor` is the table's. All outlive this.
  BatchedEntries(KeyedStateBackend& backend, KeyedTable& table, const TableDescriptor& descriptor,
                 StateNamespace ns = 0)
      : backend_(&backend),
        table_(&table),
        values_(descriptor.values),
        ttl_(descriptor.ttl),
        ns_(ns) {}

  /// The rows asked for from now on are of `keys`, which must live until detach().
  void attach(const KeyBatch& keys);
  /// Ends the batch. Before anyone else looks into the table, and before a snapshot.
  void detach();

  /// nullptr when absent. Valid until the next call for another row, or of a method that writes.
  const std::byte* read(std::size_t row);
  /// All zero when absent. Stays present only if its first word is given a value. Valid as
  /// read()'s.
  std::byte* write(std::size_t row);
  void erase(std::size_t row);

  /// What a touch by the row is stamped with.
  std::int64_t touch_time(std::size_t row) const noexcept;

 private:
  enum class Mode : std::uint8_t { kReading, kWriting };

  bool covers(std::size_t row) const noexcept { return row - begin_ < count_; }
  void look_up(std::size_t row, Mode mode, std::size_t count);
  void begin_chunk(std::size_t row);
  void end_chunk();
  KeyedStateBackend* backend_;
  KeyedTable* table_;
  std::shared_ptr<const ValueOperations> values_;
  TimeToLive ttl_;
  StateNamespace ns_;
  const KeyBatch* keys_ = nullptr;

  // The rows [begin_, begin_ + count_) are looked up.
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  Mode mode_ = Mode::kWriting;
  Mode next_mode_ = Mode::kWriting;
  std::size_t writes_ = 0;
  std::vector<RowIndex> rows_;
  std::vector<std::byte*> written_;
  std::vector<const std::byte*> found_;
};

}  // namespace tidemark
