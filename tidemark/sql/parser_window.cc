// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tidemark/sql/parser.h"
#include "tidemark/sql/parser_level.h"

// The window table functions: TUMBLE, HOP, CUMULATE and SESSION.

namespace tidemark::sql {
namespace {

struct WindowFunction {
  std::string_view name;
  std::vector<std::string_view> arguments;  // in their order
};

const WindowFunction* find_window_function(std::string_view name) {
  static const std::vector<WindowFunction> kFunctions = {
      {"TUMBLE", {"DATA", "TIMECOL", "SIZE", "OFFSET"}},
      {"HOP", {"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"}},
      {"CUMULATE", {"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"}},
      {"SESSION", {"DATA", "TIMECOL", "GAP"}},
  };
  for (const WindowFunction& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

/// "DATA, TIMECOL, SIZE and `OFFSET`".
std::string argument_list(const WindowFunction& function) {
  std::vector<std::string> names;
  for (const std::string_view argument : function.arguments)
    names.push_back(argument == "OFFSET" ? "`OFFSET`" : std::string(argument));
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

ast::ExprPtr* value_of(ast::WindowCall& call, std::string_view argument) {
  if (argument == "SLIDE" || argument == "STEP") return &call.slide;
  if (argument == "SIZE" || argument == "GAP") return &call.size;
  return argument == "OFFSET" ? &call.offset : nullptr;
}

}  // namespace

bool Parser::at_window_function() const {
  return peek().kind == Token::Kind::kWord && find_window_function(peek().upper) != nullptr;
}

// TUMBLE(TABLE t, DESCRIPTOR(ts), size [, offset]), or with names: DATA => TABLE t, ...
Result<std::unique_ptr<ast::WindowCall>> Parser::parse_window_call() {
  auto call = std::make_unique<ast::WindowCall>();
  const Token& function = advance();
  call->function = {function.upper, function.span};
  TIDEMARK_TRY(expect_symbol("("));
  std::size_t position = 0;
  do {
    TIDEMARK_TRY(parse_window_argument(*call, position++));
  } while (accept_symbol(","));
  if (!accept_symbol(")")) return unexpected(fmt::format("',' or ')' in {}", function.upper));
  call->span = cover(function.span, last_span());
  TIDEMARK_TRY(check_complete(*call));
  return call;
}

Status Parser::check_complete(const ast::WindowCall& call) const {
  const std::string& name = call.function.text;
  const bool has_slide = name == "HOP" || name == "CUMULATE";
  const char* missing = nullptr;
  if (!call.data) {
    missing = "the table: TABLE t";
  } else if (call.time_column.empty()) {
    missing = "the time column: DESCRIPTOR(ts)";
  } else if (has_slide && !call.slide) {
    missing = name == "HOP" ? "the window's slide: INTERVAL '5' MINUTE"
                            : "the window's step: INTERVAL '5' MINUTE";
  } else if (!call.size) {
    missing = name == "SESSION" ? "the session's gap: INTERVAL '5' MINUTE"
                                : "the window's size: INTERVAL '1' HOUR";
  }
  if (missing == nullptr) return {};
  return source_.error(call.span, fmt::format("{} lacks {}", name, missing));
}

Status Parser::parse_window_argument(ast::WindowCall& call, std::size_t position) {
  const WindowFunction& function = *find_window_function(call.function.text);
  const Token& first = peek();
  if (!peek(1).is_symbol("=>")) {
    if (position >= function.arguments.size())
      return source_.error(first.span, fmt::format("{} takes at most {} arguments", function.name,
                                                   function.arguments.size()));
    return parse_window_value(call, function.arguments[position], first.span);
  }
  const std::string name = first.kind == Token::Kind::kWord ? first.upper : first.text;
  const auto argument = std::find(function.arguments.begin(), function.arguments.end(), name);
  if (argument == function.arguments.end())
    return source_.error(
        first.span, fmt::format("{} has no argument '{}'; it takes {}", function.name, first.text,
                                argument_list(function)));
  if (first.is_word("OFFSET"))
    return source_.error(first.span,
                         "OFFSET is a reserved word; as a name it is written in backquotes: "
                         "`OFFSET`");
  const Span span = first.span;
  advance();
  advance();
  return parse_window_value(call, *argument, span);
}

Status Parser::parse_window_value(ast::WindowCall& call, std::string_view argument, Span span) {
  ast::ExprPtr* const value = value_of(call, argument);
  const bool again = argument == "DATA"      ? call.data != nullptr
                     : argument == "TIMECOL" ? !call.time_column.empty()
                                             : *value != nullptr;
  if (again) return source_.error(span, fmt::format("{} is given twice", argument));
  if (argument == "DATA") return parse_window_data(call);
  if (argument == "TIMECOL") return parse_descriptor(call);
  TIDEMARK_ASSIGN_OR_RETURN(*value, parse_expression());
  return {};
}

Status Parser::parse_window_data(ast::WindowCall& call) {
  const Span begin = peek().span;
  ast::TableRef table;
  if (accept("TABLE")) {
    TIDEMARK_ASSIGN_OR_RETURN(table.table, parse_path("a table or view name"));
  } else if (peek().is_symbol("(")) {
    advance();
    const Level level(*this);
    TIDEMARK_ASSIGN_OR_RETURN(table.query, parse_query());
    TIDEMARK_TRY(expect_symbol(")"));
  } else {
    return unexpected("TABLE and a table or view name");
  }
  table.span = cover(begin, last_span());
  call.data = std::make_unique<ast::TableRef>(std::move(table));
  if (!peek().is_word("PARTITION")) return {};
  return parse_partition_by(call);
}

// PARTITION BY k, or PARTITION BY (k, l): a comma alone would end the argument.
Status Parser::parse_partition_by(ast::WindowCall& call) {
  const Span begin = peek().span;
  if (call.function.text != "SESSION")
    return source_.error(begin, fmt::format("{} takes no PARTITION BY; group by the keys instead",
                                            call.function.text));
  advance();
  TIDEMARK_TRY(expect("BY"));
  const bool parenthesised = accept_symbol("(");
  do {
    TIDEMARK_ASSIGN_OR_RETURN(ast::Path column, parse_path("a column to partition by"));
    call.partition_by.push_back(std::move(column));
  } while (parenthesised && accept_symbol(","));
  if (parenthesised) TIDEMARK_TRY(expect_symbol(")"));
  call.partition_span = cover(begin, last_span());
  return {};
}

Status Parser::parse_descriptor(ast::WindowCall& call) {
  if (!peek().is_word("DESCRIPTOR")) return unexpected("DESCRIPTOR and the time column");
  advance();
  TIDEMARK_TRY(expect_symbol("("));
  TIDEMARK_ASSIGN_OR_RETURN(call.time_column, parse_path("the time column's name"));
  TIDEMARK_TRY(expect_symbol(")"));
  return {};
}

}  // namespace tidemark::sql
