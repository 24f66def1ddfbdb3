// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tidemark/expr/expression.h"

namespace tidemark {
namespace {

constexpr std::array<std::string_view, 15> kInfix = {
    "+",  "-",  "*",    "/",          "%",
    "=",  "<>", "<",    "<=",         ">",
    ">=", "||", "LIKE", "SIMILAR TO", "IS DISTINCT FROM"};

bool is_infix(const Expression& expression) {
  if (expression.kind != Expression::Kind::kCall || expression.arguments.size() != 2) return false;
  return expression.function == "IS NOT DISTINCT FROM" ||
         std::find(kInfix.begin(), kInfix.end(), expression.function) != kInfix.end();
}

bool is_postfix(const Expression& expression) {
  return expression.kind == Expression::Kind::kCall && expression.arguments.size() == 1 &&
         expression.function.starts_with("IS ");
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += c;
    result += c;
  }
  return result + "'";
}

std::string literal_text(const Value& value) {
  const std::string text = to_string(value);
  if (value.is_null) return text;
  switch (value.type.kind) {
    case TypeKind::kString: return quoted(text);
    case TypeKind::kDate: return "DATE " + quoted(text);
    case TypeKind::kTime: return "TIME " + quoted(text);
    case TypeKind::kTimestamp: return "TIMESTAMP " + quoted(text);
    case TypeKind::kTimestampLtz: return "TIMESTAMP_LTZ " + quoted(text);
    case TypeKind::kIntervalDay: return "INTERVAL " + quoted(text) + " DAY TO SECOND";
    case TypeKind::kIntervalMonth: return "INTERVAL " + quoted(text) + " YEAR TO MONTH";
    default: return text;
  }
}

class Printer {
 public:
  explicit Printer(const Schema& columns) : columns_(columns) {}

  std::string print(const Expression& expression) const {
    switch (expression.kind) {
      case Expression::Kind::kColumn:
        return expression.column < columns_.size() ? columns_.fields[expression.column].name
                                                   : fmt::format("${}", expression.column);
      case Expression::Kind::kLiteral: return literal_text(expression.literal);
      case Expression::Kind::kCast: return cast("CAST", expression);
      case Expression::Kind::kTryCast: return cast("TRY_CAST", expression);
      case Expression::Kind::kAnd: return joined(expression, " AND ");
      case Expression::Kind::kOr: return joined(expression, " OR ");
      case Expression::Kind::kCoalesce: return function("COALESCE", expression, 0);
      case Expression::Kind::kCase: return case_text(expression);
      case Expression::Kind::kCall: return call(expression);
    }
    return {};
  }

 private:
  // An operand of an operator, in parentheses where it could be misread.
  std::string operand(const Expression& expression) const {
    const bool compound = is_infix(expression) || is_postfix(expression) ||
                          expression.kind == Expression::Kind::kAnd ||
                          expression.kind == Expression::Kind::kOr || expression.function == "NOT";
    return compound ? "(" + print(expression) + ")" : print(expression);
  }

  std::string cast(std::string_view name, const Expression& expression) const {
    return fmt::format("{}({} AS {})", name, print(*expression.arguments[0]),
                       to_string(expression.type.with_nullable(true)));
  }

  std::string joined(const Expression& expression, std::string_view word) const {
    std::string text;
    for (const ExpressionPtr& argument : expression.arguments) {
      if (!text.empty()) text += word;
      text += operand(*argument);
    }
    return text;
  }

  std::string function(std::string_view name, const Expression& expression,
                       std::size_t first) const {
    std::string text(name);
    text += '(';
    for (std::size_t i = first; i < expression.arguments.size(); ++i) {
      if (i > first) text += ", ";
      text += print(*expression.arguments[i]);
    }
    return text + ")";
  }

  std::string case_text(const Expression& expression) const {
    std::string text = "CASE";
    const auto& arguments = expression.arguments;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
      text += fmt::format(" WHEN {} THEN {}", print(*arguments[i]), print(*arguments[i + 1]));
    return text + fmt::format(" ELSE {} END", print(*arguments.back()));
  }

  std::string call(const Expression& expression) const {
    const auto& arguments = expression.arguments;
    if (is_infix(expression))
      return fmt::format("{} {} {}", operand(*arguments[0]), expression.function,
                         operand(*arguments[1]));
    if (is_postfix(expression)) return operand(*arguments[0]) + " " + expression.function;
    if (arguments.size() == 1 && expression.function == "NOT")
      return "NOT " + operand(*arguments[0]);
    if (arguments.size() == 1 && expression.function == "-") return "-" + operand(*arguments[0]);
    if (expression.function == "IN")
      return operand(*arguments[0]) + function(" IN ", expression, 1);
    return function(expression.function, expression, 0);
  }

  const Schema& columns_;
};

}  // namespace

std::string to_string(const Expression& expression, const Schema& columns) {
  return Printer(columns).print(expression);
}

}  // namespace tidemark
