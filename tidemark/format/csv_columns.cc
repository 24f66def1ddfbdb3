// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_columns.h"

#include <fmt/format.h>

#include "tidemark/format/utf8.h"

namespace tidemark {

CsvColumns::CsvColumns(const Schema& schema, const CsvOptions& options, const TimeZone& zone)
    : null_literal_(options.null_literal), ignore_errors_(options.ignore_parse_errors) {
  readers_.reserve(schema.size());
  for (const Field& field : schema.fields)
    readers_.push_back({field, TextReader(field.type, TimestampStandard::kAny, zone)});
}

bool CsvColumns::is_null(const Reader& reader, std::string_view raw) const noexcept {
  if (null_literal_ && raw == *null_literal_) return true;
  return raw.empty() && reader.field.type.kind != TypeKind::kString;
}

std::string CsvColumns::append_null(const Reader& reader, std::string_view text,
                                    ColumnBuilder& builder) const {
  if (!reader.field.type.nullable)
    return fmt::format("{}: {} is NULL", describe(reader.field), quote_for_message(text));
  builder.append_null();
  return {};
}

std::string CsvColumns::append_missing(std::size_t column, ColumnBuilder& builder) {
  return append_null(readers_[column], "", builder);
}

std::string CsvColumns::append(std::size_t column, const CsvRecordSplitter::Field& field,
                               ColumnBuilder& builder) {
  Reader& reader = readers_[column];
  const std::string_view text = field.text;
  if (!field.quoted && is_null(reader, field.raw)) return append_null(reader, text, builder);
  if (reader.field.type.kind == TypeKind::kString && !is_valid_utf8(text)) {
    if (ignore_errors_) return append_null(reader, text, builder);
    return fmt::format("{}: the text is not UTF-8", describe(reader.field));
  }
  const TextError error = reader.text.append(builder, text);
  if (error == TextError::kNone) return {};
  if (ignore_errors_ && reader.field.type.nullable) return append_null(reader, text, builder);
  return describe(reader.field, text, error);
}

bool CsvColumns::append_rows(std::size_t column, const CsvRows& rows, ColumnBuilder& builder) {
  switch (readers_[column].field.type.kind) {
    case TypeKind::kTinyInt: return append_integers<std::int8_t>(column, rows, builder);
    case TypeKind::kSmallInt: return append_integers<std::int16_t>(column, rows, builder);
    case TypeKind::kInt: return append_integers<std::int32_t>(column, rows, builder);
    case TypeKind::kBigInt: return append_integers<std::int64_t>(column, rows, builder);
    case TypeKind::kTimestamp: return append_timestamps(column, rows, builder);
    case TypeKind::kString: return append_strings(column, rows, builder);
    default: return append_others(column, rows, builder);
  }
}

template <typename T>
bool CsvColumns::append_integers(std::size_t column, const CsvRows& rows, ColumnBuilder& builder) {
  const Reader& reader = readers_[column];
  const std::size_t first = builder.size();
  T* out = builder.extend<T>(rows.rows);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::string_view text = rows.field(row, column);
    std::int64_t value = 0;
    if (!parse_short_integer(text.data(), text.size(), value)) [[unlikely]] {
      if (is_null(reader, text)) {
        if (!reader.field.type.nullable) return false;
        out[row] = 0;
        builder.set_null(first + row);
        continue;
      }
      if (read_integer(text, value) != TextError::kNone) return false;
    }
    out[row] = static_cast<T>(value);
    if (out[row] != value) [[unlikely]]
      return false;
  }
  return true;
}

bool CsvColumns::append_timestamps(std::size_t column, const CsvRows& rows,
                                   ColumnBuilder& builder) {
  Reader& reader = readers_[column];
  const std::size_t first = builder.size();
  auto* out = builder.extend<std::int64_t>(rows.rows);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::string_view text = rows.field(row, column);
    out[row] = 0;
    if (reader.text.timestamps().parse(text, out[row]) == TextError::kNone) [[likely]]
      continue;
    if (!is_null(reader, text) || !reader.field.type.nullable) return false;
    builder.set_null(first + row);
  }
  return true;
}

bool CsvColumns::append_strings(std::size_t column, const CsvRows& rows, ColumnBuilder& builder) {
  const Reader& reader = readers_[column];
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::string_view text = rows.field(row, column);
    if (null_literal_ && text == *null_literal_) {
      if (!reader.field.type.nullable) return false;
      builder.append_null();
    } else {
      builder.append_string(text);
    }
  }
  return true;
}

bool CsvColumns::append_others(std::size_t column, const CsvRows& rows, ColumnBuilder& builder) {
  Reader& reader = readers_[column];
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::string_view text = rows.field(row, column);
    if (is_null(reader, text)) {
      if (!reader.field.type.nullable) return false;
      builder.append_null();
    } else if (reader.text.append(builder, text) != TextError::kNone) {
      return false;
    }
  }
  return true;
}

}  // namespace tidemark
