// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tidemark/format/utf8.h"

namespace tidemark {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kSmallBlock = 512;
constexpr std::size_t kLargeBlock = 64 * 1024;

char special_a(const CsvOptions& options) {
  return options.quote ? *options.quote : options.escape.value_or('\n');
}
char special_b(const CsvOptions& options) {
  return options.escape.value_or(special_a(options));
}

// A NULL literal that reads as a value ('0', 'false') must be looked for before the value is
// parsed, which the column-wise path does not do.
bool reads_as_value(const std::optional<std::string>& literal) {
  if (!literal || literal->empty()) return false;
  const char first = (*literal)[0];
  return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' ||
         trim_text(*literal) != *literal;
}

std::size_t find_line_feed(std::string_view text, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* found = std::memchr(text.data() + from, '\n', text.size() - from);
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data())
               : std::string_view::npos;
}

}  // namespace

// One call of decode().
struct CsvDecoder::Call {
  std::string_view input;
  bool at_end;
  std::size_t rows_end;    // stop at this many rows in the builders
  std::size_t errors_end;  // or this many errors
  std::span<ColumnBuilder> columns;
  std::vector<FormatError>& errors;
  std::size_t at = 0;
  std::size_t singly_until = 0;  // records before this go one at a time
  bool inside_record = false;

  bool go_on() const {
    return at < input.size() && columns[0].size() < rows_end && errors.size() < errors_end &&
           !inside_record;
  }
  void truncate(std::size_t rows) {
    for (ColumnBuilder& column : columns)
      if (column.size() > rows) column.truncate(rows);
  }
};

CsvDecoder::CsvDecoder(SchemaPtr schema, const CsvOptions& options, TimeZone zone)
    : schema_(std::move(schema)),
      options_(options),
      columns_(*schema_, options_, zone),
      index_(options_.delimiter, special_a(options_), special_b(options_)),
      splitter_(options_),
      plain_possible_(!reads_as_value(options_.null_literal)),
      has_strings_(std::any_of(schema_->fields.begin(), schema_->fields.end(),
                               [](const Field& f) { return f.type.kind == TypeKind::kString; })),
      block_bytes_(kLargeBlock) {}

Decoder::Consumed CsvDecoder::decode(std::string_view input, bool at_start, bool at_end,
                                     std::size_t rows_max, std::span<ColumnBuilder> columns,
                                     std::vector<FormatError>& errors) {
  const std::size_t rows_before = columns[0].size();
  Call call{input, at_end, rows_before + rows_max, errors.size() + rows_max, columns, errors};
  const std::size_t errors_before = errors.size();
  if (at_start && !skip_front(call)) return {};
  const std::size_t front = call.at;
  while (call.go_on()) {
    const bool singly = call.at < call.singly_until || !plain_possible_;
    if (!singly && decode_stretch(call)) continue;
    if (!decode_record(call)) break;
  }
  if (at_start && !options_.ignore_first_line && errors.size() > errors_before)
    suspect_header(errors[errors_before], front, input);
  return {call.at, columns[0].size() - rows_before, call.inside_record};
}

// The first line of a file is a header when its first field is the name of the first column.
void CsvDecoder::suspect_header(FormatError& error, std::size_t front,
                                std::string_view input) const {
  if (error.offset != front) return;
  std::string_view field = input.substr(error.offset, error.length);
  field = field.substr(0, field.find_first_of(std::string{options_.delimiter, '\r', '\n'}));
  if (field.size() > 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  if (field == schema_->fields[0].name)
    error.reason += "; a header line is left out with 'csv.ignore-first-line' = 'true'";
}

// Passes the byte-order mark and the header line; false when they are not there as a whole yet.
bool CsvDecoder::skip_front(Call& call) {
  std::size_t at = 0;
  if (call.input.starts_with(kByteOrderMark)) {
    at = kByteOrderMark.size();
  } else if (!call.at_end && kByteOrderMark.starts_with(call.input)) {
    return false;
  }
  if (options_.ignore_first_line) {
    const std::string_view rest = call.input.substr(at);
    const std::size_t limit = std::min(rest.size(), options_.record_bytes_max);
    const auto outcome =
        splitter_.split(rest.substr(0, limit), call.at_end && limit == rest.size());
    if (outcome == CsvRecordSplitter::Outcome::kRecord) {
      at += splitter_.size();
    } else {
      const std::size_t line_feed = find_line_feed(rest, 0);
      const bool enough = call.at_end || rest.size() > options_.record_bytes_max;
      if (!enough) return false;
      call.inside_record = line_feed == std::string_view::npos && !call.at_end;
      at = line_feed == std::string_view::npos ? call.input.size() : at + line_feed + 1;
    }
  }
  call.at = at;
  return true;
}

std::size_t CsvDecoder::count_plain_rows(const char* text, std::size_t rows_max) const {
  const std::size_t fields = schema_->size();
  const std::uint32_t* mark = index_.marks();
  const std::size_t candidates = std::min(rows_max, index_.count() / fields);
  for (std::size_t row = 0; row < candidates; ++row, mark += fields) {
    const std::uint32_t begin = mark[-1] + 1;
    bool plain = text[mark[fields - 1]] == '\n';
    for (std::size_t i = 0; i + 1 < fields; ++i) plain &= text[mark[i]] != '\n';
    plain &= mark[fields - 1] - begin < options_.record_bytes_max;
    plain &= !options_.allow_comments || text[begin] != '#';
    if (!plain) return row;
  }
  return candidates;
}

// Decodes the records up to the first that is not plain; false when that is the next one.
bool CsvDecoder::decode_stretch(Call& call) {
  const std::size_t rows_before = call.columns[0].size();
  const std::size_t rows_max = call.rows_end - rows_before;
  const std::size_t block = std::min(block_bytes_, call.input.size() - call.at);
  const char* text = call.input.data() + call.at;
  index_.build(text, block, rows_max * schema_->size());
  const std::size_t rows = count_plain_rows(text, rows_max);
  if (rows == 0) {
    const bool longer_than_block =
        !index_.at_special() && block == block_bytes_ && index_.count() < schema_->size();
    block_bytes_ = longer_than_block ? std::min(block_bytes_ * 4, kLargeBlock) : kSmallBlock;
    return false;
  }
  block_bytes_ = std::min(block_bytes_ * 4, kLargeBlock);

  const CsvRows plain{text, index_.marks(), schema_->size(), rows};
  const std::size_t bytes = index_.marks()[rows * schema_->size() - 1] + std::size_t{1};
  bool good = !has_strings_ || is_valid_utf8({text, bytes});
  for (std::size_t column = 0; good && column < call.columns.size(); ++column)
    good = columns_.append_rows(column, plain, call.columns[column]);
  if (!good) {
    call.truncate(rows_before);
    call.singly_until = call.at + bytes;
    return false;
  }
  call.at += bytes;
  return true;
}

// Decodes or rejects the next record; false when more input is needed to tell.
bool CsvDecoder::decode_record(Call& call) {
  const std::string_view rest = call.input.substr(call.at);
  if (options_.allow_comments && rest[0] == '#') return skip_comment(call, rest);
  const bool cut = rest.size() > options_.record_bytes_max;
  const auto outcome =
      splitter_.split(rest.substr(0, options_.record_bytes_max), call.at_end && !cut);
  const bool decided = cut || call.at_end;
  switch (outcome) {
    case CsvRecordSplitter::Outcome::kRecord: append_record(call); return true;
    case CsvRecordSplitter::Outcome::kIncomplete:
      if (!decided) return false;
      return reject_line(call, 0,
                         fmt::format("record is longer than {} bytes (csv.max-record-bytes)",
                                     options_.record_bytes_max));
    case CsvRecordSplitter::Outcome::kUnclosed:
      if (!decided) return false;
      return reject_line(
          call, splitter_.size(),
          fmt::format(
              "{}: the quote is not closed within {}", describe_column(splitter_.bad_field()),
              cut ? fmt::format("{} bytes (csv.max-record-bytes)", options_.record_bytes_max)
                  : "the file"));
    case CsvRecordSplitter::Outcome::kBadQuote:
      return reject_line(call, splitter_.size(),
                         fmt::format("{}: text after the closing quote; a quote within a quoted "
                                     "field is written twice",
                                     describe_column(splitter_.bad_field())));
  }
  return false;
}

bool CsvDecoder::skip_comment(Call& call, std::string_view rest) {
  const std::size_t line_feed = find_line_feed(rest, 0);
  if (line_feed != std::string_view::npos) {
    call.at += line_feed + 1;
    return true;
  }
  if (!call.at_end && rest.size() <= options_.record_bytes_max) return false;
  call.inside_record = !call.at_end;
  call.at = call.input.size();
  return true;
}

// A record whose end cannot be told by its quotes ends with its line: the first line feed at or
// behind `from`. So a quote that is never closed costs one line, not the rest of the file.
bool CsvDecoder::reject_line(Call& call, std::size_t from, std::string reason) {
  const std::string_view rest = call.input.substr(call.at);
  const std::size_t line_feed = find_line_feed(rest, from);
  std::size_t length = rest.size();
  if (line_feed != std::string_view::npos) {
    length = line_feed + 1;
  } else if (!call.at_end) {
    if (rest.size() <= options_.record_bytes_max) return false;
    call.inside_record = true;
  }
  call.errors.push_back({call.at, std::min(length, options_.record_bytes_max), std::move(reason)});
  call.at += length;
  return true;
}

void CsvDecoder::append_record(Call& call) {
  const std::size_t rows_before = call.columns[0].size();
  std::string reason = append_fields(call);
  if (!reason.empty()) {
    call.truncate(rows_before);
    call.errors.push_back({call.at, splitter_.size(), std::move(reason)});
  }
  call.at += splitter_.size();
}

std::string CsvDecoder::append_fields(Call& call) {
  const auto& fields = splitter_.fields();
  const std::size_t wanted = schema_->size();
  const bool blank = fields.size() == 1 && fields[0].text.empty() && !fields[0].quoted;
  if (blank && wanted > 1) return {};  // an empty line holds no data
  if (fields.size() != wanted && !options_.ignore_parse_errors)
    return fmt::format("record has {} field{}, the table has {} column{}", fields.size(),
                       fields.size() == 1 ? "" : "s", wanted, wanted == 1 ? "" : "s");
  for (std::size_t column = 0; column < wanted; ++column) {
    std::string reason = column < fields.size()
                             ? columns_.append(column, fields[column], call.columns[column])
                             : columns_.append_missing(column, call.columns[column]);
    if (!reason.empty()) return reason;
  }
  return {};
}

std::string CsvDecoder::describe_column(std::size_t column) const {
  return column < schema_->size() ? describe(schema_->fields[column])
                                  : fmt::format("field {}", column + 1);
}

}  // namespace tidemark
