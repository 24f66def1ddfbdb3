// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "tidemark/expr/frame.h"

// CASE and COALESCE. Each branch is evaluated for a frame of the rows that take it, and the results
// are put back in their places: a branch that no row takes is never evaluated, so it cannot fail.

namespace tidemark {
namespace {

// Collects the results of branches, each for some positions of a frame.
class Assembly {
 public:
  Assembly(const DataType& type, std::size_t rows) : type_(type), rows_(rows) {}

  void add(std::vector<RowIndex> positions, Vector values) {
    if (!positions.empty()) parts_.push_back({std::move(positions), std::move(values)});
  }

  Vector finish() {
    if (parts_.empty()) return {.column = all_null(type_, 1), .constant = true};
    if (parts_.size() == 1 && parts_[0].positions.size() == rows_) return parts_[0].values;
    return {.column = is_variable_width(type_.kind) ? strings() : fixed()};
  }

 private:
  struct Part {
    std::vector<RowIndex> positions;
    Vector values;
  };

  ColumnPtr fixed() {
    Buffer values(rows_ * value_width(type_.kind));
    Validity validity(rows_);
    visit_physical(type_.kind, [&](auto zero) {
      using T = decltype(zero);
      T* out = values.as<T>();
      for (const Part& part : parts_) {
        const Values<T> in(part.values);
        for (std::size_t i = 0; i < part.positions.size(); ++i) out[part.positions[i]] = in[i];
      }
    });
    for (const Part& part : parts_) {
      if (!part.values.column->has_nulls()) continue;
      for (std::size_t i = 0; i < part.positions.size(); ++i)
        if (part.values.is_null(i)) validity.set_null(part.positions[i]);
    }
    return std::make_shared<const Column>(type_, rows_, validity.take(), std::move(values),
                                          Buffer());
  }

  ColumnPtr strings() {
    struct Source {
      std::uint32_t part;
      RowIndex row;
    };
    std::vector<Source> sources(rows_);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t i = 0; i < parts_[p].positions.size(); ++i)
        sources[parts_[p].positions[i]] = {
            static_cast<std::uint32_t>(p),
            parts_[p].values.constant ? 0 : static_cast<RowIndex>(i)};
    ColumnBuilder builder(type_);
    builder.reserve(rows_);
    for (const Source& source : sources)
      builder.append_from(*parts_[source.part].values.column, source.row);
    return builder.finish();
  }

  DataType type_;
  std::size_t rows_;
  std::vector<Part> parts_;
};

std::vector<RowIndex> all_positions(std::size_t rows) {
  std::vector<RowIndex> positions(rows);
  std::iota(positions.begin(), positions.end(), RowIndex{0});
  return positions;
}

// Evaluates a child for some positions of a frame.
Vector evaluate_at(Node& node, const Frame& frame, const std::vector<RowIndex>& positions,
                   Run& run) {
  if (positions.size() == frame.size()) return node.evaluate(frame, run);
  const Frame part(frame, positions);
  return node.evaluate(part, run);
}

class CaseNode final : public Node {
 public:
  CaseNode(DataType type, std::vector<NodePtr> children)
      : type_(type), children_(std::move(children)) {}

  Vector evaluate(const Frame& frame, Run& run) override {
    Assembly assembly(type_, frame.size());
    std::vector<RowIndex> open = all_positions(frame.size());
    for (std::size_t i = 0; i + 1 < children_.size() && !open.empty(); i += 2) {
      const std::size_t errors_before = run.errors.size();
      const Vector condition = evaluate_at(*children_[i], frame, open, run);
      std::vector<RowIndex> taken;
      std::vector<RowIndex> rest;
      for (std::size_t k = 0; k < open.size(); ++k)
        (is_true(condition, k) ? taken : rest).push_back(open[k]);
      if (run.errors.size() > errors_before) drop_failed(frame, run, errors_before, rest, assembly);
      open = std::move(rest);
      if (!taken.empty()) {
        Vector values = evaluate_at(*children_[i + 1], frame, taken, run);
        assembly.add(std::move(taken), std::move(values));
      }
    }
    if (!open.empty()) {
      Vector values = evaluate_at(*children_.back(), frame, open, run);
      assembly.add(std::move(open), std::move(values));
    }
    return assembly.finish();
  }

 private:
  static bool is_true(const Vector& condition, std::size_t row) {
    return !condition.is_null(row) &&
           condition.column->value<std::uint8_t>(condition.constant ? 0 : row) != 0;
  }

  // A row whose condition cannot be evaluated takes no branch.
  void drop_failed(const Frame& frame, const Run& run, std::size_t first,
                   std::vector<RowIndex>& rest, Assembly& assembly) const {
    std::vector<RowIndex> bad;
    for (std::size_t i = first; i < run.errors.size(); ++i) bad.push_back(run.errors[i].row);
    std::sort(bad.begin(), bad.end());
    std::vector<RowIndex> failed;
    std::vector<RowIndex> kept;
    for (const RowIndex position : rest)
      (std::binary_search(bad.begin(), bad.end(), frame.row(position)) ? failed : kept)
          .push_back(position);
    rest = std::move(kept);
    assembly.add(std::move(failed), {.column = all_null(type_, 1), .constant = true});
  }

  DataType type_;
  std::vector<NodePtr> children_;
};

class CoalesceNode final : public Node {
 public:
  CoalesceNode(DataType type, std::vector<NodePtr> children)
      : type_(type), children_(std::move(children)) {}

  Vector evaluate(const Frame& frame, Run& run) override {
    Assembly assembly(type_, frame.size());
    std::vector<RowIndex> open = all_positions(frame.size());
    for (std::size_t i = 0; i < children_.size() && !open.empty(); ++i) {
      Vector values = evaluate_at(*children_[i], frame, open, run);
      const bool last = i + 1 == children_.size();
      if (last || !values.column->has_nulls()) {
        assembly.add(std::move(open), std::move(values));
        return assembly.finish();
      }
      std::vector<RowIndex> present;
      std::vector<RowIndex> rows;
      std::vector<RowIndex> rest;
      for (std::size_t k = 0; k < open.size(); ++k) {
        if (values.is_null(k)) {
          rest.push_back(open[k]);
        } else {
          present.push_back(open[k]);
          rows.push_back(static_cast<RowIndex>(k));
        }
      }
      if (!values.constant && !rows.empty()) values.column = gather(*values.column, rows);
      assembly.add(std::move(present), std::move(values));
      open = std::move(rest);
    }
    return assembly.finish();
  }

 private:
  DataType type_;
  std::vector<NodePtr> children_;
};

}  // namespace

NodePtr make_case_node(DataType type, std::vector<NodePtr> children) {
  return std::make_unique<CaseNode>(type, std::move(children));
}

NodePtr make_coalesce_node(DataType type, std::vector<NodePtr> children) {
  return std::make_unique<CoalesceNode>(type, std::move(children));
}

}  // namespace tidemark
