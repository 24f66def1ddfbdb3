// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_columns.h"

#include "tidemark/format/json_value.h"

namespace tidemark {

JsonColumns::JsonColumns(const Schema& schema, const JsonOptions& options, const TimeZone& zone)
    : fail_on_missing_(options.fail_on_missing_field) {
  readers_.reserve(schema.size());
  for (const Field& field : schema.fields)
    readers_.push_back({field, TextReader(field.type, options.standard, zone)});
  for (std::size_t i = 0; i < readers_.size(); ++i) by_name_.emplace(readers_[i].field.name, i);
}

std::size_t JsonColumns::find(std::string_view key, std::size_t expected) const {
  if (expected < readers_.size() && readers_[expected].field.name == key) return expected;
  const auto found = by_name_.find(key);
  return found == by_name_.end() ? kNoColumn : found->second;
}

TextError JsonColumns::append_string(std::size_t column, std::string_view text,
                                     ColumnBuilder& builder) {
  return readers_[column].text.append(builder, text);
}

TextError JsonColumns::append_number(std::size_t column, std::string_view token,
                                     ColumnBuilder& builder) {
  Reader& reader = readers_[column];
  return append_json_number(reader.text, reader.field.type, builder, token);
}

TextError JsonColumns::append_boolean(std::size_t column, bool value, ColumnBuilder& builder) {
  const TypeKind kind = readers_[column].field.type.kind;
  if (kind == TypeKind::kBoolean) {
    builder.append(static_cast<std::uint8_t>(value));
  } else if (kind == TypeKind::kString) {
    builder.append_string(value ? "true" : "false");
  } else {
    return TextError::kMalformed;
  }
  return TextError::kNone;
}

}  // namespace tidemark
