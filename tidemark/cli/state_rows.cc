// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/state_rows.h"

#include <fmt/format.h>

#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

constexpr std::size_t kShownValueBytes = 24;

std::vector<DataType> key_types(const Schema& schema) {
  std::vector<DataType> types;
  for (std::size_t i = 0; i + StateRows::kValueColumns < schema.size(); ++i)
    types.push_back(schema.fields[i].type);
  return types;
}

std::vector<std::size_t> first_columns(std::size_t count) {
  std::vector<std::size_t> columns(count);
  for (std::size_t i = 0; i < count; ++i) columns[i] = i;
  return columns;
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, kShownValueBytes))
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return bytes.size() > kShownValueBytes ? text + "…" : text;
}

/// The text between the first parenthesis and the one that closes it.
std::string_view in_parentheses(std::string_view text) {
  const std::size_t begin = text.find('(');
  if (begin == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return text.substr(begin + 1, at - begin - 1);
  }
  return {};
}

/// Splits at the commas that stand in no parentheses.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')') --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    std::string_view item = text.substr(begin, at - begin);
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (!item.empty()) items.push_back(item);
    begin = at + 1;
  }
  return items;
}

}  // namespace

std::string key_columns_of(const StateDescriptor& state) {
  if (!is_table(state)) return "";
  const std::vector<std::string_view> types = split_list(in_parentheses(state.schema));
  std::string columns;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string name = types.size() == 1 ? "key" : fmt::format("key{}", i + 1);
    columns += fmt::format("`{}` {}, ", name, types[i]);
  }
  return columns;
}

StateRows::StateRows(const StateDescriptor& state, SchemaPtr schema)
    : name_(state.name),
      schema_(std::move(schema)),
      codec_(first_columns(schema_->size() - kValueColumns), key_types(*schema_)) {}

void StateRows::read(const SnapshotReader& reader,
                     const std::function<bool(const BatchPtr&)>& use) {
  bool wanted = true;
  reader.read_keyed(name_, [&](KeyGroup, std::string_view block) {
    if (!wanted) return;
    TableBlockReader in(codec_.encoding(), block);
    while (in.left() > 0 && wanted) {
      KeyedEntry entry;
      const std::string_view value = in.next(entry);
      keys_.emplace_back(entry.variable_key);
      entries_.push_back(entry);
      namespaces_.push_back(in.header().ns);
      values_.push_back(hexadecimal(value));
      value_bytes_.push_back(static_cast<std::int32_t>(value.size()));
      if (entries_.size() == kDefaultBatchRows) wanted = use(make_batch());
    }
  });
  if (wanted && !entries_.empty()) use(make_batch());
}

BatchPtr StateRows::make_batch() {
  const std::size_t rows = entries_.size();
  for (std::size_t i = 0; i < rows; ++i) entries_[i].variable_key = keys_[i];
  std::vector<ColumnBuilder> keys;
  for (const DataType& type : codec_.types()) keys.emplace_back(type);
  codec_.decode(entries_, keys);
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& key : keys) columns.push_back(key.finish());

  const std::size_t first = columns.size();
  ColumnBuilder namespaces(schema_->fields[first].type);
  ColumnBuilder sizes(schema_->fields[first + 1].type);
  ColumnBuilder values(schema_->fields[first + 2].type);
  for (std::size_t i = 0; i < rows; ++i) {
    namespaces.append(namespaces_[i]);
    sizes.append(value_bytes_[i]);
    values.append_string(values_[i]);
  }
  columns.push_back(namespaces.finish());
  columns.push_back(sizes.finish());
  columns.push_back(values.finish());
  entries_.clear(), keys_.clear(), namespaces_.clear(), values_.clear(), value_bytes_.clear();
  return std::make_shared<const Batch>(schema_, rows, std::move(columns), nullptr);
}

}  // namespace tidemark
