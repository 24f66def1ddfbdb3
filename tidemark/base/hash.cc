// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include "tidemark/base/hash.h"

#include <xxhash.h>

namespace tidemark {

std::uint64_t stable_hash(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void stable_hash_u64(const std::uint64_t* keys, std::size_t count, std::uint64_t* hashes) noexcept {
  for (std::size_t i = 0; i < count; ++i) hashes[i] = XXH3_64bits(&keys[i], sizeof(keys[i]));
}

}  // namespace tidemark
