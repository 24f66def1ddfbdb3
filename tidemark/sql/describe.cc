// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/describe.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::sql {
namespace {

using Row = std::vector<std::string>;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

/// A box around left-padded cells, and the number of rows below it.
std::string boxed(const Row& heading, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    std::size_t width = characters(heading[i]);
    for (const Row& row : rows) width = std::max(width, characters(row[i]));
    widths.push_back(width);
  }
  std::string line = "+";
  for (const std::size_t width : widths) line += std::string(width + 2, '-') + "+";
  line += "\n";
  const auto print = [&widths](const Row& row) {
    std::string text = "|";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += std::string(widths[i] - characters(row[i]) + 1, ' ') + row[i] + " |";
    return text + "\n";
  };
  std::string text = line + print(heading) + line;
  for (const Row& row : rows) text += print(row);
  if (!rows.empty()) text += line;
  return text + fmt::format("{} row{} in set\n", rows.size(), rows.size() == 1 ? "" : "s");
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "`";
  for (const char c : name) {
    quoted += c;
    if (c == '`') quoted += c;
  }
  return quoted + "`";
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

std::string key_text(const Table& table) {
  std::string names;
  for (const std::size_t column : table.primary_key)
    names += (names.empty() ? "" : ", ") + table.physical->fields[column].name;
  return fmt::format("PRI({})", names);
}

const Row kColumnHeading = {"name", "type", "null", "key", "extras", "watermark"};

std::string shown_type(const DataType& type) {
  return to_string(type.with_nullable(true));
}
std::string shown_null(const DataType& type) {
  return type.nullable ? "TRUE" : "FALSE";
}

}  // namespace

std::string describe_names(std::string_view heading, const std::vector<std::string>& names) {
  std::vector<Row> rows;
  for (const std::string& name : names) rows.push_back({name});
  return boxed({std::string(heading)}, rows);
}

std::string describe_options(const OptionMap& options) {
  std::vector<Row> rows;
  for (const auto& [key, value] : options) rows.push_back({key, value});
  return boxed({"key", "value"}, rows);
}

std::string describe_table(const Table& table) {
  std::vector<Row> rows;
  for (const std::size_t index : table.declared) {
    const Field& field = table.column(index);
    const bool computed = index >= table.physical->size();
    const bool is_key = std::count(table.primary_key.begin(), table.primary_key.end(), index) != 0;
    const bool is_rowtime = table.rowtime == index;
    rows.push_back({field.name, shown_type(field.type) + (is_rowtime ? " *ROWTIME*" : ""),
                    shown_null(field.type), is_key ? key_text(table) : "",
                    computed ? "AS " + table.computed_texts[index - table.physical->size()] : "",
                    is_rowtime ? table.watermark_text : ""});
  }
  return boxed(kColumnHeading, rows);
}

std::string describe_view(const Relation& relation) {
  std::vector<Row> rows;
  for (const RelationColumn& column : relation.columns)
    rows.push_back({column.name,
                    shown_type(column.type) + (is_rowtime(column.role) ? " *ROWTIME*" : ""),
                    shown_null(column.type), "", "", ""});
  return boxed(kColumnHeading, rows);
}

std::string create_statement(const Table& table, const SourceText& source) {
  static_cast<void>(source);
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < table.declared.size(); ++i) {
    const std::size_t index = table.declared[i];
    const Field& field = table.column(index);
    std::string element = quoted_name(field.name) + " ";
    element += index < table.physical->size()
                   ? to_string(field.type)
                   : "AS " + table.computed_texts[index - table.physical->size()];
    if (!table.comments[i].empty()) element += " COMMENT " + quoted_text(table.comments[i]);
    elements.push_back(std::move(element));
  }
  if (table.rowtime)
    elements.push_back(fmt::format("WATERMARK FOR {} AS {}",
                                   quoted_name(table.column(*table.rowtime).name),
                                   table.watermark_text));
  if (!table.primary_key.empty()) {
    std::vector<std::string> names;
    for (const std::size_t column : table.primary_key)
      names.push_back(quoted_name(table.physical->fields[column].name));
    elements.push_back(fmt::format("PRIMARY KEY ({}) NOT ENFORCED", fmt::join(names, ", ")));
  }
  std::vector<std::string> options;
  for (const auto& [key, value] : table.options)
    options.push_back(fmt::format("{} = {}", quoted_text(key), quoted_text(value)));
  std::string text =
      fmt::format("CREATE {}TABLE {} (\n  {}\n)", table.temporary ? "TEMPORARY " : "",
                  quoted_name(table.name), fmt::join(elements, ",\n  "));
  if (!options.empty()) text += fmt::format(" WITH (\n  {}\n)", fmt::join(options, ",\n  "));
  return text + "\n";
}

std::string create_statement(const View& view, const SourceText& source) {
  std::string columns;
  for (const ast::Name& name : view.columns)
    columns += (columns.empty() ? " (" : ", ") + quoted_name(name.text);
  if (!columns.empty()) columns += ")";
  return fmt::format("CREATE {}VIEW {}{} AS\n{}\n", view.temporary ? "TEMPORARY " : "",
                     quoted_name(view.name), columns, source.slice(view.query->span));
}

}  // namespace tidemark::sql
