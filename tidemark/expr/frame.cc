// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/frame.h"

namespace tidemark {

Frame::Frame(const Frame& parent, Selection positions)
    : batch_(parent.batch_), size_(positions.size()), all_(false) {
  rows_.reserve(size_);
  for (const RowIndex position : positions) rows_.push_back(parent.row(position));
  gathered_.resize(batch_.columns().size());
}

ColumnPtr Frame::column(std::size_t index) const {
  if (all_) return batch_.column_ptr(index);
  ColumnPtr& column = gathered_[index];
  if (column == nullptr) column = gather(batch_.column(index), rows_);
  return column;
}

}  // namespace tidemark
