// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tidemark/expr/evaluator.h"

namespace tidemark {

/// Ascending by row, at most one a row: the first that was found stays.
void sort_row_errors(std::vector<RowError>& errors);
/// Adds errors to a sorted list.
void merge_row_errors(std::vector<RowError>& into, std::vector<RowError> more);

}  // namespace tidemark
