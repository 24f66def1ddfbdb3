// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/sql/binder_expression.h"
#include "tidemark/sql/relation.h"

namespace tidemark::sql {

/// A GROUP BY key after its name or ordinal has been resolved.
struct GroupKey {
  ExpressionPtr expression;  // over the input
  Span span;
  std::string name;
};

/// Collects the aggregate calls of a SELECT and then reads its expressions as expressions over the
/// aggregation's output: keys, with grouping sets the number of the set, aggregates, window_start,
/// window_end, window_time.
class AggregateBinder : public ExpressionBinder {
 public:
  /// `sets` are the GROUPING SETS, of places among the keys; `window` is what the groups are
  /// windows of; `legacy` is the TUMBLE(ts, size) call of GROUP BY, when the window is given so.
  AggregateBinder(const SourceText& source, Scope input, std::vector<GroupKey> keys,
                  std::vector<std::vector<std::size_t>> sets, WindowSpec window,
                  const ast::Expr* legacy);

  /// First for every expression: registers the aggregate calls in it.
  Status collect(const ast::Expr& expression, const std::string& name);
  /// After all collect(): the aggregation as a relation over `input`, without owner and number.
  Relation make_relation(RelationPtr input);

 protected:
  Result<ExpressionPtr> intercept(const ast::Expr& expression) override;

 private:
  Result<std::size_t> find_or_add_call(const ast::Expr& expression, const std::string& name);
  Result<ExpressionPtr> bind_window_function(const ast::Expr& expression);
  /// GROUPING(a, b): a bit for each argument, 1 where it is not in the group's set.
  Result<ExpressionPtr> bind_grouping_function(const ast::Expr& expression);
  Result<ExpressionPtr> by_set(const std::vector<std::int64_t>& values) const;
  std::size_t intern(const ExpressionPtr& expression, const std::string& name);
  std::size_t time_column() const;
  std::size_t call_column() const { return keys_.size() + (sets_.empty() ? 0 : 1); }
  std::size_t window_column() const { return call_column() + calls_.size(); }
  ExpressionPtr output_column(std::size_t index) const;
  std::vector<RelationColumn> output_columns() const;

  ExpressionBinder plain_;  // over the input, without aggregates
  std::vector<GroupKey> keys_;
  std::vector<std::vector<std::size_t>> sets_;
  WindowSpec window_;
  const ast::Expr* legacy_;
  std::vector<ExpressionPtr> expressions_;  // the aggregation's input columns
  std::vector<std::string> expression_names_;
  std::vector<std::size_t> key_columns_;
  std::vector<AggregateCall> calls_;
  std::vector<DataType> call_types_;
};

}  // namespace tidemark::sql
