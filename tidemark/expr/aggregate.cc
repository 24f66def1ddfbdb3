// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tidemark/base/options.h"
#include "tidemark/expr/aggregate_kernel.h"

namespace tidemark {
namespace {

struct Entry {
  std::string_view name;
  std::string_view signature;
  std::string_view summary;
};
constexpr std::array<Entry, 14> kAggregates = {{
    {"COUNT", "COUNT(*), COUNT(x)",
     "The number of rows, or of values that are not NULL, as BIGINT."},
    {"SUM", "SUM(number)",
     "Of integers as BIGINT and of DECIMAL(p, s) as DECIMAL(38, s), both checked; of FLOAT and "
     "DOUBLE "
     "as DOUBLE."},
    {"MIN", "MIN(x)", "The least value of any type."},
    {"MAX", "MAX(x)", "The greatest value."},
    {"AVG", "AVG(number)",
     "Of integers in their own type, truncated; of DECIMAL(p, s) as DECIMAL(38, max(6, s)); of "
     "FLOAT and "
     "DOUBLE as DOUBLE."},
    {"FIRST_VALUE", "FIRST_VALUE(x)", "The value that came first."},
    {"LAST_VALUE", "LAST_VALUE(x)", "The value that came last."},
    {"LISTAGG", "LISTAGG(text)", "The values in the order they came, with commas between them."},
    {"STDDEV_POP", "STDDEV_POP(number)", "The standard deviation of the values, as DOUBLE."},
    {"STDDEV_SAMP", "STDDEV_SAMP(number)", "That of a sample; NULL for one value."},
    {"STDDEV", "STDDEV(number)", "As STDDEV_SAMP."},
    {"VAR_POP", "VAR_POP(number)", "The variance of the values."},
    {"VAR_SAMP", "VAR_SAMP(number)", "That of a sample; NULL for one value."},
    {"VARIANCE", "VARIANCE(number)", "As VAR_SAMP."},
}};

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
  const std::string wanted = upper(name);
  return std::any_of(kAggregates.begin(), kAggregates.end(),
                     [&wanted](const Entry& entry) { return entry.name == wanted; });
}

std::vector<std::string> aggregate_function_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kAggregates) names.emplace_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string aggregate_reference() {
  std::string rows;
  for (const Entry& entry : kAggregates)
    rows += fmt::format("| `{}` | {} |\n", entry.signature, entry.summary);
  return rows;
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
