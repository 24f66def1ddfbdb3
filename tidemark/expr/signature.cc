// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/signature.h"

#include <algorithm>

#include "tidemark/expr/type_rules.h"

namespace tidemark {
namespace {

std::optional<DataType> when(bool accepted, const DataType& type) {
  if (!accepted) return std::nullopt;
  return type;
}

}  // namespace

std::optional<DataType> taken_type(const DataType& argument, Take take) {
  const TypeKind kind = argument.kind;
  const bool null = kind == TypeKind::kNull;
  const bool text = kind == TypeKind::kString;
  switch (take) {
    case Take::kString: return when(text || null, DataType::string());
    case Take::kBytes: return when(text || kind == TypeKind::kBytes || null, DataType::bytes());
    case Take::kBoolean: return when(kind == TypeKind::kBoolean || null, DataType::boolean());
    case Take::kInteger: return when(is_integer(kind) || null, DataType::big_int());
    case Take::kDouble: return when(is_numeric(kind) || null, DataType::float64());
    case Take::kDate:
      return when(kind == TypeKind::kDate || is_timestamp(kind) || text || null, DataType::date());
    case Take::kTimestamp:
      if (kind == TypeKind::kTimestamp) return argument;
      return when(kind == TypeKind::kDate || text || null, DataType::timestamp(3));
    case Take::kTimestampLtz:
      if (kind == TypeKind::kTimestampLtz) return argument;
      if (kind == TypeKind::kTimestamp) return DataType::timestamp_ltz(argument.precision);
      return when(kind == TypeKind::kDate || null, DataType::timestamp_ltz(3));
    case Take::kAnything: return argument;
    case Take::kText: return when(can_cast(kind, TypeKind::kString), DataType::string());
  }
  return std::nullopt;
}

Resolver takes(std::vector<Take> taken, DataType result, std::size_t required, bool repeat,
               ResultNulls nulls) {
  return [taken = std::move(taken), result, required, repeat,
          nulls](std::span<const ExpressionPtr> arguments) -> std::optional<Resolution> {
    if (arguments.size() < required) return std::nullopt;
    if (arguments.size() > taken.size() && !repeat) return std::nullopt;
    Resolution resolution{.arguments = {}, .result = result, .nulls = nulls};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto type = taken_type(arguments[i]->type, taken[std::min(i, taken.size() - 1)]);
      if (!type) return std::nullopt;
      resolution.arguments.push_back(*type);
    }
    return resolution;
  };
}

Resolver takes(std::vector<Take> taken, DataType result, ResultNulls nulls) {
  const std::size_t count = taken.size();
  return takes(std::move(taken), result, count, false, nulls);
}

}  // namespace tidemark
