// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/proto.h"

#include <fmt/format.h>

#include "tidemark/data/decimal.h"
#include "tidemark/expr/function.h"

namespace tidemark {
namespace {

// Deeper trees than any query has: a damaged message must not exhaust the stack.
constexpr int kDeepest = 500;

Error damaged(std::string message) {
  return Error{ErrorCode::kCheckpointDamaged, "a stored expression is damaged: " + message};
}

Status check_arity(Expression::Kind kind, std::size_t count) {
  bool good = true;
  switch (kind) {
    case Expression::Kind::kColumn:
    case Expression::Kind::kLiteral: good = count == 0; break;
    case Expression::Kind::kCast:
    case Expression::Kind::kTryCast: good = count == 1; break;
    case Expression::Kind::kCase: good = count >= 3 && count % 2 == 1; break;
    case Expression::Kind::kAnd:
    case Expression::Kind::kOr:
    case Expression::Kind::kCoalesce: good = count >= 1; break;
    case Expression::Kind::kCall: break;
  }
  if (good) return {};
  return damaged(fmt::format("{} arguments for a node of kind {}", count, static_cast<int>(kind)));
}

Result<ExpressionPtr> read_expression(const proto::Expression& message, int depth);

Status read_arguments(const proto::Expression& message, int depth, Expression& out) {
  for (const proto::Expression& argument : message.arguments()) {
    TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr child, read_expression(argument, depth + 1));
    out.arguments.push_back(std::move(child));
  }
  return check_arity(out.kind, out.arguments.size());
}

// A call must name a function of this version that takes these arguments.
Status check_call(const Expression& expression) {
  const Function* function = function_table().find(expression.function);
  if (function == nullptr || !function->resolve)
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no function '{}' in this version", expression.function)};
  const auto resolution = function->resolve(expression.arguments);
  if (!resolution || resolution->result.kind != expression.type.kind)
    return damaged(fmt::format("wrong arguments for {}", expression.function));
  for (std::size_t i = 0; i < expression.arguments.size(); ++i)
    if (resolution->arguments[i].kind != expression.arguments[i]->type.kind)
      return damaged(fmt::format("wrong arguments for {}", expression.function));
  return {};
}

Result<ExpressionPtr> read_expression(const proto::Expression& message, int depth) {
  if (depth > kDeepest) return damaged("it is nested too deeply");
  if (!proto::Expression::Kind_IsValid(message.kind())) return damaged("an unknown kind of node");
  Expression expression{.kind = static_cast<Expression::Kind>(message.kind()), .type = {}};
  TIDEMARK_ASSIGN_OR_RETURN(expression.type, from_proto(message.type()));
  TIDEMARK_TRY(read_arguments(message, depth, expression));
  expression.column = message.column();
  expression.function = message.function();
  if (expression.kind == Expression::Kind::kLiteral) {
    TIDEMARK_ASSIGN_OR_RETURN(expression.literal, from_proto(message.literal()));
    if (expression.literal.type.kind != expression.type.kind)
      return damaged("a literal of another type than its node");
  }
  if (expression.kind == Expression::Kind::kCall) TIDEMARK_TRY(check_call(expression));
  return std::make_shared<const Expression>(std::move(expression));
}

}  // namespace

void to_proto(const DataType& type, proto::DataType* out) {
  out->set_kind(static_cast<proto::DataType::Kind>(type.kind));
  out->set_precision(type.precision);
  out->set_scale(type.scale);
  out->set_not_null(!type.nullable);
  out->set_length(type.length);
}

void to_proto(const Schema& schema, proto::Schema* out) {
  for (const Field& field : schema.fields) {
    proto::Field* added = out->add_fields();
    added->set_name(field.name);
    to_proto(field.type, added->mutable_type());
  }
}

void to_proto(const Value& value, proto::Value* out) {
  to_proto(value.type, out->mutable_type());
  out->set_is_null(value.is_null);
  if (value.is_null) return;
  out->set_integer_low(static_cast<std::uint64_t>(value.integer));
  out->set_integer_high(static_cast<std::int64_t>(value.integer >> 64));
  out->set_real(value.real);
  out->set_text(value.text);
}

void to_proto(const Expression& expression, proto::Expression* out) {
  out->set_kind(static_cast<proto::Expression::Kind>(expression.kind));
  to_proto(expression.type, out->mutable_type());
  out->set_column(static_cast<std::uint32_t>(expression.column));
  if (expression.kind == Expression::Kind::kLiteral)
    to_proto(expression.literal, out->mutable_literal());
  out->set_function(expression.function);
  for (const ExpressionPtr& argument : expression.arguments)
    to_proto(*argument, out->add_arguments());
}

void to_proto(const AggregateCall& call, proto::AggregateCall* out) {
  out->set_function(call.function);
  out->set_distinct(call.distinct);
  for (const std::size_t argument : call.arguments)
    out->add_arguments(static_cast<std::uint32_t>(argument));
  if (call.filter) out->set_filter(static_cast<std::uint32_t>(*call.filter));
  out->set_name(call.name);
}

Result<DataType> from_proto(const proto::DataType& message) {
  if (!proto::DataType::Kind_IsValid(message.kind()))
    return damaged(
        fmt::format("type {} is none of this version", static_cast<int>(message.kind())));
  DataType type{.kind = static_cast<TypeKind>(message.kind()),
                .precision = static_cast<std::uint8_t>(message.precision()),
                .scale = static_cast<std::uint8_t>(message.scale()),
                .nullable = !message.not_null(),
                .length = message.length()};
  const bool is_decimal = type.kind == TypeKind::kDecimal;
  const std::uint32_t most = is_decimal ? kMaxDecimalPrecision : 9;
  if (message.precision() > most || message.scale() > (is_decimal ? message.precision() : 0) ||
      (is_decimal && message.precision() == 0))
    return damaged(
        fmt::format("a precision of {} and a scale of {}", message.precision(), message.scale()));
  return type;
}

Result<SchemaPtr> from_proto(const proto::Schema& message) {
  std::vector<Field> fields;
  for (const proto::Field& field : message.fields()) {
    TIDEMARK_ASSIGN_OR_RETURN(const DataType type, from_proto(field.type()));
    fields.push_back({field.name(), type});
  }
  return make_schema(std::move(fields));
}

Result<Value> from_proto(const proto::Value& message) {
  Value value;
  TIDEMARK_ASSIGN_OR_RETURN(value.type, from_proto(message.type()));
  value.is_null = message.is_null();
  if (value.is_null) return value;
  const auto high = static_cast<unsigned __int128>(static_cast<__int128>(message.integer_high()));
  value.integer = static_cast<__int128>((high << 64) | message.integer_low());
  value.real = message.real();
  value.text = message.text();
  return value;
}

Result<ExpressionPtr> from_proto(const proto::Expression& message) {
  return read_expression(message, 0);
}

AggregateCall from_proto(const proto::AggregateCall& message) {
  AggregateCall call;
  call.function = message.function();
  call.distinct = message.distinct();
  call.arguments.assign(message.arguments().begin(), message.arguments().end());
  if (message.has_filter()) call.filter = message.filter();
  call.name = message.name();
  return call;
}

}  // namespace tidemark
