// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/function.h"

namespace tidemark::test {
namespace {

TEST(FunctionReference, ThePageIsWhatTheTableSays) {
  std::ifstream file(TIDEMARK_SOURCE_DIR "/docs/functions.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), function_reference())
      << "write it anew: build/debug/tidemark_function_reference > docs/functions.md";
}

TEST(FunctionTable, EveryEntryIsComplete) {
  for (const Function& function : function_table().functions()) {
    EXPECT_FALSE(function.signature.empty()) << function.name;
    EXPECT_TRUE(function.summary.ends_with('.')) << function.name;
    EXPECT_TRUE(function.rewrite || (function.resolve && function.make)) << function.name;
  }
}

TEST(FunctionTable, NamesAreFoundInAnyCase) {
  EXPECT_EQ(function_table().find("upper"), function_table().find("UPPER"));
  EXPECT_EQ(function_table().find("substr"), function_table().find("SUBSTRING"));
  EXPECT_EQ(function_table().find("nothing"), nullptr);
  EXPECT_GE(scalar_function_names().size(), 100u);
}

// No function may take the process down, whatever its arguments are.
TEST(FunctionTable, EveryFunctionSurvivesEveryArgument) {
  const std::vector<Value> samples = {null(),
                                      integer(0),
                                      integer(-2147483648LL),
                                      big(9223372036854775807LL),
                                      real(1e300),
                                      text(""),
                                      text("a\xff\xc3"),
                                      decimal("-99.99", 4, 2),
                                      boolean(true),
                                      text("YEAR"),
                                      date("9999-12-31"),
                                      timestamp("0000-01-01 00:00:00"),
                                      instant("9999-12-31 00:00:00"),
                                      months(2147483647)};
  std::size_t evaluated = 0;
  const auto attempt = [&evaluated](const std::string& name, std::vector<ExpressionPtr> arguments) {
    const auto tree = call_expression(name, std::move(arguments));
    if (!tree.ok()) return;
    const auto value = evaluate_constant(*tree);
    EXPECT_TRUE(value.ok() || !value.error().message.empty());
    ++evaluated;
  };
  for (const std::string& name : scalar_function_names()) {
    attempt(name, {});
    for (const Value& a : samples) {
      attempt(name, {lit(a)});
      for (const Value& b : samples) {
        attempt(name, {lit(a), lit(b)});
        for (const Value& c : {integer(-1), text("x"), date("2001-01-01")})
          attempt(name, {lit(a), lit(b), lit(c)});
      }
    }
  }
  EXPECT_GT(evaluated, 4000u);
}

}  // namespace
}  // namespace tidemark::test
