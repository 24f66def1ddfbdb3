// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/data/value.h"
#include "tidemark/format/format.h"

// What the tests of the formats share: decoding a text that arrives in pieces.

namespace tidemark {

/// Rows as text, one string a row ("1|a,b|NULL"), and errors as "offset+length: reason".
struct Decoded {
  std::vector<std::string> rows;
  std::vector<std::string> errors;

  friend bool operator==(const Decoded&, const Decoded&) = default;
};

inline std::vector<std::string> rows_as_text(const Batch& batch) {
  std::vector<std::string> rows;
  for (const auto& row : to_rows(batch)) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "|" : "") + to_string(row[i]);
    rows.push_back(std::move(text));
  }
  return rows;
}

inline std::shared_ptr<const Format> format_of(const SchemaPtr& schema, OptionMap options,
                                               const std::string& zone = "UTC") {
  OptionReader reader("table 't'", options);
  auto format = make_format(schema, reader, zone);
  EXPECT_TRUE(format.ok()) << (format.ok() ? "" : format.error().message);
  const Status finished = reader.finish();
  EXPECT_TRUE(finished.ok()) << (finished.ok() ? "" : finished.error().message);
  return *format;
}

inline std::string format_error(const SchemaPtr& schema, OptionMap options) {
  OptionReader reader("table 't'", options);
  auto format = make_format(schema, reader, "UTC");
  if (!format.ok()) return format.error().message;
  const Status finished = reader.finish();
  return finished.ok() ? "" : finished.error().message;
}

/// Feeds `text` to a decoder as a reader does. At first the bytes before cuts[0] are there, then
/// those before cuts[1], and so on; at last all of them. Cuts ascend.
inline Decoded decode(const Format& format, const SchemaPtr& schema, const std::string& text,
                      std::vector<std::size_t> cuts = {}, std::size_t rows_max = 1024) {
  const std::unique_ptr<Decoder> decoder = format.make_decoder();
  std::vector<ColumnBuilder> builders;
  for (const Field& field : schema->fields) builders.emplace_back(field.type);
  cuts.push_back(text.size());
  Decoded result;
  std::size_t at = 0;
  bool skipping = false;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const bool at_end = i + 1 == cuts.size();
    for (;;) {
      // A copy of exactly what is there, so that a read behind the padding is found by the
      // sanitiser; the padding looks like more input and must not be taken for it.
      std::vector<char> piece(text.begin() + static_cast<std::ptrdiff_t>(at),
                              text.begin() + static_cast<std::ptrdiff_t>(std::max(cuts[i], at)));
      const std::size_t size = piece.size();
      piece.insert(piece.end(), 64, '7');
      if (skipping) {
        const auto* feed = static_cast<const char*>(std::memchr(piece.data(), '\n', size));
        at += feed ? static_cast<std::size_t>(feed - piece.data()) + 1 : size;
        skipping = feed == nullptr && !at_end;
        if (feed == nullptr) break;
        continue;
      }
      if (size == 0) break;
      std::vector<FormatError> errors;
      const auto consumed =
          decoder->decode({piece.data(), size}, at == 0, at_end, rows_max, builders, errors);
      for (const FormatError& error : errors)
        result.errors.push_back(std::to_string(at + error.offset) + "+" +
                                std::to_string(error.length) + ": " + error.reason);
      EXPECT_EQ(builders[0].size(), consumed.rows);
      EXPECT_LE(consumed.rows, rows_max);
      EXPECT_LE(consumed.bytes, size);
      std::vector<ColumnPtr> columns;
      for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
      const Batch batch(schema, consumed.rows, std::move(columns));
      for (std::string& row : rows_as_text(batch)) result.rows.push_back(std::move(row));
      at += consumed.bytes;
      skipping = consumed.inside_record;
      EXPECT_TRUE(consumed.bytes > 0 || !at_end) << "no progress at the end";
      if (consumed.bytes == 0) break;
    }
  }
  EXPECT_EQ(at, text.size());
  return result;
}

/// Encodes and decodes rows; for round trips.
inline std::string encode(const Format& format, const Batch& batch) {
  std::string out;
  format.make_encoder()->encode(batch, out);
  return out;
}

inline BatchPtr batch_of(const SchemaPtr& schema, const std::vector<std::vector<Value>>& rows) {
  std::vector<ColumnPtr> columns;
  for (std::size_t i = 0; i < schema->size(); ++i) {
    ColumnBuilder builder(schema->fields[i].type);
    for (const auto& row : rows) append_value(builder, row[i]);
    columns.push_back(builder.finish());
  }
  return std::make_shared<const Batch>(schema, rows.size(), std::move(columns));
}

}  // namespace tidemark
