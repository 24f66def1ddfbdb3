// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/window_aggregator.h"

#include <algorithm>

namespace tidemark::api_detail {

ColumnPtr repeat_time(EventTime value, std::size_t rows) {
  Buffer values(rows * sizeof(EventTime));
  std::fill_n(values.as<EventTime>(), rows, value);
  return std::make_shared<const Column>(DataType::big_int().with_nullable(false), rows, Buffer(),
                                        std::move(values), Buffer());
}

std::vector<ColumnPtr> decode_keys(const KeyCodec& codec,
                                   std::span<const TableScan::Entry> entries) {
  std::vector<ColumnBuilder> builders;
  for (const DataType& type : codec.types()) builders.emplace_back(type);
  for (const TableScan::Entry& entry : entries) {
    if (codec.encoding() == KeyEncoding::kFixed8) {
      codec.decode(entry.fixed_key, builders);
    } else {
      codec.decode(entry.variable_key, builders);
    }
  }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  return columns;
}

}  // namespace tidemark::api_detail
