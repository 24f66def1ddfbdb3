// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tidemark/base/bytes.h"
#include "tidemark/state/hashmap/slot_array.h"

namespace tidemark {

// A value as the database holds it: its stamp (i64) where the table has a time to live; then, if it
// is plain, its bytes; otherwise a byte 0 for one that is still all zero, or 1 and what its
// ValueOperations encode.

/// Appends what stands behind the stamp. `value` is not plain.
void encode_stored(const SlotArrayType& type, const std::byte* value, ByteWriter& out);
/// Reads a value and its stamp into zeroed memory. Throws a Failure
/// (kCheckpointDamaged) for bytes that no value was written as.
void decode_stored(const SlotArrayType& type, std::string_view stored, std::byte* value);

/// What snapshots hold of a value behind the stamp; in `scratch` where the database has something
/// else.
std::string_view canonical_value(const SlotArrayType& type, std::string_view stored,
                                 ByteWriter& scratch);

}  // namespace tidemark
