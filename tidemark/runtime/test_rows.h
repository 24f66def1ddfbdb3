// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tidemark/data/batch.h"

// For tests only.

namespace tidemark {

inline SchemaPtr number_schema() {
  static const SchemaPtr schema = make_schema({{"n", DataType::big_int().with_nullable(false)}});
  return schema;
}

/// One BIGINT column; event times are the numbers.
inline BatchPtr numbers(const std::vector<std::int64_t>& values) {
  ColumnBuilder builder(DataType::big_int().with_nullable(false));
  ColumnBuilder times(DataType::big_int().with_nullable(false));
  for (const std::int64_t value : values) {
    builder.append<std::int64_t>(value);
    times.append<std::int64_t>(value);
  }
  return std::make_shared<const Batch>(number_schema(), values.size(),
                                       std::vector<ColumnPtr>{builder.finish()}, times.finish());
}

inline std::vector<std::int64_t> to_numbers(const Batch& batch) {
  const auto* values = batch.column(0).values<std::int64_t>();
  return {values, values + batch.rows()};
}

}  // namespace tidemark
