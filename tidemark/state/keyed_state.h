// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/state/key.h"
#include "tidemark/state/key_group.h"
#include "tidemark/state/snapshot.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark {

/// The second part of a state's address: a window or slice end, or 0.
using StateNamespace = std::int64_t;

/// How the values of a table live and travel.
class ValueOperations {
 public:
  virtual ~ValueOperations() = default;

  /// Bytes of a value in memory, 8-byte aligned. A new entry is all zero.
  virtual std::size_t width() const = 0;
  /// Whether values are plain bytes: encoded by memcpy, nothing to destroy.
  virtual bool is_plain() const = 0;
  virtual void destroy(std::byte* value) const noexcept = 0;
  virtual void encode(const std::byte* value, ByteWriter& out) const = 0;
  virtual void decode(ByteReader& in, std::byte* value) const = 0;
};

struct TableDescriptor {
  std::string name;
  KeyEncoding key_encoding = KeyEncoding::kFixed8;
  std::shared_ptr<const ValueOperations> values;
  std::string schema;  // for StateDescriptor::schema
  TimeToLive ttl;
};

/// Visits the entries of one namespace, resumable between rows of output. Nearly in the order of
/// their hashes. Invalidated by a look-up in the same namespace; drop() leaves it valid.
class TableScan {
 public:
  virtual ~TableScan() = default;

  using Entry = KeyedEntry;
  /// Fills `out` from the front, up to its size; returns how many. 0 when all were visited.
  virtual std::size_t next(std::span<Entry> out) = 0;
};

/// Whether a look-up for writing renews the entries that it finds. Who looks ahead, before knowing
/// which entries will be written, keeps the stamps and calls renew() (state/time_to_live.h) later.
enum class Touch : std::uint8_t { kRenew, kKeep };

/// A keyed state, (namespace, key) -> value, of one subtask. Looked up by the batch, so that the
/// cost of a miss in the cache is paid once for many rows. Thread: the task's. Single writer.
///
/// With a time to live (state/time_to_live.h) an expired entry is as good as absent: a look-up for
/// writing finds a new one, all zero, in its place; a look-up for reading, a scan and a snapshot
/// leave it out (a look-up does not, under kExpiredIfNotCleaned). Touches are stamped with the
/// table's clock as the backend was last told it; on an event-time table with KeyBatch::times, when
/// the key's time is ahead of the watermark, with that.
class KeyedTable {
 public:
  virtual ~KeyedTable() = default;

  /// values[i] becomes the value of keys[rows[i]] in `ns`, made (all zero) when absent. `rows`
  /// ascend without repetition; keys may repeat. The pointers hold until the next call of any
  /// method but find() for other keys, or of advance_time(). The caller may write through them.
  virtual void find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                              std::span<std::byte*> values, Touch touch = Touch::kRenew) = 0;
  /// The same for reading: nullptr when absent.
  virtual void find(StateNamespace ns, const KeyBatch& keys, Selection rows,
                    std::span<const std::byte*> values) = 0;
  virtual void erase(StateNamespace ns, const KeyBatch& keys, Selection rows) = 0;

  /// Leaves out what had expired when the scan was made.
  virtual std::unique_ptr<TableScan> scan(StateNamespace ns) = 0;
  /// Removes every entry of a namespace, at once.
  virtual void drop(StateNamespace ns) = 0;
  /// The namespaces that hold entries, ascending.
  virtual std::vector<StateNamespace> namespaces() const = 0;

  /// Expired entries count until they are removed.
  virtual std::size_t entries() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// All keyed state of one operator in one subtask.
class KeyedStateBackend {
 public:
  virtual ~KeyedStateBackend() = default;

  /// Opens the table named by the descriptor. Call once a name, before or after restore().
  virtual KeyedTable& open_table(const TableDescriptor& table) = 0;

  /// Tells the clocks, by which entries are stamped and expire. To be called before each batch,
  /// watermark, processing-time call, snapshot and restore; a clock that would go back stays. Each
  /// call also removes some of what has expired, in bounded time. Pointers into tables end with it.
  virtual void advance_time(const StateTime& time) = 0;
  virtual const StateTime& time() const = 0;

  /// Freezes the state as it is now, in a time that does not depend on its size. At most one
  /// snapshot is open: the part must be stepped to its end or destroyed before the next. A
  /// checkpoint may be in the backend's own form; a savepoint is in the canonical one, which every
  /// backend restores.
  virtual std::unique_ptr<SnapshotPart> snapshot(SnapshotKind kind) = 0;
  /// Loads what `reader` holds for this subtask's key groups into tables opened before the call,
  /// but for what has expired by the tables' own times to live. Throws a Failure when a state's key
  /// encoding, values or version are others (state/table_block.h).
  virtual void restore(const SnapshotReader& reader) = 0;

  virtual KeyGroupRange key_groups() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// The backend in memory: open addressing, prefetched look-ups, snapshots by epoch and undo log.
std::unique_ptr<KeyedStateBackend> make_hashmap_backend(KeyGroupRange range,
                                                        std::uint32_t max_parallelism);

}  // namespace tidemark
