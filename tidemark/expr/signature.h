// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "tidemark/expr/function.h"

// Resolvers for functions whose result type does not depend on the arguments' types.

namespace tidemark {

/// What an argument may be, and the type it is brought to.
enum class Take : std::uint8_t {
  kString,        // STRING
  kBytes,         // BYTES, or STRING as its UTF-8
  kBoolean,       // BOOLEAN
  kInteger,       // any integer, as BIGINT
  kDouble,        // any number, as DOUBLE
  kDate,          // DATE or a timestamp; STRING that reads as a date
  kTimestamp,     // TIMESTAMP or DATE; STRING that reads as one
  kTimestampLtz,  // TIMESTAMP_LTZ, TIMESTAMP, DATE
  kAnything,      // any type, as it is
  kText,          // any type, cast to STRING
};

/// Takes `required` or more of `taken`; with `repeat` the last one any number of times.
Resolver takes(std::vector<Take> taken, DataType result, std::size_t required, bool repeat = false,
               ResultNulls nulls = ResultNulls::kIfAnyArgument);
/// Takes exactly these.
Resolver takes(std::vector<Take> taken, DataType result,
               ResultNulls nulls = ResultNulls::kIfAnyArgument);

/// The type `argument` is brought to for `take`; nullopt when it is refused.
std::optional<DataType> taken_type(const DataType& argument, Take take);

}  // namespace tidemark
