// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/data/buffer.h"
#include "tidemark/format/csv_options.h"

namespace tidemark {

/// Splits one CSV record into its fields, a character at a time where it must: RFC 4180 with
/// quotes, doubled quotes and line breaks in quotes, and Flink's escape character. One thread.
class CsvRecordSplitter {
 public:
  explicit CsvRecordSplitter(const CsvOptions& options);

  struct Field {
    std::string_view text;  // readable for 64 bytes past its end
    std::string_view raw;   // as it stands in the input, without its quotes
    bool quoted;
  };

  enum class Outcome : std::uint8_t {
    kRecord,
    kIncomplete,  // the input ends within the record
    kUnclosed,    // it ends within a quoted field
    kBadQuote,    // something follows a closing quote
  };

  /// Splits the record at the front of `input`. `at_end`: the end of the input ends the record.
  Outcome split(std::string_view input, bool at_end);

  /// Of the last record: its fields, valid until the next split.
  const std::vector<Field>& fields() const noexcept { return fields_; }
  /// Its length with its line end; after kUnclosed and kBadQuote, where the opening quote of the
  /// field in question stands.
  std::size_t size() const noexcept { return size_; }
  /// After kUnclosed and kBadQuote: the number of that field, from 0.
  std::size_t bad_field() const noexcept { return bad_field_; }

 private:
  struct Span {
    std::size_t begin;
    std::size_t end;
    bool quoted;
    bool unescaped;  // the text is within unescaped_, not the input
    std::size_t unescaped_begin;
    std::size_t unescaped_end;
  };
  enum class FieldEnd : std::uint8_t { kDelimiter, kLine, kInput, kUnclosed, kBadQuote };

  FieldEnd scan_plain(std::string_view input, std::size_t& at);
  FieldEnd scan_quoted(std::string_view input, bool at_end, std::size_t& at);
  FieldEnd after_quote(std::string_view input, bool at_end, std::size_t& at) const;
  bool is_escape(char c) const noexcept { return has_escape_ && c == escape_; }
  void append_unescaped(std::string_view bytes);
  void resolve(std::string_view input);

  char delimiter_;
  char quote_;
  char escape_;
  bool has_quote_;
  bool has_escape_;
  std::size_t size_ = 0;
  std::size_t bad_field_ = 0;
  std::vector<Span> spans_;
  std::vector<Field> fields_;
  Buffer unescaped_;
};

}  // namespace tidemark
