// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/expression_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/options.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

Error invalid(std::string message) {
  return Error{ErrorCode::kInvalidSql, std::move(message)};
}

std::string plain_name(const DataType& type) {
  return to_string(type.with_nullable(true));
}

std::string types_of(const std::vector<ExpressionPtr>& arguments) {
  std::string text = "(";
  for (const ExpressionPtr& argument : arguments) {
    if (text.size() > 1) text += ", ";
    text += plain_name(argument->type);
  }
  return text + ")";
}

Error unknown_function(std::string_view name) {
  const std::string near = nearest_name(name, scalar_function_names());
  return Error{ErrorCode::kNotFound,
               near.empty()
                   ? fmt::format("there is no function '{}'", name)
                   : fmt::format("there is no function '{}'; did you mean {}?", name, near)};
}

bool any_nullable(const std::vector<ExpressionPtr>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ExpressionPtr& argument) { return argument->type.nullable; });
}

bool same_storage(const DataType& a, const DataType& b) {
  return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale;
}

ExpressionPtr cast_node(ExpressionPtr argument, DataType to, bool try_cast) {
  to.nullable = argument->type.nullable || try_cast;
  const auto kind = try_cast ? Expression::Kind::kTryCast : Expression::Kind::kCast;
  return std::make_shared<const Expression>(
      Expression{.kind = kind, .type = to, .arguments = {std::move(argument)}});
}

// A literal cast when the tree is built; nullptr when that must wait or cannot be.
ExpressionPtr cast_literal(const Expression& literal, const DataType& to) {
  const DataType& from = literal.type;
  if (literal.literal.is_null) return literal_expression(Value::null(to));
  const bool needs_zone =
      from.kind == TypeKind::kTimestampLtz || to.kind == TypeKind::kTimestampLtz;
  if (needs_zone && from.kind != to.kind) return nullptr;
  auto kernel = make_cast_kernel(from, to);
  if (!kernel.ok()) return nullptr;
  const Vector argument{.column = single_value(literal.literal), .constant = false};
  const EvaluationContext context;
  Invocation call({&argument, 1}, 1, to, context);
  const ColumnPtr result = (*kernel)->run(call);
  if (!call.failures.empty() || result->is_null(0)) return nullptr;
  return literal_expression(value_at(*result, 0));
}

// The undecided type of a NULL literal becomes that of its place; a CAST the user wrote stays
// visible.
ExpressionPtr implicit_cast(const ExpressionPtr& argument, const DataType& to) {
  if (same_storage(argument->type, to) || to.kind == TypeKind::kNull) return argument;
  if (argument->kind == Expression::Kind::kLiteral)
    if (ExpressionPtr literal = cast_literal(*argument, to)) return literal;
  return cast_node(argument, to, false);
}

Result<std::vector<ExpressionPtr>> boolean_operands(std::string_view word,
                                                    std::vector<ExpressionPtr> arguments) {
  if (arguments.empty()) return invalid(fmt::format("{} needs an operand", word));
  for (ExpressionPtr& argument : arguments) {
    const TypeKind kind = argument->type.kind;
    if (kind != TypeKind::kBoolean && kind != TypeKind::kNull)
      return invalid(fmt::format("{} takes BOOLEAN operands, got {}", word, types_of(arguments)));
    argument = implicit_cast(argument, DataType::boolean());
  }
  return arguments;
}

Result<ExpressionPtr> connective(Expression::Kind kind, std::string_view word,
                                 std::vector<ExpressionPtr> arguments) {
  TIDEMARK_ASSIGN_OR_RETURN(auto operands, boolean_operands(word, std::move(arguments)));
  if (operands.size() == 1) return operands.front();
  // (a AND b) AND c is one list: fewer nodes, and later operands see fewer rows.
  std::vector<ExpressionPtr> flat;
  for (const ExpressionPtr& operand : operands) {
    if (operand->kind == kind) {
      flat.insert(flat.end(), operand->arguments.begin(), operand->arguments.end());
    } else {
      flat.push_back(operand);
    }
  }
  DataType type = DataType::boolean();
  type.nullable = any_nullable(flat);
  return std::make_shared<const Expression>(
      Expression{.kind = kind, .type = type, .arguments = std::move(flat)});
}

Result<DataType> common_type_of(std::string_view place, const std::vector<ExpressionPtr>& results) {
  DataType type = results.front()->type;
  for (std::size_t i = 1; i < results.size(); ++i) {
    const auto merged = merged_type(type, results[i]->type);
    if (!merged)
      return invalid(fmt::format("the results of {} have no common type: {} and {}; add a CAST",
                                 place, plain_name(type), plain_name(results[i]->type)));
    type = *merged;
  }
  return type;
}

}  // namespace

Result<DataType> common_type(const DataType& a, const DataType& b) {
  if (const auto merged = merged_type(a, b)) return *merged;
  return invalid(fmt::format("{} and {} have no common type", plain_name(a), plain_name(b)));
}

std::optional<DataType> comparison_type(const Expression& a, const Expression& b) {
  const bool a_text = a.type.kind == TypeKind::kString;
  const bool b_text = b.type.kind == TypeKind::kString;
  if (a_text == b_text) return merged_type(a.type, b.type);
  const Expression& text = a_text ? a : b;
  DataType type = (a_text ? b : a).type;
  if (type.kind == TypeKind::kNull) return text.type;
  if (type.kind == TypeKind::kBytes || is_interval(type.kind)) return std::nullopt;
  if (is_timestamp(type.kind) && text.kind == Expression::Kind::kLiteral) {
    // A literal may say more digits than the column holds: '... 00:00:00.0005' against
    // TIMESTAMP(3).
    const std::size_t point = text.literal.text.rfind('.');
    const std::size_t digits =
        point == std::string::npos ? 0 : text.literal.text.size() - point - 1;
    type.precision =
        std::max(type.precision, static_cast<std::uint8_t>(std::min<std::size_t>(digits, 9)));
  }
  return type;
}

Result<ExpressionPtr> cast_expression(ExpressionPtr argument, DataType to, bool try_cast) {
  const DataType& from = argument->type;
  if (!can_cast(from.kind, to.kind)) {
    const std::string_view alternative = cast_alternative(from.kind, to.kind);
    return invalid(fmt::format("{} cannot be cast to {}{}{}", plain_name(from), plain_name(to),
                               alternative.empty() ? "" : ": ", alternative));
  }
  if (same_storage(from, to) && (to.length == 0 || to.length == from.length)) return argument;
  if (from.kind == TypeKind::kNull) return literal_expression(Value::null(to));
  return cast_node(std::move(argument), to, try_cast);
}

Result<ExpressionPtr> call_expression(std::string_view name, std::vector<ExpressionPtr> arguments) {
  const Function* function = function_table().find(name);
  if (function == nullptr) return unknown_function(name);
  if (function->rewrite) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr other, function->rewrite(arguments));
    if (other != nullptr) return other;
  }
  std::optional<Resolution> resolution;
  if (function->resolve) resolution = function->resolve(arguments);
  if (!resolution)
    return invalid(fmt::format("wrong arguments for {}: it is {}, and got {}", function->name,
                               function->signature, types_of(arguments)));
  DataType type = resolution->result;
  switch (resolution->nulls) {
    case ResultNulls::kIfAnyArgument: type.nullable = any_nullable(arguments); break;
    case ResultNulls::kNever: type.nullable = false; break;
    case ResultNulls::kAlways: type.nullable = true; break;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i] = implicit_cast(arguments[i], resolution->arguments[i]);
  return std::make_shared<const Expression>(Expression{.kind = Expression::Kind::kCall,
                                                       .type = type,
                                                       .function = function->name,
                                                       .arguments = std::move(arguments)});
}

Result<ExpressionPtr> case_expression(std::vector<ExpressionPtr> arguments) {
  if (arguments.size() < 3 || arguments.size() % 2 == 0)
    return invalid("CASE needs at least one WHEN with its THEN, and one ELSE at its end");
  std::vector<ExpressionPtr> conditions;
  std::vector<ExpressionPtr> results;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    conditions.push_back(arguments[i]);
    results.push_back(arguments[i + 1]);
  }
  results.push_back(arguments.back());
  TIDEMARK_ASSIGN_OR_RETURN(conditions, boolean_operands("WHEN", std::move(conditions)));
  TIDEMARK_ASSIGN_OR_RETURN(DataType type, common_type_of("CASE", results));
  type.nullable = any_nullable(results);
  std::vector<ExpressionPtr> children;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    children.push_back(conditions[i]);
    children.push_back(implicit_cast(results[i], type));
  }
  children.push_back(implicit_cast(results.back(), type));
  return std::make_shared<const Expression>(
      Expression{.kind = Expression::Kind::kCase, .type = type, .arguments = std::move(children)});
}

Result<ExpressionPtr> and_expression(std::vector<ExpressionPtr> arguments) {
  return connective(Expression::Kind::kAnd, "AND", std::move(arguments));
}

Result<ExpressionPtr> or_expression(std::vector<ExpressionPtr> arguments) {
  return connective(Expression::Kind::kOr, "OR", std::move(arguments));
}

Result<ExpressionPtr> coalesce_expression(std::vector<ExpressionPtr> arguments) {
  if (arguments.empty()) return invalid("COALESCE needs at least one argument");
  TIDEMARK_ASSIGN_OR_RETURN(DataType type, common_type_of("COALESCE", arguments));
  type.nullable =
      std::all_of(arguments.begin(), arguments.end(),
                  [](const ExpressionPtr& argument) { return argument->type.nullable; });
  for (ExpressionPtr& argument : arguments) argument = implicit_cast(argument, type);
  if (arguments.size() == 1) return arguments.front();
  return std::make_shared<const Expression>(Expression{
      .kind = Expression::Kind::kCoalesce, .type = type, .arguments = std::move(arguments)});
}

}  // namespace tidemark
