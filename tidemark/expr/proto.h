// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/base/result.h"
#include "tidemark/expr/aggregate.h"
#include "tidemark/expr/expr.pb.h"
#include "tidemark/expr/expression.h"

namespace tidemark {

void to_proto(const DataType& type, proto::DataType* out);
void to_proto(const Schema& schema, proto::Schema* out);
void to_proto(const Value& value, proto::Value* out);
void to_proto(const Expression& expression, proto::Expression* out);
void to_proto(const AggregateCall& call, proto::AggregateCall* out);

/// Errors name what a message written by this program cannot hold (a precision of 99).
Result<DataType> from_proto(const proto::DataType& type);
Result<SchemaPtr> from_proto(const proto::Schema& schema);
Result<Value> from_proto(const proto::Value& value);
Result<ExpressionPtr> from_proto(const proto::Expression& expression);
AggregateCall from_proto(const proto::AggregateCall& call);

}  // namespace tidemark
