// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/data/column.h"
#include "tidemark/data/schema.h"
#include "tidemark/expr/time_zone.h"
#include "tidemark/format/csv_options.h"
#include "tidemark/format/csv_record.h"
#include "tidemark/format/text_value.h"

namespace tidemark {

/// Consecutive records without quotes, each with the right number of fields, as an index of where
/// the fields end.
struct CsvRows {
  const char* text;
  const std::uint32_t* marks;  // CsvIndex::marks()
  std::size_t fields;
  std::size_t rows;

  std::string_view field(std::size_t row, std::size_t column) const noexcept {
    const std::uint32_t* mark = marks + row * fields + column;
    const std::uint32_t begin = mark[-1] + 1;
    std::uint32_t end = *mark;
    if (column + 1 == fields && end > begin && text[end - 1] == '\r') --end;
    return {text + begin, end - begin};
  }
};

/// Turns the text of CSV fields into the columns of a schema: types, NULLs, and what is wrong.
class CsvColumns {
 public:
  CsvColumns(const Schema& schema, const CsvOptions& options, const TimeZone& zone);

  /// Appends column `column` of all rows. False when a value is none: the builder then holds a part
  /// of them, and append() says what is wrong with the record in question.
  bool append_rows(std::size_t column, const CsvRows& rows, ColumnBuilder& builder);

  /// Appends one value. Returns what is wrong, in words, or an empty string.
  std::string append(std::size_t column, const CsvRecordSplitter::Field& field,
                     ColumnBuilder& builder);
  /// Appends NULL for a field that the record does not have.
  std::string append_missing(std::size_t column, ColumnBuilder& builder);

 private:
  struct Reader {
    Field field;
    TextReader text;
  };

  // Of a field without quotes, as it stands in the input.
  bool is_null(const Reader& reader, std::string_view raw) const noexcept;
  std::string append_null(const Reader& reader, std::string_view text,
                          ColumnBuilder& builder) const;
  template <typename T>
  bool append_integers(std::size_t column, const CsvRows& rows, ColumnBuilder& builder);
  bool append_timestamps(std::size_t column, const CsvRows& rows, ColumnBuilder& builder);
  bool append_strings(std::size_t column, const CsvRows& rows, ColumnBuilder& builder);
  bool append_others(std::size_t column, const CsvRows& rows, ColumnBuilder& builder);

  std::optional<std::string> null_literal_;
  bool ignore_errors_;
  std::vector<Reader> readers_;
};

}  // namespace tidemark
