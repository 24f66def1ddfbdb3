// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/base/random.h"
#include "tidemark/data/batch.h"

namespace tidemark::bench {

enum class KeyKind : std::uint8_t {
  kFixed,         // BIGINT NOT NULL
  kNullable,      // BIGINT, one key in a hundred NULL
  kNullableFull,  // BIGINT that could be NULL and never is
  kString,        // STRING NOT NULL of 16 bytes
};

/// Numbers 1..n with probability proportional to 1 / i^s, by rejection inversion (Hoermann and
/// Derflinger, 1996): constant time and memory whatever n.
class Zipf {
 public:
  Zipf(std::uint64_t n, double s);
  std::uint64_t draw(Random& random);

 private:
  double h_integral(double x) const;
  double h(double x) const;
  double h_integral_inverse(double x) const;

  double n_;
  double s_;
  double h_x1_;
  double h_n_;
  double threshold_;
};

struct KeyStreamOptions {
  std::size_t rows = 0;
  std::size_t keys = 0;
  bool zipf = false;  // exponent 1.1; otherwise uniform
  KeyKind kind = KeyKind::kFixed;
  std::size_t batch_rows = 1'000;
  Millis disorder = 5'000;             // rows are behind by a uniform time below this
  std::size_t rows_per_milli = 1'000;  // of event time
};

/// Rows (key, value, ts), in memory before anything is timed. A watermark of the largest time seen
/// minus the disorder follows each batch, so no row is late.
class KeyStream {
 public:
  explicit KeyStream(const KeyStreamOptions& options);

  const KeyStreamOptions& options() const noexcept { return options_; }
  const SchemaPtr& schema() const noexcept { return schema_; }
  const std::vector<BatchPtr>& batches() const noexcept { return batches_; }
  /// The watermark behind each batch.
  const std::vector<EventTime>& watermarks() const noexcept { return watermarks_; }

  /// Moves all times on by the stream's whole length: the next round of the same keys, for a
  /// contender that keeps its state. Keys and values stay where they are in memory.
  void advance();

 private:
  void make_keys_and_values();
  void make_times();

  KeyStreamOptions options_;
  SchemaPtr schema_;
  std::size_t round_ = 0;
  EventTime highest_ = kMinTime;
  std::vector<ColumnPtr> keys_;
  std::vector<ColumnPtr> values_;
  std::vector<BatchPtr> batches_;
  std::vector<EventTime> watermarks_;
};

/// Column numbers of a KeyStream's batches.
inline constexpr std::size_t kKeyColumn = 0;
inline constexpr std::size_t kValueColumn = 1;

}  // namespace tidemark::bench
