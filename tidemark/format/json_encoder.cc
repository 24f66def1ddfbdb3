// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_encoder.h"

#include <fmt/format.h>

#include <cmath>

namespace tidemark {
namespace {

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
}

// Whether the value is written without quotes.
bool is_bare(const Column& column, std::size_t row) {
  switch (column.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
    case TypeKind::kDecimal: return true;
    // JSON has no number for NaN and the infinities.
    case TypeKind::kFloat: return std::isfinite(column.value<float>(row));
    case TypeKind::kDouble: return std::isfinite(column.value<double>(row));
    default: return false;
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, copied, i - copied);
    append_escape(out, c);
    copied = i + 1;
  }
  out.append(text, copied);
  out += '"';
}

JsonEncoder::JsonEncoder(const SchemaPtr& schema, const JsonOptions& options)
    : options_(options),
      style_{.separator = options.standard == TimestampStandard::kIso8601 ? 'T' : ' ',
             .plain_decimals = options.plain_decimals} {
  for (const Field& field : schema->fields) {
    append_json_string(keys_.emplace_back(), field.name);
    keys_.back() += ':';
  }
}

void JsonEncoder::encode(const Batch& batch, std::string& out) {
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    char before = '{';
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Column& column = batch.column(i);
      if (options_.ignore_null_fields && column.is_null(row)) continue;
      out += before;
      before = ',';
      out += keys_[i];
      append_value(column, row, out);
    }
    out += before == '{' ? "{}\n" : "}\n";
  }
}

void JsonEncoder::append_value(const Column& column, std::size_t row, std::string& out) const {
  if (column.is_null(row)) {
    out += "null";
  } else if (column.kind() == TypeKind::kString) {
    append_json_string(out, column.string(row));
  } else if (is_bare(column, row)) {
    append_text(out, column, row, style_);
  } else {
    out += '"';
    append_text(out, column, row, style_);
    out += '"';
  }
}

}  // namespace tidemark
