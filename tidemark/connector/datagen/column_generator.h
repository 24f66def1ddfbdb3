// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tidemark/base/options.h"
#include "tidemark/base/random.h"
#include "tidemark/base/result.h"
#include "tidemark/base/time.h"
#include "tidemark/data/column.h"
#include "tidemark/data/schema.h"

namespace tidemark {

/// Row numbers first, first + step, first + 2 * step, ... (`count` of them).
struct GeneratedRows {
  std::uint64_t first;
  std::uint64_t step;
  std::size_t count;
  ProcessingTime base_time;  // what "now" is for times; fixed when a job starts
};

/// A random number for each row of one column: equal for equal seed and row, so that any row can be
/// made again without those before it.
class RowRandom {
 public:
  RowRandom(std::uint64_t seed, std::string_view column, std::string_view use);

  std::uint64_t at(std::uint64_t row) const noexcept {
    return Random(state_ + row * kGamma).next();
  }

 private:
  static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15ull;  // the step of base/random.h
  std::uint64_t state_;
};

/// Makes the values of one column. Immutable.
class ColumnGenerator {
 public:
  virtual ~ColumnGenerator() = default;

  /// Appends the values of `rows`. Equal seed and rows give equal values.
  virtual void append(const GeneratedRows& rows, std::uint64_t seed,
                      ColumnBuilder& builder) const = 0;
  /// How many rows there are values for; nullopt: no end.
  virtual std::optional<std::uint64_t> rows_max() const { return std::nullopt; }
};

/// Reads 'fields.<name>.*' of a column.
Result<std::unique_ptr<ColumnGenerator>> make_column_generator(const Field& field,
                                                               OptionReader& options);

}  // namespace tidemark
