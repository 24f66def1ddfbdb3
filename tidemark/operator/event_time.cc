// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/event_time.h"

#include <algorithm>

#include "tidemark/base/check.h"
#include "tidemark/base/time.h"

namespace tidemark {

ColumnPtr to_event_times(const ColumnPtr& column) {
  const DataType& type = column->type();
  TIDEMARK_CHECK(is_timestamp(type.kind) || type.kind == TypeKind::kBigInt,
                 "a time column is a TIMESTAMP, a TIMESTAMP_LTZ or a BIGINT");
  const bool in_millis =
      type.kind == TypeKind::kBigInt || timestamp_units_per_second(type.precision) == 1000;
  if (in_millis && !column->has_nulls()) return column;
  ColumnBuilder builder(DataType::big_int().with_nullable(false));
  auto* out = builder.extend<EventTime>(column->size());
  const auto* in = column->values<std::int64_t>();
  if (in_millis) {
    std::copy(in, in + column->size(), out);
  } else {
    for (std::size_t i = 0; i < column->size(); ++i)
      out[i] = timestamp_to_millis(in[i], type.precision);
  }
  return builder.finish();
}

}  // namespace tidemark
