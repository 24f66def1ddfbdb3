// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tidemark/expr/aggregate_kernel.h"
#include "tidemark/expr/function.h"

namespace tidemark {
namespace {

constexpr std::string_view kHead = R"(# Functions

This page is written by `tidemark_function_reference` from the tables that the binder reads, and a test
compares the two. Names and meanings are Flink's; `docs/flink_differences.md` lists where results differ
on purpose.

Unless said otherwise a function gives NULL when an argument is NULL. A row for which it cannot be
computed (an overflow, a division by zero) is an error of that row, and follows the job's policy for
record errors. `AND`, `OR`, `CASE`, `COALESCE`, `IF` and `IFNULL` evaluate an operand only for the rows
that need it. `a BETWEEN b AND c`, `CAST(x AS type)` and `TRY_CAST(x AS type)` (NULL where the cast
cannot be done) are described in `docs/sql.md`.
)";

constexpr std::string_view kAggregates = R"(
## Aggregates

NULLs are left out; over no value at all the result is NULL, and 0 for COUNT. `DISTINCT` takes each value
once, and `FILTER (WHERE condition)` the rows where the condition is TRUE.

| function | result |
| --- | --- |
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string function_reference() {
  std::string page(kHead);
  std::string topic;
  for (const Function& function : function_table().functions()) {
    if (is_internal_function(function.name)) continue;
    if (function.topic != topic) {
      topic = function.topic;
      page += fmt::format("\n## {}\n\n| function | result |\n| --- | --- |\n", topic);
    }
    std::string summary = function.summary;
    if (!function.aliases.empty())
      summary += fmt::format(" Also {}.", fmt::join(function.aliases, ", "));
    page += fmt::format("| `{}` | {} |\n", escaped(function.signature), escaped(summary));
  }
  page += kAggregates;
  return page + aggregate_reference();
}

}  // namespace tidemark
