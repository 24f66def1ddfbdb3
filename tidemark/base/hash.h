// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark {

/// The hash that places keys in key groups: XXH3 64-bit, seed 0 (xxhash.com, specification of
/// 2019-12), over the key's canonical encoding (state/key.h). Equal on every machine and in every
/// version, because it is written into snapshots.
std::uint64_t stable_hash(std::string_view bytes) noexcept;

/// stable_hash of the 8 little-endian bytes of each key, a batch at a time.
void stable_hash_u64(const std::uint64_t* keys, std::size_t count, std::uint64_t* hashes) noexcept;

}  // namespace tidemark
