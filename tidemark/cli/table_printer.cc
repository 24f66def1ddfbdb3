// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/table_printer.h"

#include <algorithm>

#include "tidemark/data/value.h"

namespace tidemark {
namespace {

constexpr std::size_t kTextWidthMax = 40;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Characters as a terminal counts them, for text without wide or combining characters.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string cut(std::string text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end)
    if (!is_continuation(text[end]) && ++characters == width) break;
  return text.substr(0, end) + "…";
}

// Control characters would break the table's lines.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

// Room for the usual values of a type, so that later rows rarely exceed the first.
std::size_t usual_width(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kTimestamp: return type.precision == 0 ? 19 : 20u + type.precision;
    case TypeKind::kTimestampLtz: return type.precision == 0 ? 20 : 21u + type.precision;
    case TypeKind::kDate: return 10;
    case TypeKind::kTime: return 8;
    case TypeKind::kDouble: return 12;
    case TypeKind::kInt:
    case TypeKind::kBigInt: return 8;
    default: return 5;
  }
}

bool aligned_right(const DataType& type) {
  return is_numeric(type.kind);
}

std::string pad(const std::string& text, std::size_t width, bool right) {
  const std::size_t used = width_of(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string_view kind_text(RowKind kind) {
  switch (kind) {
    case RowKind::kInsert: return "+I";
    case RowKind::kUpdateBefore: return "-U";
    case RowKind::kUpdateAfter: return "+U";
    case RowKind::kDelete: return "-D";
  }
  return "?";
}

}  // namespace

TablePrinter::TablePrinter(std::ostream& out, SchemaPtr schema)
    : out_(out), schema_(std::move(schema)) {}

void TablePrinter::print(const Batch& batch) {
  if (widths_.empty()) {
    changelog_ = batch.row_kinds() != nullptr;
    choose_widths(&batch);
  }
  for (std::size_t row = 0; row < batch.rows(); ++row) print_cells(cells_of(batch, row));
  rows_ += batch.rows();
  out_.flush();
}

void TablePrinter::finish() {
  if (widths_.empty()) choose_widths(nullptr);
  print_rule();
  out_ << rows_ << (rows_ == 1 ? " row\n" : " rows\n");
  out_.flush();
}

void TablePrinter::choose_widths(const Batch* first) {
  std::vector<std::string> header;
  if (changelog_) header.push_back("op");
  for (const Field& field : schema_->fields) header.push_back(field.name);
  for (const std::string& name : header) widths_.push_back(width_of(name));
  const std::size_t shift = changelog_ ? 1 : 0;
  for (std::size_t i = 0; i < schema_->size(); ++i)
    widths_[i + shift] = std::max(widths_[i + shift], usual_width(schema_->fields[i].type));
  for (std::size_t row = 0; first && row < first->rows(); ++row) {
    const std::vector<std::string> cells = cells_of(*first, row);
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths_[i] = std::max(widths_[i], std::min(width_of(cells[i]), kTextWidthMax));
  }
  print_rule();
  print_cells(header);
  print_rule();
}

void TablePrinter::print_rule() {
  for (const std::size_t width : widths_) out_ << '+' << std::string(width + 2, '-');
  out_ << "+\n";
}

void TablePrinter::print_cells(const std::vector<std::string>& cells) {
  const std::size_t shift = changelog_ ? 1 : 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool right = i >= shift && aligned_right(schema_->fields[i - shift].type);
    out_ << "| " << pad(right ? cells[i] : cut(cells[i], widths_[i]), widths_[i], right) << ' ';
  }
  out_ << "|\n";
}

std::vector<std::string> TablePrinter::cells_of(const Batch& batch, std::size_t row) const {
  std::vector<std::string> cells;
  if (changelog_) {
    const RowKind kind =
        batch.row_kinds() ? static_cast<RowKind>(batch.row_kinds()[row]) : RowKind::kInsert;
    cells.emplace_back(kind_text(kind));
  }
  for (const ColumnPtr& column : batch.columns())
    cells.push_back(printable(to_string(value_at(*column, row))));
  return cells;
}

}  // namespace tidemark
