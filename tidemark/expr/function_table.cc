// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "tidemark/base/check.h"
#include "tidemark/expr/function.h"

namespace tidemark {
namespace {

std::string upper(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

FunctionTable build_table() {
  FunctionTable table;
  add_comparison_functions(table);
  add_logic_functions(table);
  add_conditional_functions(table);
  add_arithmetic_functions(table);
  add_math_functions(table);
  add_rounding_functions(table);
  add_string_functions(table);
  add_string_search_functions(table);
  add_pattern_functions(table);
  add_encoding_functions(table);
  add_clock_functions(table);
  add_calendar_functions(table);
  add_time_text_functions(table);
  add_system_functions(table);
  add_planner_functions(table);
  return table;
}

}  // namespace

void FunctionTable::add(Function function) {
  function.topic = topic_;
  const bool inserted = index_.emplace(function.name, functions_.size()).second;
  TIDEMARK_CHECK(inserted, "each function has one entry");
  functions_.push_back(std::move(function));
}

void FunctionTable::alias(std::string alias, std::string_view name) {
  const auto target = index_.find(name);
  TIDEMARK_CHECK(target != index_.end(), "an alias of a function that was added before");
  const bool inserted = index_.emplace(alias, target->second).second;
  TIDEMARK_CHECK(inserted, "each function has one entry");
  functions_[target->second].aliases.push_back(std::move(alias));
}

const Function* FunctionTable::find(std::string_view name) const {
  auto found = index_.find(name);
  if (found == index_.end()) found = index_.find(upper(name));
  return found == index_.end() ? nullptr : &functions_[found->second];
}

std::vector<std::string> FunctionTable::names() const {
  std::vector<std::string> result;
  for (const auto& [name, position] : index_)
    if (!is_internal_function(name)) result.push_back(name);
  return result;
}

const FunctionTable& function_table() {
  static const FunctionTable table = build_table();
  return table;
}

std::vector<std::string> scalar_function_names() {
  return function_table().names();
}

}  // namespace tidemark
