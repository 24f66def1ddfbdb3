// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tidemark/format/json_columns.h"
#include "tidemark/format/json_layout.h"
#include "tidemark/format/json_value.h"

namespace tidemark {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kPadding = 64;
static_assert(kPadding >= simdjson::SIMDJSON_PADDING, "what Decoder::decode asks of its caller");

std::string_view trim_right(std::string_view token) noexcept {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

std::string describe_syntax(simdjson::error_code error) {
  return fmt::format("the line is not valid JSON: {}", simdjson::error_message(error));
}

class JsonDecoder final : public Decoder {
 public:
  JsonDecoder(SchemaPtr schema, const JsonOptions& options, const TimeZone& zone)
      : schema_(std::move(schema)),
        options_(options),
        columns_(*schema_, options, zone),
        seen_(schema_->size(), 0) {}

  Consumed decode(std::string_view input, bool at_start, bool at_end, std::size_t rows_max,
                  std::span<ColumnBuilder> columns, std::vector<FormatError>& errors) override;
  std::size_t record_bytes_max() const override { return options_.record_bytes_max; }

 private:
  struct FieldProblem {
    std::size_t column;
    std::string reason;
  };

  std::size_t decode_usual(std::string_view rest, bool at_end, std::span<ColumnBuilder> columns);
  std::string decode_line(std::string_view line, std::span<ColumnBuilder> columns);
  void truncate(std::span<ColumnBuilder> columns) const;
  std::string parse_line(std::string_view line, std::span<ColumnBuilder> columns);
  std::string parse_fields(ondemand::object& object, std::span<ColumnBuilder> columns);
  std::string parse_field(ondemand::field& field, std::size_t& expected,
                          std::span<ColumnBuilder> columns);
  std::string parse_value(ondemand::value& value, std::size_t column, ColumnBuilder& builder);
  std::string parse_nested(ondemand::value& value, bool is_object, std::size_t column,
                           ColumnBuilder& builder);
  std::string parse_bare(ondemand::value& value, std::size_t column, ColumnBuilder& builder);
  std::string finish_row(std::span<ColumnBuilder> columns);
  void note(std::size_t column, std::string_view text, TextError error, ColumnBuilder& builder);
  void append_null(std::size_t column, ColumnBuilder& builder);

  SchemaPtr schema_;
  JsonOptions options_;
  JsonColumns columns_;
  JsonLayout layout_;
  ondemand::parser parser_;
  simdjson::dom::parser checker_;  // of nested text that becomes a STRING
  std::string minified_;
  // Of the line at hand: where its row goes, which columns it has given, and what is wrong with
  // their values. A key may come again and then makes good, or spoils, what came before.
  std::size_t row_ = 0;
  std::uint64_t line_number_ = 0;
  std::vector<std::uint64_t> seen_;  // the last line that gave the column
  std::size_t seen_count_ = 0;
  std::vector<FieldProblem> problems_;
};

Decoder::Consumed JsonDecoder::decode(std::string_view input, bool at_start, bool at_end,
                                      std::size_t rows_max, std::span<ColumnBuilder> columns,
                                      std::vector<FormatError>& errors) {
  Consumed consumed;
  if (at_start) {
    if (input.starts_with(kByteOrderMark)) {
      consumed.bytes = kByteOrderMark.size();
    } else if (!at_end && kByteOrderMark.starts_with(input)) {
      return consumed;
    }
  }
  const std::size_t rows_before = columns[0].size();
  const std::size_t errors_end = errors.size() + rows_max;
  while (consumed.bytes < input.size() && columns[0].size() - rows_before < rows_max &&
         errors.size() < errors_end) {
    const std::string_view rest = input.substr(consumed.bytes);
    if (const std::size_t usual = decode_usual(rest, at_end, columns)) {
      consumed.bytes += usual;
      continue;
    }
    const void* found = std::memchr(rest.data(), '\n', rest.size());
    std::size_t length = rest.size();
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - rest.data()) + 1;
    } else if (!at_end) {
      if (rest.size() <= options_.record_bytes_max) break;
      consumed.inside_record = true;
    }
    std::string reason;
    if (length > options_.record_bytes_max) {
      reason = fmt::format("record is longer than {} bytes (json.max-record-bytes)",
                           options_.record_bytes_max);
    } else {
      reason = decode_line(trim_right(rest.substr(0, length)), columns);
    }
    if (!reason.empty())
      errors.push_back(
          {consumed.bytes, std::min(length, options_.record_bytes_max), std::move(reason)});
    consumed.bytes += length;
  }
  consumed.rows = columns[0].size() - rows_before;
  return consumed;
}

// Tries whether the next line is laid out like the last one; its length if so, or 0.
std::size_t JsonDecoder::decode_usual(std::string_view rest, bool at_end,
                                      std::span<ColumnBuilder> columns) {
  if (!layout_.worth_trying()) return 0;
  row_ = columns[0].size();
  const std::size_t length = layout_.decode(rest, at_end, columns_, columns);
  if (length > 0 && length <= options_.record_bytes_max) return length;
  truncate(columns);
  return 0;
}

// Appends the line's row; what is wrong with the line otherwise. A blank line is no record.
std::string JsonDecoder::decode_line(std::string_view line, std::span<ColumnBuilder> columns) {
  if (line.empty()) return {};
  row_ = columns[0].size();
  std::string reason = parse_line(line, columns);
  if (!reason.empty()) {
    truncate(columns);
  } else if (layout_.worth_learning()) {
    layout_.learn(line, columns_);
  }
  return reason;
}

void JsonDecoder::truncate(std::span<ColumnBuilder> columns) const {
  for (ColumnBuilder& column : columns)
    if (column.size() > row_) column.truncate(row_);
}

std::string JsonDecoder::parse_line(std::string_view line, std::span<ColumnBuilder> columns) {
  ++line_number_;
  seen_count_ = 0;
  problems_.clear();
  ondemand::document document;
  if (const auto error =
          parser_.iterate(line.data(), line.size(), line.size() + kPadding).get(document))
    return describe_syntax(error);
  ondemand::object object;
  if (const auto error = document.get_object().get(object))
    return error == simdjson::INCORRECT_TYPE ? "the line is not a JSON object"
                                             : describe_syntax(error);
  std::string reason = parse_fields(object, columns);
  if (!reason.empty()) return reason;
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return "the line is not valid JSON: text after the object";
  return finish_row(columns);
}

std::string JsonDecoder::parse_fields(ondemand::object& object, std::span<ColumnBuilder> columns) {
  std::size_t expected = 0;
  for (auto result : object) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field)) return describe_syntax(error);
    std::string reason = parse_field(field, expected, columns);
    if (!reason.empty()) return reason;
  }
  return {};
}

std::string JsonDecoder::parse_field(ondemand::field& field, std::size_t& expected,
                                     std::span<ColumnBuilder> columns) {
  const char* raw = field.key().raw();
  std::size_t length = 0;
  while (raw[length] != '"' && raw[length] != '\\') ++length;
  std::string_view key(raw, length);
  if (raw[length] == '\\')
    if (const auto error = field.unescaped_key().get(key)) return describe_syntax(error);
  const std::size_t column = columns_.find(key, expected);
  if (column == JsonColumns::kNoColumn) return {};
  expected = column + 1;
  ColumnBuilder& builder = columns[column];
  if (seen_[column] == line_number_) {
    if (builder.size() > row_) builder.truncate(row_);
    std::erase_if(problems_, [&](const FieldProblem& p) { return p.column == column; });
  } else {
    seen_[column] = line_number_;
    ++seen_count_;
  }
  return parse_value(field.value(), column, builder);
}

std::string JsonDecoder::parse_value(ondemand::value& value, std::size_t column,
                                     ColumnBuilder& builder) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return describe_syntax(error);
  switch (type) {
    case ondemand::json_type::string: {
      std::string_view text;
      if (const auto error = value.get_string().get(text)) return describe_syntax(error);
      note(column, text, columns_.append_string(column, text, builder), builder);
      return {};
    }
    case ondemand::json_type::object: return parse_nested(value, true, column, builder);
    case ondemand::json_type::array: return parse_nested(value, false, column, builder);
    default: return parse_bare(value, column, builder);
  }
}

// An object or array is the text of a STRING, and nothing that another type could hold.
std::string JsonDecoder::parse_nested(ondemand::value& value, bool is_object, std::size_t column,
                                      ColumnBuilder& builder) {
  std::string_view text;
  if (is_object) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return describe_syntax(error);
    if (const auto error = object.raw_json().get(text)) return describe_syntax(error);
  } else {
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return describe_syntax(error);
    if (const auto error = array.raw_json().get(text)) return describe_syntax(error);
  }
  if (columns_.field(column).type.kind != TypeKind::kString) {
    note(column, text, TextError::kMalformed, builder);
    return {};
  }
  // What was skipped over to find its end has not been checked yet.
  if (const auto error = checker_.parse(text.data(), text.size(), false).error())
    return describe_syntax(error);
  minified_.clear();
  append_minified(minified_, trim_right(text));
  builder.append_string(minified_);
  return {};
}

// A number, true, false or null.
std::string JsonDecoder::parse_bare(ondemand::value& value, std::size_t column,
                                    ColumnBuilder& builder) {
  const std::string_view token = trim_right(value.raw_json_token());
  if (token == "null") {
    append_null(column, builder);
    return {};
  }
  if (token == "true" || token == "false") {
    note(column, token, columns_.append_boolean(column, token == "true", builder), builder);
    return {};
  }
  if (!is_json_number(token))
    return fmt::format("{}: {} is no JSON value", describe(columns_.field(column)),
                       quote_for_message(token));
  note(column, token, columns_.append_number(column, token, builder), builder);
  return {};
}

void JsonDecoder::append_null(std::size_t column, ColumnBuilder& builder) {
  const Field& field = columns_.field(column);
  if (field.type.nullable) {
    builder.append_null();
  } else {
    problems_.push_back({column, fmt::format("{}: the value is NULL", describe(field))});
  }
}

// Takes down what is wrong with a value, or makes it NULL where the table wants it so.
void JsonDecoder::note(std::size_t column, std::string_view text, TextError error,
                       ColumnBuilder& builder) {
  if (error == TextError::kNone) return;
  const Field& field = columns_.field(column);
  if (options_.ignore_parse_errors && field.type.nullable) {
    builder.append_null();
  } else {
    problems_.push_back({column, describe(field, text, error)});
  }
}

std::string JsonDecoder::finish_row(std::span<ColumnBuilder> columns) {
  if (!problems_.empty()) return std::move(problems_.front().reason);
  if (seen_count_ == columns_.size()) return {};
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (seen_[column] == line_number_) continue;
    if (!columns_.may_be_missing(column))
      return fmt::format("{}: the line has no such key", describe(columns_.field(column)));
    columns[column].append_null();
  }
  return {};
}

}  // namespace

std::unique_ptr<Decoder> make_json_decoder(SchemaPtr schema, const JsonOptions& options,
                                           TimeZone zone) {
  return std::make_unique<JsonDecoder>(std::move(schema), options, zone);
}

}  // namespace tidemark
