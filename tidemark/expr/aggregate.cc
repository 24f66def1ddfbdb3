// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tidemark/base/options.h"
#include "tidemark/expr/aggregate_kernel.h"

namespace tidemark {
namespace {

constexpr std::array<std::string_view, 14> kNames = {
    "AVG",    "COUNT",      "FIRST_VALUE", "LAST_VALUE", "LISTAGG",  "MAX",     "MIN",
    "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "SUM",        "VARIANCE", "VAR_POP", "VAR_SAMP"};

std::string upper(std::string_view name) {
  std::string result(name);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return result;
}

Error unknown(std::string_view name) {
  const std::string near = nearest_name(name, aggregate_function_names());
  return Error{ErrorCode::kNotFound,
               near.empty() ? fmt::format("there is no aggregate function '{}'", name)
                            : fmt::format("there is no aggregate function '{}'; did you mean {}?",
                                          name, near)};
}

Result<AggregateFunctionPtr> resolve_plain(std::string_view name, const DataType& argument) {
  if (name == "SUM") return make_sum(argument);
  if (name == "AVG") return make_average(argument);
  if (name == "MIN") return make_keeper(Keep::kMin, argument);
  if (name == "MAX") return make_keeper(Keep::kMax, argument);
  if (name == "FIRST_VALUE") return make_keeper(Keep::kFirst, argument);
  if (name == "LAST_VALUE") return make_keeper(Keep::kLast, argument);
  if (name == "LISTAGG") return make_list(argument);
  // Flink's STDDEV and VARIANCE are those of a sample.
  if (name == "STDDEV") return make_variance("STDDEV_SAMP", argument);
  if (name == "VARIANCE") return make_variance("VAR_SAMP", argument);
  return make_variance(name, argument);
}

// MIN and its kin do not change when values repeat.
bool ignores_repeats(std::string_view name) {
  return name == "MIN" || name == "MAX" || name == "FIRST_VALUE" || name == "LAST_VALUE";
}

}  // namespace

bool is_aggregate_function(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), upper(name)) != kNames.end();
}

std::vector<std::string> aggregate_function_names() {
  return {kNames.begin(), kNames.end()};
}

Result<AggregateFunctionPtr> resolve_aggregate(std::string_view given, bool distinct,
                                               std::span<const DataType> arguments) {
  const std::string name = upper(given);
  if (!is_aggregate_function(name)) return unknown(given);
  if (name == "COUNT") {
    TIDEMARK_ASSIGN_OR_RETURN(AggregateFunctionPtr count, make_count(arguments));
    if (!distinct) return count;
    if (arguments.empty())
      return Error{ErrorCode::kInvalidSql, "COUNT(DISTINCT) needs an argument, not *"};
    return make_distinct(std::move(count), arguments[0]);
  }
  if (arguments.size() != 1)
    return Error{ErrorCode::kInvalidSql,
                 fmt::format("{} takes one argument, got {}", name, arguments.size())};
  TIDEMARK_ASSIGN_OR_RETURN(AggregateFunctionPtr function, resolve_plain(name, arguments[0]));
  if (!distinct || ignores_repeats(name)) return function;
  return make_distinct(std::move(function), arguments[0]);
}

}  // namespace tidemark
