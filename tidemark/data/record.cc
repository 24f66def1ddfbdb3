// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/record.h"

#include <cstring>

#include "tidemark/base/options.h"

namespace tidemark {
namespace record_detail {
namespace {

// Whether values of a column of type `actual` can be read as those of a field of type `wanted`.
bool readable_as(const DataType& wanted, const DataType& actual) {
  if (wanted.kind != actual.kind) return false;
  if (actual.nullable && !wanted.nullable) return false;
  if (!is_timestamp(wanted.kind)) return true;
  return timestamp_units_per_second(wanted.precision) ==
         timestamp_units_per_second(actual.precision);
}

Error missing_column(const std::string& name, const Schema& actual) {
  std::vector<std::string> names;
  for (const Field& field : actual.fields) names.push_back(field.name);
  const std::string nearest = nearest_name(name, names);
  return {ErrorCode::kInvalidOption,
          "field '" + name + "' of the record has no column of its name in " + to_string(actual) +
              (nearest.empty() ? std::string() : ": did you mean '" + nearest + "'?")};
}

Error type_mismatch(const Field& wanted, const Field& actual) {
  std::string message = "field '" + wanted.name + "' of the record is " + to_string(wanted.type) +
                        ", but its column is " + to_string(actual.type);
  if (wanted.type.kind == actual.type.kind && actual.type.nullable && !wanted.type.nullable)
    message += ": make the field a std::optional, or the column NOT NULL";
  return {ErrorCode::kInvalidOption, std::move(message)};
}

}  // namespace

Result<std::vector<std::uint32_t>> match_columns(const Schema& wanted, const Schema& actual) {
  std::vector<std::uint32_t> columns;
  columns.reserve(wanted.size());
  for (const Field& field : wanted.fields) {
    const std::optional<std::size_t> at = actual.index_of(field.name);
    if (!at) return missing_column(field.name, actual);
    if (!readable_as(field.type, actual.fields[*at].type))
      return type_mismatch(field, actual.fields[*at]);
    columns.push_back(static_cast<std::uint32_t>(*at));
  }
  return columns;
}

void ValidityWriter::grow(std::size_t rows) {
  const std::size_t had = bits_.size();
  bits_.resize(bitmap_bytes(rows));
  if (bits_.size() > had) std::memset(bits_.data() + had, 0xFF, bits_.size() - had);
}

Buffer ValidityWriter::finish(std::size_t rows) {
  Buffer bits = std::exchange(bits_, Buffer());
  if (!std::exchange(any_null_, false)) return Buffer();
  bits.resize(bitmap_bytes(rows));
  return bits;
}

}  // namespace record_detail

ColumnPtr make_time_column(const EventTime* times, std::size_t rows) {
  Buffer values(rows * sizeof(EventTime));
  if (rows > 0) std::memcpy(values.data(), times, rows * sizeof(EventTime));
  return std::make_shared<const Column>(DataType::big_int().with_nullable(false), rows, Buffer(),
                                        std::move(values), Buffer());
}

}  // namespace tidemark
