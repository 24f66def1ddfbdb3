// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "tidemark/data/batch.h"

namespace tidemark {

/// Draws rows as a table that can grow: the widths are chosen from the header and the first rows,
/// so that nothing printed has to move. Longer text is cut with "…"; a longer number is printed
/// whole. A column `op` (+I, -U, +U, -D) is shown when the rows are a changelog. One thread at a
/// time.
class TablePrinter {
 public:
  TablePrinter(std::ostream& out, SchemaPtr schema);

  /// Prints the header before the first rows.
  void print(const Batch& batch);
  /// Prints the closing line; without rows, the header too.
  void finish();

  std::size_t rows() const noexcept { return rows_; }

 private:
  void choose_widths(const Batch* first);
  void print_rule();
  void print_cells(const std::vector<std::string>& cells);
  std::vector<std::string> cells_of(const Batch& batch, std::size_t row) const;

  std::ostream& out_;
  SchemaPtr schema_;
  std::vector<std::size_t> widths_;
  bool changelog_ = false;
  std::size_t rows_ = 0;
};

}  // namespace tidemark
