// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/expr/expression.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/scope.h"

namespace tidemark::sql {

/// Resolves names and types of scalar expressions over one scope. The builders of
/// expr/expression.h decide on functions and casts; their errors get their place here.
class ExpressionBinder {
 public:
  /// `place` says where the expression stands ("WHERE"), for the message about an aggregate there.
  ExpressionBinder(const SourceText& source, Scope scope, std::string_view place)
      : source_(source), scope_(std::move(scope)), place_(place) {}
  virtual ~ExpressionBinder() = default;

  /// What no row could evaluate (3 / 0, a pattern that does not compile) is refused here; in a
  /// branch that may not be taken it is left to the rows.
  Result<ExpressionPtr> bind(const ast::Expr& expression);
  /// A BOOLEAN; `what` names it in the message.
  Result<ExpressionPtr> bind_condition(const ast::Expr& expression, std::string_view what);

  const Scope& scope() const { return scope_; }

 protected:
  /// A chance to give a node a meaning of its own; null leaves it to bind().
  virtual Result<ExpressionPtr> intercept(const ast::Expr& expression) {
    static_cast<void>(expression);
    return ExpressionPtr();
  }
  /// The value with the error's place set.
  Result<ExpressionPtr> placed(Result<ExpressionPtr> result, Span span);

  const SourceText& source_;

 private:
  Result<ExpressionPtr> bind_node(const ast::Expr& expression);
  Result<ExpressionPtr> bind_call(const ast::Expr& expression);
  Result<ExpressionPtr> bind_case(const ast::Expr& expression);
  Result<ExpressionPtr> bind_cast(const ast::Expr& expression);
  Result<ExpressionPtr> bind_between(const ast::Expr& expression);
  Result<ExpressionPtr> bind_in(const ast::Expr& expression);
  Result<std::vector<ExpressionPtr>> bind_arguments(const ast::Expr& expression);
  Status refuse_function(const ast::Expr& call) const;

  Scope scope_;
  std::string_view place_;
  std::size_t level_ = 0;         // of bind() calls inside each other
  std::optional<Error> suspect_;  // the first node that cannot be evaluated, with its place
};

/// Whether a call of an aggregate function stands anywhere in the tree.
bool contains_aggregate(const ast::Expr& expression);
bool is_aggregate_call(const ast::Expr& expression);

}  // namespace tidemark::sql
