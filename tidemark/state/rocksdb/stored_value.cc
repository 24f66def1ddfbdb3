// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/stored_value.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tidemark/base/bytes.h"
#include "tidemark/base/error.h"
#include "tidemark/state/rocksdb/guests.h"

namespace tidemark {

void encode_stored(const SlotArrayType& type, const std::byte* value, ByteWriter& out) {
  const bool made = std::any_of(value, value + type.value_width,
                                [](std::byte byte) { return byte != std::byte{0}; });
  out.put(static_cast<std::uint8_t>(made));
  if (made) type.values->encode(value, out);
}

std::string_view canonical_value(const SlotArrayType& type, std::string_view stored,
                                 ByteWriter& scratch) {
  if (type.plain) return stored;
  if (ByteReader(stored).get<std::uint8_t>() != 0) return stored.substr(1);
  GuestValues zero(type.values);
  scratch.clear();
  type.values->encode(zero.add(), scratch);
  return scratch.view();
}

void decode_stored(const SlotArrayType& type, std::string_view stored, std::byte* value) {
  ByteReader in(stored);
  if (type.ttl.enabled()) set_stamp(value, in.get<std::int64_t>());
  if (!type.plain) {
    if (in.get<std::uint8_t>() != 0) type.values->decode(in, value);
    return;
  }
  stored = stored.substr(stored.size() - in.remaining());
  if (stored.size() != type.value_width)
    throw Failure(ErrorCode::kCheckpointDamaged,
                  "a value of " + std::to_string(stored.size()) +
                      " bytes is stored where one has " + std::to_string(type.value_width),
                  /*retryable=*/false);
  std::memcpy(value, stored.data(), stored.size());
}

}  // namespace tidemark
