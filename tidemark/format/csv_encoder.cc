// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_encoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark {

CsvEncoder::CsvEncoder(const CsvOptions& options)
    : options_(options),
      style_{.separator = ' ', .plain_decimals = options.plain_decimals},
      null_text_(options.null_literal.value_or("")) {
  const auto mark = [&](char c) { special_[static_cast<unsigned char>(c)] = true; };
  mark(options_.delimiter);
  mark('\n');
  mark('\r');
  if (options_.quote) mark(*options_.quote);
  if (options_.escape) mark(*options_.escape);
}

void CsvEncoder::encode(const Batch& batch, std::string& out) {
  const std::size_t columns = batch.columns().size();
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (i > 0) out += options_.delimiter;
      append_field(batch.column(i), row, i == 0, out);
    }
    out += '\n';
  }
}

void CsvEncoder::append_field(const Column& column, std::size_t row, bool first, std::string& out) {
  if (column.is_null(row)) {
    out += null_text_;
    return;
  }
  if (column.kind() == TypeKind::kString) return append_string(column.string(row), first, out);
  // Other values may hold the delimiter (a ':' or '-'), or read as the NULL literal.
  const std::size_t begin = out.size();
  append_text(out, column, row, style_);
  const std::string_view written(out.data() + begin, out.size() - begin);
  const bool plain = std::none_of(written.begin(), written.end(),
                                  [&](char c) { return special_[static_cast<unsigned char>(c)]; });
  const bool reads_as_null = written == null_text_ || written.empty();
  if (plain && !reads_as_null) return;
  const std::string text(written);
  out.resize(begin);
  if (options_.quote) {
    append_quoted(text, out);
  } else {
    append_escaped(text, first, out);
  }
}

bool CsvEncoder::needs_quotes(std::string_view text, bool first) const {
  if (options_.null_literal && text == null_text_) return true;
  if (first && !text.empty() && (text[0] == '#' || text[0] == '\xef')) return true;
  return std::any_of(text.begin(), text.end(),
                     [&](char c) { return special_[static_cast<unsigned char>(c)]; });
}

void CsvEncoder::append_string(std::string_view text, bool first, std::string& out) const {
  if (!needs_quotes(text, first)) {
    out += text;
  } else if (options_.quote) {
    append_quoted(text, out);
  } else {
    append_escaped(text, first, out);
  }
}

void CsvEncoder::append_quoted(std::string_view text, std::string& out) const {
  const char quote = *options_.quote;
  out += quote;
  for (const char c : text) {
    if (c == quote) out += quote;
    if (options_.escape && c == *options_.escape) out += c;
    out += c;
  }
  out += quote;
}

// Without quotes only the escape character can keep a delimiter from ending the field.
void CsvEncoder::append_escaped(std::string_view text, bool first, std::string& out) const {
  const auto refuse = [&](std::string_view why) {
    throw Failure(ErrorCode::kInvalidRecord,
                  fmt::format("csv: cannot write {}: {}", quote_for_message(text), why),
                  /*retryable=*/false);
  };
  const std::size_t begin = out.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool comment = first && i == 0 && c == '#' && options_.allow_comments;
    if (!comment && !special_[static_cast<unsigned char>(c)]) {
      out += c;
      continue;
    }
    if (!options_.escape)
      refuse(
          "it needs quotes, which csv.disable-quote-character forbids; set "
          "csv.escape-character");
    out += *options_.escape;
    out += c == '\n' ? 'n' : c == '\r' ? 'r' : c;
  }
  if (std::string_view(out).substr(begin) == null_text_)
    refuse(
        "without quotes it cannot be told from NULL; set another csv.null-literal or allow the "
        "quote character");
}

}  // namespace tidemark
