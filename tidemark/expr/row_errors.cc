// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/row_errors.h"

#include <algorithm>
#include <iterator>

namespace tidemark {

void sort_row_errors(std::vector<RowError>& errors) {
  const auto by_row = [](const RowError& a, const RowError& b) { return a.row < b.row; };
  const auto same_row = [](const RowError& a, const RowError& b) { return a.row == b.row; };
  std::stable_sort(errors.begin(), errors.end(), by_row);
  errors.erase(std::unique(errors.begin(), errors.end(), same_row), errors.end());
}

void merge_row_errors(std::vector<RowError>& into, std::vector<RowError> more) {
  if (more.empty()) return;
  into.insert(into.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  sort_row_errors(into);
}

}  // namespace tidemark
