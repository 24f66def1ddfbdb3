// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/binder_expression.h"

#include <fmt/format.h>

#include <utility>

#include "tidemark/expr/aggregate.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/sql/expression_tree.h"

namespace tidemark::sql {
namespace {

constexpr std::size_t kMaxNodes = 20'000;

bool is_boolean(const DataType& type) {
  return type.kind == TypeKind::kBoolean || type.kind == TypeKind::kNull;
}

Result<ExpressionPtr> call(std::string_view name, ExpressionPtr a, ExpressionPtr b) {
  return call_expression(name, {std::move(a), std::move(b)});
}

/// An error for what is wrong whatever the rows are. Looks at one node without what is below it.
Status check_literals(const Expression& expression) {
  const bool is_checked =
      expression.kind == Expression::Kind::kCall || expression.kind == Expression::Kind::kCast;
  if (!is_checked) return {};
  Expression node = expression;
  bool has_literal = node.arguments.empty();
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    if (node.arguments[i]->kind == Expression::Kind::kLiteral) {
      has_literal = true;
    } else {
      node.arguments[i] = column_expression(i, node.arguments[i]->type);
    }
  }
  if (!has_literal) return {};
  auto evaluator = make_evaluator(std::make_shared<const Expression>(std::move(node)));
  if (!evaluator.ok()) return evaluator.error();
  return {};
}

}  // namespace

bool is_aggregate_call(const ast::Expr& expression) {
  return expression.kind == ast::Expr::Kind::kCall &&
         is_aggregate_function(expression.function.text);
}

bool contains_aggregate(const ast::Expr& expression) {
  if (is_aggregate_call(expression)) return true;
  for (const ast::ExprPtr& argument : expression.arguments)
    if (contains_aggregate(*argument)) return true;
  return false;
}

Result<ExpressionPtr> ExpressionBinder::placed(Result<ExpressionPtr> result, Span span) {
  if (result.ok()) {
    // CASE x WHEN ..., BETWEEN and NULLIF repeat their operand, and nested ones repeat repetitions.
    if (is_larger_than(**result, kMaxNodes))
      return source_.error(span, fmt::format("this expression has more than {} parts once it is "
                                             "written out",
                                             kMaxNodes));
    const Status valid = check_literals(**result);
    if (!valid.ok() && !suspect_) suspect_ = source_.error(span, valid.error().message);
    return result;
  }
  return source_.error(span, result.error().message,
                       result.error().code == ErrorCode::kUnsupported ? ErrorCode::kUnsupported
                                                                      : ErrorCode::kInvalidSql);
}

Result<ExpressionPtr> ExpressionBinder::bind(const ast::Expr& expression) {
  ++level_;
  Result<ExpressionPtr> bound = bind_node(expression);
  if (--level_ > 0) return bound;
  const std::optional<Error> suspect = std::exchange(suspect_, std::nullopt);
  if (!bound.ok() || !suspect || make_evaluator(*bound).ok()) return bound;
  return *suspect;
}

Result<ExpressionPtr> ExpressionBinder::bind_node(const ast::Expr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr own, intercept(expression));
  if (own) return own;
  switch (expression.kind) {
    case ast::Expr::Kind::kLiteral: return literal_expression(expression.literal);
    case ast::Expr::Kind::kColumn: {
      TIDEMARK_ASSIGN_OR_RETURN(const std::size_t column,
                                resolve_column(source_, scope_, expression.path));
      return column_expression(column, (*scope_.columns)[column].type);
    }
    case ast::Expr::Kind::kStar:
      return source_.error(expression.span,
                           "* stands for columns only in a SELECT list or COUNT(*)");
    case ast::Expr::Kind::kCall: return bind_call(expression);
    case ast::Expr::Kind::kCase: return bind_case(expression);
    case ast::Expr::Kind::kCast: return bind_cast(expression);
    case ast::Expr::Kind::kBetween: return bind_between(expression);
    case ast::Expr::Kind::kIn: return bind_in(expression);
  }
  return ExpressionPtr();
}

Result<ExpressionPtr> ExpressionBinder::bind_condition(const ast::Expr& expression,
                                                       std::string_view what) {
  TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr condition, bind(expression));
  if (is_boolean(condition->type)) return condition;
  return source_.error(expression.span,
                       fmt::format("{} takes a condition of type BOOLEAN, not {}", what,
                                   to_string(condition->type.with_nullable(true))));
}

Result<std::vector<ExpressionPtr>> ExpressionBinder::bind_arguments(const ast::Expr& expression) {
  std::vector<ExpressionPtr> arguments;
  arguments.reserve(expression.arguments.size());
  for (const ast::ExprPtr& argument : expression.arguments) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr bound, bind(*argument));
    arguments.push_back(std::move(bound));
  }
  return arguments;
}

/// Calls that are no scalar functions, or cannot stand here.
Status ExpressionBinder::refuse_function(const ast::Expr& call) const {
  const std::string& name = call.function.text;
  if (is_aggregate_call(call))
    return source_.error(call.span,
                         fmt::format("the aggregate function {} cannot stand in {}", name, place_));
  if (name == "PROCTIME")
    return source_.unsupported(call.span,
                               "PROCTIME(), the processing-time attribute, is not supported yet: "
                               "windows are cut by event time (WATERMARK FOR)");
  if (name == "TUMBLE" || name == "HOP" || name == "SESSION" || name == "CUMULATE")
    return source_.error(call.span, fmt::format("the window {}(...) stands in FROM, as {}(TABLE t, "
                                                "...), or in GROUP BY",
                                                name, name));
  if (call.distinct || call.filter)
    return source_.error(call.span,
                         fmt::format("DISTINCT and FILTER belong to aggregate functions, and {} is "
                                     "none",
                                     name));
  return {};
}

Result<ExpressionPtr> ExpressionBinder::bind_call(const ast::Expr& expression) {
  TIDEMARK_TRY(refuse_function(expression));
  TIDEMARK_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> arguments, bind_arguments(expression));
  const std::string& name = expression.function.text;
  if (name == "AND") return placed(and_expression(std::move(arguments)), expression.function.span);
  if (name == "OR") return placed(or_expression(std::move(arguments)), expression.function.span);
  if (name == "COALESCE" && !arguments.empty())
    return placed(coalesce_expression(std::move(arguments)), expression.function.span);
  return placed(call_expression(name, std::move(arguments)), expression.function.span);
}

Result<ExpressionPtr> ExpressionBinder::bind_case(const ast::Expr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> arguments, bind_arguments(expression));
  if (expression.has_operand) {
    const ExpressionPtr operand = arguments.front();
    arguments.erase(arguments.begin());
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
      TIDEMARK_ASSIGN_OR_RETURN(arguments[i], placed(call("=", operand, arguments[i]),
                                                     expression.arguments[i + 1]->span));
    }
  } else {
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
      if (!is_boolean(arguments[i]->type))
        return source_.error(expression.arguments[i]->span,
                             fmt::format("WHEN takes a condition of type BOOLEAN, not {}",
                                         to_string(arguments[i]->type.with_nullable(true))));
  }
  return placed(case_expression(std::move(arguments)), expression.span);
}

Result<ExpressionPtr> ExpressionBinder::bind_cast(const ast::Expr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr value, bind(*expression.arguments.front()));
  return placed(cast_expression(std::move(value), expression.type, expression.try_cast),
                expression.span);
}

// x BETWEEN a AND b is x >= a AND x <= b; SYMMETRIC tries both orders.
Result<ExpressionPtr> ExpressionBinder::bind_between(const ast::Expr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<ExpressionPtr> parts, bind_arguments(expression));
  const auto within = [&](const ExpressionPtr& low, Span low_span, const ExpressionPtr& high,
                          Span high_span) -> Result<ExpressionPtr> {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr above, placed(call(">=", parts[0], low), low_span));
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr below, placed(call("<=", parts[0], high), high_span));
    return placed(and_expression({std::move(above), std::move(below)}), expression.span);
  };
  const Span low = expression.arguments[1]->span;
  const Span high = expression.arguments[2]->span;
  TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr result, within(parts[1], low, parts[2], high));
  if (expression.symmetric) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr reversed, within(parts[2], high, parts[1], low));
    TIDEMARK_ASSIGN_OR_RETURN(
        result, placed(or_expression({std::move(result), std::move(reversed)}), expression.span));
  }
  if (!expression.negated) return result;
  return placed(call_expression("NOT", {std::move(result)}), expression.span);
}

Result<ExpressionPtr> ExpressionBinder::bind_in(const ast::Expr& expression) {
  TIDEMARK_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> parts, bind_arguments(expression));
  // Comparing one by one first puts the error under the member that does not fit.
  for (std::size_t i = 1; i < parts.size(); ++i)
    TIDEMARK_TRY(placed(call("=", parts[0], parts[i]), expression.arguments[i]->span));
  TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr result,
                            placed(call_expression("IN", std::move(parts)), expression.span));
  if (!expression.negated) return result;
  return placed(call_expression("NOT", {std::move(result)}), expression.span);
}

}  // namespace tidemark::sql
