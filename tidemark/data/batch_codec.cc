// SPDX-License-Identifier: Apache-2.0
//
// Layout of an encoded batch, little-endian:
//
//   u32   rows
//   u32   columns
//   u8    flags: 1 = event times follow the columns, 2 = row kinds follow those
//   then for each column
//     u8    kind                         (TypeKind, checked against the schema)
//     u8    has validity
//     [rows / 8, rounded up] validity    (when it has)
//     u64   bytes of values, values      (fixed width: rows * width)
//     [(rows + 1) * 4] offsets           (STRING and BYTES)
#include <cstring>

#include "tidemark/base/bytes.h"
#include "tidemark/data/batch.h"

namespace tidemark {
namespace {

constexpr std::uint8_t kHasEventTimes = 1;
constexpr std::uint8_t kHasRowKinds = 2;

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void encode_column(const Column& column, std::string& out) {
  put(out, static_cast<std::uint8_t>(column.kind()));
  put(out, static_cast<std::uint8_t>(column.has_nulls()));
  if (column.has_nulls())
    out.append(reinterpret_cast<const char*>(column.validity_bits()), bitmap_bytes(column.size()));
  const bool variable = is_variable_width(column.kind());
  const std::size_t bytes = variable ? static_cast<std::size_t>(column.offsets()[column.size()])
                                     : column.size() * value_width(column.kind());
  put(out, static_cast<std::uint64_t>(bytes));
  if (bytes > 0) out.append(column.bytes(), bytes);
  if (variable)
    out.append(reinterpret_cast<const char*>(column.offsets()),
               (column.size() + 1) * sizeof(std::int32_t));
}

[[noreturn]] void damaged(const char* what) {
  throw Failure(ErrorCode::kCheckpointDamaged, std::string("an encoded batch is damaged: ") + what,
                /*retryable=*/false);
}

Buffer to_buffer(std::string_view bytes) {
  Buffer buffer;
  buffer.append(bytes.data(), bytes.size());
  return buffer;
}

void check_offsets(const Buffer& offsets, std::size_t rows, std::size_t bytes) {
  const std::int32_t* at = offsets.as<std::int32_t>();
  if (at[0] != 0 || at[rows] < 0 || static_cast<std::size_t>(at[rows]) != bytes)
    damaged("string offsets do not span the bytes");
  for (std::size_t i = 0; i < rows; ++i)
    if (at[i] > at[i + 1]) damaged("string offsets fall");
}

ColumnPtr decode_column(ByteReader& in, std::size_t rows, const DataType& type) {
  if (in.get<std::uint8_t>() != static_cast<std::uint8_t>(type.kind))
    damaged("a column has another type than the schema");
  Buffer validity;
  if (in.get<std::uint8_t>() != 0) validity = to_buffer(in.get_raw(bitmap_bytes(rows)));
  const auto bytes = in.get<std::uint64_t>();
  Buffer values = to_buffer(in.get_raw(bytes));
  Buffer offsets;
  if (is_variable_width(type.kind)) {
    offsets = to_buffer(in.get_raw((rows + 1) * sizeof(std::int32_t)));
    check_offsets(offsets, rows, bytes);
  } else if (bytes != rows * value_width(type.kind)) {
    damaged("a column has another length than the batch");
  }
  return std::make_shared<const Column>(type, rows, std::move(validity), std::move(values),
                                        std::move(offsets));
}

}  // namespace

void encode_batch(const Batch& batch, std::string& out) {
  put(out, static_cast<std::uint32_t>(batch.rows()));
  put(out, static_cast<std::uint32_t>(batch.columns().size()));
  const std::uint8_t flags = static_cast<std::uint8_t>((batch.event_times() ? kHasEventTimes : 0) |
                                                       (batch.row_kinds() ? kHasRowKinds : 0));
  put(out, flags);
  for (const ColumnPtr& column : batch.columns()) encode_column(*column, out);
  if (batch.event_times()) encode_column(*batch.event_times_ptr(), out);
  if (batch.row_kinds()) encode_column(*batch.row_kinds_ptr(), out);
}

BatchPtr decode_batch(std::string_view bytes, const SchemaPtr& schema) {
  ByteReader in(bytes);
  const std::size_t rows = in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != schema->size()) damaged("it has another number of columns");
  const auto flags = in.get<std::uint8_t>();
  std::vector<ColumnPtr> columns;
  columns.reserve(schema->size());
  for (const Field& field : schema->fields) columns.push_back(decode_column(in, rows, field.type));
  ColumnPtr event_times;
  if (flags & kHasEventTimes)
    event_times = decode_column(in, rows, DataType::big_int().with_nullable(false));
  ColumnPtr row_kinds;
  if (flags & kHasRowKinds)
    row_kinds = decode_column(in, rows, DataType::tiny_int().with_nullable(false));
  if (!in.at_end()) damaged("bytes follow its end");
  return std::make_shared<const Batch>(schema, rows, std::move(columns), std::move(event_times),
                                       std::move(row_kinds));
}

}  // namespace tidemark
