// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/bytes.h"
#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/value_type.h"

// How the entries of a keyed table stand in a snapshot: the canonical form, which every backend
// writes into savepoints and restores. A block holds entries of one namespace and key group:
//
//   0   i64  namespace
//   8   u32  number of entries
//   12  u32  bytes of a value, or kSizedValues
//   16       the entries: key, value
//
// A key is 8 bytes (fixed8), 16 bytes (fixed16), or a u32 length and bytes (variable); see key.h. A
// plain value is its bytes in memory; with kSizedValues a value is a u32 length and what its
// ValueOperations encode. So a block can be read by those who do not know the values. In a table
// with a time to live the bytes of each value begin with its stamp, an i64
// (state/time_to_live.h), and the width and length count it.

namespace tidemark {

/// Version of the form; a change is a new number and a reader of the old one. It also says which
/// clock the stamps of the entries are of, if they have any.
inline constexpr std::uint32_t kTableFormatVersion = 2;
inline constexpr std::uint32_t kTableFormatProcessingTime = 3;
inline constexpr std::uint32_t kTableFormatEventTime = 4;

constexpr std::uint32_t table_version_of(const TimeToLive& ttl) noexcept {
  if (!ttl.enabled()) return kTableFormatVersion;
  return ttl.clock == TimeToLive::Clock::kEventTime ? kTableFormatEventTime
                                                    : kTableFormatProcessingTime;
}
constexpr bool has_stamps(std::uint32_t version) noexcept {
  return version != kTableFormatVersion;
}

inline constexpr std::uint32_t kSizedValues = 0xFFFF'FFFF;

struct TableBlockHeader {
  StateNamespace ns = 0;
  std::uint32_t entries = 0;
  std::uint32_t value_width = 0;
};
inline constexpr std::size_t kTableBlockHeaderBytes = 16;

/// The descriptor under which a table's blocks are written.
StateDescriptor describe_table(const TableDescriptor& table);

/// Whether a stored state is a table in this form, and of this version.
bool is_table(const StateDescriptor& state);

/// How the entries of a stored table become those of an open one.
class TableRestore {
 public:
  /// Refuses a stored table whose entries `wanted` cannot hold, by a Failure that names the state,
  /// what differs and both types. Stamps are no reason: a time to live may be added, changed and
  /// taken away. Nor are values that can be converted (state/value_type.h).
  TableRestore(const StateDescriptor& stored, const TableDescriptor& wanted);

  /// What value_width is in the stored blocks.
  std::uint32_t value_width() const noexcept { return value_width_; }
  /// Takes the stamp off the front of a stored value, and says what becomes of it by `time`. An
  /// entry without a stamp, or with one of the other clock, begins its life now.
  std::int64_t take_stamp(std::string_view& value, const StateTime& time) const;
  /// The value as the open table has it: `value`, or what it was converted to in `scratch`.
  std::string_view convert(std::string_view value, std::string& scratch) const;

 private:
  std::uint32_t version_;
  TimeToLive ttl_;
  std::optional<ValueConversion> conversion_;
  std::uint32_t value_width_ = 0;
};

/// What value_width is for values of `operations`, with a stamp or without.
std::uint32_t value_width_in_blocks(const ValueOperations& operations, bool stamped);

/// The key of an entry as it stands in a block. KeyedEntry::value is not set; points into the
/// block.
KeyedEntry read_key(ByteReader& in, KeyEncoding encoding);
void write_key(const KeyedEntry& entry, KeyEncoding encoding, ByteWriter& out);
/// Key `i` of a batch. Points into the batch.
KeyedEntry key_at(const KeyBatch& keys, std::size_t i);

inline void put_table_block_header(const TableBlockHeader& header, ByteWriter& out) {
  out.put(header.ns);
  out.put(header.entries);
  out.put(header.value_width);
}

/// Number of entries of a block. Throws a Failure (kCheckpointDamaged) for one without a header.
std::uint32_t table_block_entries(std::string_view block);

/// Reads the entries of a block, one after the other. Throws a Failure (kCheckpointDamaged) for a
/// block that ends too early. Does not own the bytes.
class TableBlockReader {
 public:
  TableBlockReader(KeyEncoding encoding, std::string_view block);

  const TableBlockHeader& header() const noexcept { return header_; }
  std::uint32_t left() const noexcept { return left_; }
  /// Bytes behind the last entry: a sign of damage when nothing is left.
  bool at_end() const noexcept { return in_.at_end(); }

  /// The next key, in `key`; returns its value. Requires left() > 0.
  std::string_view next(KeyedEntry& key);

 private:
  KeyEncoding encoding_;
  ByteReader in_;
  TableBlockHeader header_;
  std::uint32_t left_ = 0;
};

}  // namespace tidemark
