// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_options.h"

#include <fmt/format.h>

#include <charconv>

namespace tidemark {
namespace {

// The escapes of Java's string literals that name one ASCII character.
std::string unescape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return std::string(text);
  if (text == "\\t") return "\t";
  if (text == "\\\\") return "\\";
  if (text.size() == 6 && text[1] == 'u') {
    unsigned code = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, code, 16);
    if (error == std::errc() && end == text.data() + 6 && code < 0x80)
      return std::string(1, static_cast<char>(code));
  }
  return std::string(text);
}

Result<char> single_character(OptionReader& options, std::string_view name,
                              std::string_view default_value) {
  const std::string given = options.optional(name, default_value);
  const std::string text = unescape(given);
  if (text.size() != 1 || static_cast<unsigned char>(text[0]) >= 0x80 || text[0] == '\n' ||
      text[0] == '\r')
    return options.wrong(name, "one ASCII character ('\\t' and '\\u0001' too) but no line end",
                         given);
  return text[0];
}

Status check_distinct(const OptionReader& options, const CsvOptions& csv) {
  if (csv.quote == csv.delimiter)
    return options.wrong("csv.quote-character", "another character than csv.field-delimiter",
                         std::string(1, csv.delimiter));
  if (csv.escape && (csv.escape == csv.delimiter || csv.escape == csv.quote))
    return options.wrong("csv.escape-character",
                         "another character than csv.field-delimiter and csv.quote-character",
                         std::string(1, *csv.escape));
  return {};
}

}  // namespace

Result<CsvOptions> read_csv_options(OptionReader& options) {
  CsvOptions csv;
  TIDEMARK_ASSIGN_OR_RETURN(csv.delimiter, single_character(options, "csv.field-delimiter", ","));
  TIDEMARK_ASSIGN_OR_RETURN(const char quote,
                            single_character(options, "csv.quote-character", "\""));
  TIDEMARK_ASSIGN_OR_RETURN(const bool no_quote,
                            options.boolean("csv.disable-quote-character", false));
  if (no_quote && options.has("csv.quote-character"))
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("{}: options 'csv.disable-quote-character' and 'csv.quote-character' "
                             "exclude each other; give one of them",
                             options.owner())};
  if (no_quote) {
    csv.quote.reset();
  } else {
    csv.quote = quote;
  }
  options.allow("csv.escape-character");
  if (options.has("csv.escape-character")) {
    TIDEMARK_ASSIGN_OR_RETURN(csv.escape, single_character(options, "csv.escape-character", ""));
  }
  options.allow("csv.null-literal");
  if (options.has("csv.null-literal")) csv.null_literal = options.optional("csv.null-literal", "");
  TIDEMARK_ASSIGN_OR_RETURN(csv.allow_comments, options.boolean("csv.allow-comments", false));
  TIDEMARK_ASSIGN_OR_RETURN(csv.ignore_parse_errors,
                            options.boolean("csv.ignore-parse-errors", false));
  TIDEMARK_ASSIGN_OR_RETURN(csv.ignore_first_line, options.boolean("csv.ignore-first-line", false));
  TIDEMARK_ASSIGN_OR_RETURN(const bool scientific,
                            options.boolean("csv.write-bigdecimal-in-scientific-notation", true));
  csv.plain_decimals = !scientific;
  TIDEMARK_ASSIGN_OR_RETURN(const std::uint64_t bytes_max,
                            options.memory_size("csv.max-record-bytes", csv.record_bytes_max));
  if (bytes_max < 1 || bytes_max > (1u << 30))
    return options.wrong("csv.max-record-bytes", "a size from 1 byte to 1 gb",
                         options.optional("csv.max-record-bytes", ""));
  csv.record_bytes_max = bytes_max;
  options.allow("csv.array-element-delimiter");
  if (options.has("csv.array-element-delimiter"))
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{}: option 'csv.array-element-delimiter' is for ARRAY and ROW columns, "
                    "which this version does not have; remove it",
                    options.owner())};
  TIDEMARK_TRY(check_distinct(options, csv));
  return csv;
}

}  // namespace tidemark
