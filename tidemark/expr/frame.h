// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tidemark/data/batch.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/kernel.h"

namespace tidemark {

/// The rows of a batch that an expression is evaluated for. Columns come out dense: for some rows
/// of the batch they are gathered, once each.
class Frame {
 public:
  /// All rows of a batch.
  explicit Frame(const Batch& batch) : batch_(batch), size_(batch.rows()) {}
  /// The rows of `parent` at positions `positions` (ascending), which outlive the frame.
  Frame(const Frame& parent, Selection positions);

  std::size_t size() const { return size_; }
  const Batch& batch() const { return batch_; }
  ColumnPtr column(std::size_t index) const;
  /// The row of the batch at position `i`.
  RowIndex row(std::size_t i) const { return all_ ? static_cast<RowIndex>(i) : rows_[i]; }

 private:
  const Batch& batch_;
  std::size_t size_;
  bool all_ = true;
  std::vector<RowIndex> rows_;
  mutable std::vector<ColumnPtr> gathered_;
};

/// What one evaluation of a tree collects: row errors, in the order they were found.
struct Run {
  const EvaluationContext& context;
  std::vector<RowError> errors;
};

/// A compiled expression. One thread.
class Node {
 public:
  virtual ~Node() = default;

  virtual Vector evaluate(const Frame& frame, Run& run) = 0;

  /// The column of one value that a literal is; nullptr for everything else.
  virtual const ColumnPtr* literal() const { return nullptr; }
  /// Whether it is cheap and cannot fail, so that it may be evaluated for rows that do not need it.
  virtual bool eager() const { return false; }
};
using NodePtr = std::unique_ptr<Node>;

/// Chooses among branches: CASE and COALESCE (branch_node.cc), AND and OR (logic_node.cc).
NodePtr make_case_node(DataType type, std::vector<NodePtr> children);
NodePtr make_coalesce_node(DataType type, std::vector<NodePtr> children);
NodePtr make_logic_node(DataType type, bool is_and, std::vector<NodePtr> children);

/// Compiles a tree: folds constants and drops branches that can never be taken.
Result<NodePtr> compile(const Expression& expression);

}  // namespace tidemark
