// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_index.h"

#include <algorithm>
#include <bit>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace tidemark {
namespace {

constexpr std::size_t kStep = 64;

#ifdef __AVX2__

// Which of 64 bytes equal a character, as a mask.
class ByteSet {
 public:
  explicit ByteSet(const char* text)
      : low_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text))),
        high_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32))) {}

  std::uint64_t equal(char a, char b) const noexcept {
    const __m256i wanted_a = _mm256_set1_epi8(a);
    const __m256i wanted_b = _mm256_set1_epi8(b);
    return mask(
        _mm256_or_si256(_mm256_cmpeq_epi8(low_, wanted_a), _mm256_cmpeq_epi8(low_, wanted_b)),
        _mm256_or_si256(_mm256_cmpeq_epi8(high_, wanted_a), _mm256_cmpeq_epi8(high_, wanted_b)));
  }

 private:
  static std::uint64_t mask(__m256i low, __m256i high) noexcept {
    const auto low_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
    const auto high_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
    return std::uint64_t{high_bits} << 32 | low_bits;
  }

  __m256i low_;
  __m256i high_;
};

#else

class ByteSet {
 public:
  explicit ByteSet(const char* text) : text_(text) {}

  std::uint64_t equal(char a, char b) const noexcept {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < kStep; ++i)
      mask |= static_cast<std::uint64_t>(text_[i] == a || text_[i] == b) << i;
    return mask;
  }

 private:
  const char* text_;
};

#endif

// Appends the positions of the set bits. Writes eight of them whatever the mask, which is cheaper
// than a branch that depends on their number; `out` has room for 64.
inline std::uint32_t* flatten(std::uint64_t mask, std::uint32_t base, std::uint32_t* out) noexcept {
  const int set = std::popcount(mask);
  const auto take_eight = [&](int from) {
    for (int i = from; i < from + 8; ++i) {
      out[i] = base + static_cast<std::uint32_t>(std::countr_zero(mask));
      mask &= mask - 1;
    }
  };
  take_eight(0);
  for (int from = 8; from < set; from += 8) [[unlikely]] take_eight(from);
  return out + set;
}

}  // namespace

void CsvIndex::build(const char* text, std::size_t bytes, std::size_t marks_max) {
  if (marks_.size() < 1 + bytes + kStep) marks_.resize(1 + bytes + kStep);
  marks_[0] = static_cast<std::uint32_t>(-1);
  std::uint32_t* out = marks_.data() + 1;
  at_special_ = false;
  const std::uint32_t* enough = out + std::min(marks_max, bytes);
  for (std::size_t at = 0; at < bytes && out < enough; at += kStep) {
    const ByteSet block(text + at);
    std::uint64_t keep = ~std::uint64_t{0};
    if (bytes - at < kStep) keep >>= kStep - (bytes - at);
    const std::uint64_t special = block.equal(special_a_, special_b_) & keep;
    at_special_ = special != 0 && special_a_ != '\n';
    if (at_special_) keep &= (special & -special) - 1;
    out = flatten(block.equal(delimiter_, '\n') & keep, static_cast<std::uint32_t>(at), out);
    if (at_special_) break;
  }
  count_ = static_cast<std::size_t>(out - (marks_.data() + 1));
}

}  // namespace tidemark
