// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/base/bytes.h"
#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"

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
// ValueOperations encode. So a block can be read by those who do not know the values.

namespace tidemark {

/// Version of the form; a change is a new number and a reader of the old one.
inline constexpr std::uint32_t kTableFormatVersion = 2;

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

/// What value_width is for values of `operations`.
std::uint32_t value_width_in_blocks(const ValueOperations& operations);

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
