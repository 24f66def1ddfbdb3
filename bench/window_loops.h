// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/key_stream.h"

namespace tidemark::bench {

/// The windows that all contenders compute: tumbling, SUM(value) and COUNT(*) by key.
inline constexpr Millis kWindowSize = 10'000;

/// What a programmer would write by hand for this one query over a KeyStream, and nothing more: no
/// NULL values, no overflow check, no late rows, no snapshot, sizes known to the compiler. One
/// open-addressing table a window, reused after the window has fired.
class WindowLoop {
 public:
  virtual ~WindowLoop() = default;

  virtual void process(const Batch& batch) = 0;
  virtual void on_watermark(EventTime watermark) = 0;
  /// Of the result rows since the last call.
  virtual std::uint64_t take_checksum() = 0;
};

/// (a) A row at a time: find the window, find the key, add.
std::unique_ptr<WindowLoop> make_row_loop(KeyKind kind);
/// (b) A column at a time: hash all keys, then look them up with the slots of 16 rows ahead on
/// their way from memory.
std::unique_ptr<WindowLoop> make_columnar_loop(KeyKind kind);

/// What every contender computes over its result rows, so that emitting them costs all the same.
class ResultChecksum {
 public:
  void add(std::uint64_t key_hash, EventTime window_start, std::int64_t sum, std::int64_t count) {
    sum_ += (key_hash ^ static_cast<std::uint64_t>(window_start)) *
            static_cast<std::uint64_t>(sum * 31 + count);
  }
  std::uint64_t take() { return std::exchange(sum_, 0); }

 private:
  std::uint64_t sum_ = 0;
};

/// A key's part in the checksum.
inline std::uint64_t checksum_of_key(std::int64_t key) {
  return static_cast<std::uint64_t>(key) * 0xd6e8feb86659fd93ull;
}
inline std::uint64_t checksum_of_key(std::string_view key) {
  std::uint64_t word = 0;
  std::memcpy(&word, key.data(), std::min(key.size(), sizeof word));
  return word * 0xd6e8feb86659fd93ull + key.size();
}
inline constexpr std::uint64_t kChecksumOfNull = 0x5bd1e995;

}  // namespace tidemark::bench
