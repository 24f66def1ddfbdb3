// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tidemark/expr/frame.h"

// AND and OR in three-valued logic. With FALSE < NULL < TRUE, AND is the minimum and OR the maximum
// of its operands, which a loop over bytes computes many rows at a time.

namespace tidemark {
namespace {

constexpr std::uint8_t kFalse = 0;
constexpr std::uint8_t kUnknown = 1;
constexpr std::uint8_t kTrue = 2;

void read_truth(const Vector& vector, std::size_t rows, std::vector<std::uint8_t>& out) {
  out.resize(rows);
  if (vector.constant) {
    const std::uint8_t value = vector.is_null(0)                       ? kUnknown
                               : vector.column->value<std::uint8_t>(0) ? kTrue
                                                                       : kFalse;
    std::fill(out.begin(), out.end(), value);
    return;
  }
  const auto* values = vector.column->values<std::uint8_t>();
  std::uint8_t* truth = out.data();
  for (std::size_t i = 0; i < rows; ++i) truth[i] = static_cast<std::uint8_t>(values[i] << 1);
  if (const std::uint8_t* valid = vector.column->validity_bits())
    for (std::size_t i = 0; i < rows; ++i)
      if (!bit_is_set(valid, i)) truth[i] = kUnknown;
}

ColumnPtr to_column(const DataType& type, const std::vector<std::uint8_t>& truth) {
  const std::size_t rows = truth.size();
  Buffer values(rows);
  auto* out = values.as<std::uint8_t>();
  const std::uint8_t* in = truth.data();
  std::uint8_t unknown = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    out[i] = in[i] >> 1;
    unknown = static_cast<std::uint8_t>(unknown | (in[i] & kUnknown));
  }
  Validity validity(truth.size());
  if (unknown != 0)
    for (std::size_t i = 0; i < truth.size(); ++i)
      if (truth[i] == kUnknown) validity.set_null(i);
  return std::make_shared<const Column>(type, truth.size(), validity.take(), std::move(values),
                                        Buffer());
}

class LogicNode final : public Node {
 public:
  LogicNode(DataType type, bool is_and, std::vector<NodePtr> children)
      : type_(type), is_and_(is_and), children_(std::move(children)) {
    eager_ = std::all_of(children_.begin(), children_.end(),
                         [](const NodePtr& child) { return child->eager(); });
  }

  Vector evaluate(const Frame& frame, Run& run) override {
    std::vector<std::uint8_t> truth;
    std::vector<std::uint8_t> operand;
    read_truth(children_[0]->evaluate(frame, run), frame.size(), truth);
    for (std::size_t i = 1; i < children_.size(); ++i) {
      if (children_[i]->eager()) {
        read_truth(children_[i]->evaluate(frame, run), frame.size(), operand);
        combine(truth, operand);
      } else {
        combine_undecided(*children_[i], frame, run, truth, operand);
      }
    }
    return {.column = to_column(type_, truth)};
  }

  bool eager() const override { return eager_; }

 private:
  void combine(std::vector<std::uint8_t>& truth, const std::vector<std::uint8_t>& operand) const {
    std::uint8_t* a = truth.data();
    const std::uint8_t* b = operand.data();
    const std::size_t rows = truth.size();
    if (is_and_) {
      for (std::size_t i = 0; i < rows; ++i) a[i] = std::min(a[i], b[i]);
    } else {
      for (std::size_t i = 0; i < rows; ++i) a[i] = std::max(a[i], b[i]);
    }
  }

  // A FALSE decides AND, a TRUE decides OR: only the other rows need the next operand.
  void combine_undecided(Node& child, const Frame& frame, Run& run,
                         std::vector<std::uint8_t>& truth,
                         std::vector<std::uint8_t>& operand) const {
    const std::uint8_t decided = is_and_ ? kFalse : kTrue;
    std::vector<RowIndex> open;
    for (std::size_t i = 0; i < truth.size(); ++i)
      if (truth[i] != decided) open.push_back(static_cast<RowIndex>(i));
    if (open.empty()) return;
    if (open.size() == frame.size()) {
      read_truth(child.evaluate(frame, run), frame.size(), operand);
      combine(truth, operand);
      return;
    }
    const Frame part(frame, open);
    read_truth(child.evaluate(part, run), part.size(), operand);
    for (std::size_t k = 0; k < open.size(); ++k)
      truth[open[k]] =
          is_and_ ? std::min(truth[open[k]], operand[k]) : std::max(truth[open[k]], operand[k]);
  }

  DataType type_;
  bool is_and_;
  bool eager_;
  std::vector<NodePtr> children_;
};

}  // namespace

NodePtr make_logic_node(DataType type, bool is_and, std::vector<NodePtr> children) {
  return std::make_unique<LogicNode>(type, is_and, std::move(children));
}

}  // namespace tidemark
