// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/lexer.h"
#include "tidemark/sql/source_text.h"

namespace tidemark::sql {

/// Expressions, queries and parentheses nest at most so deep: more is an error, not a full stack.
inline constexpr std::uint32_t kMaxNesting = 200;

/// A recursive-descent parser of Flink's SQL: one function a rule of the grammar, operators by
/// binding power. Every error says what was expected and points at what was found.
class Parser {
 public:
  /// Both outlive the parser; the tokens end with kEnd.
  Parser(const SourceText& source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens) {}

  /// All statements of the text.
  Result<std::vector<ast::Statement>> parse_script();

 private:
  // parser.cc: tokens, names, statements other than DDL.
  const Token& peek(std::size_t ahead = 0) const;
  const Token& advance() { return tokens_[at_++]; }
  Span last_span() const { return at_ == 0 ? Span{} : tokens_[at_ - 1].span; }
  bool accept(std::string_view keyword);
  bool accept_symbol(std::string_view symbol);
  bool accept_all(std::initializer_list<std::string_view> keywords);
  bool at_words(std::initializer_list<std::string_view> keywords) const;
  Status expect(std::string_view keyword);
  Status expect_symbol(std::string_view symbol);
  /// "expected X, found Y" at the next token.
  Error unexpected(std::string_view expected) const;
  /// Counts a level of nesting while it lives.
  class Level;
  Status check_nesting() const;

  Result<ast::Name> parse_name(std::string_view what);
  Result<ast::Path> parse_path(std::string_view what);
  Result<ast::Name> parse_string(std::string_view what);
  Result<std::vector<ast::Name>> parse_name_list(std::string_view what);
  /// An alias after AS, or a name that follows directly.
  Result<std::optional<ast::Name>> parse_alias();

  Result<ast::Statement> parse_statement();
  Status end_statement();
  Result<ast::Insert> parse_insert();
  Result<ast::StatementSet> parse_statement_set(bool with_semicolon);
  Result<ast::Explain> parse_explain();
  Result<ast::Set> parse_set();
  Result<ast::Reset> parse_reset();
  Result<ast::Show> parse_show();
  Result<ast::Describe> parse_describe();
  Result<ast::Name> parse_bare_setting(std::string_view what);

  // parser_ddl.cc
  Status parse_create(ast::Statement& statement);
  Result<ast::CreateTable> parse_create_table();
  Status parse_table_element(ast::CreateTable& table);
  Status parse_column(ast::CreateTable& table);
  Status parse_column_constraints(ast::CreateTable& table, ast::ColumnDefinition& column);
  Status parse_watermark(ast::CreateTable& table);
  Status parse_primary_key(ast::CreateTable& table);
  Status parse_not_enforced(Span span);
  Status set_primary_key(ast::CreateTable& table, ast::PrimaryKey key);
  Status parse_table_tail(ast::CreateTable& table);
  Result<std::vector<ast::Option>> parse_options();
  Result<ast::CreateView> parse_create_view();
  Result<ast::Drop> parse_drop();

  // parser_type.cc
  Result<DataType> parse_type();
  Result<DataType> parse_type_name();
  Result<DataType> parse_timestamp_type();
  Result<std::uint32_t> parse_type_parameter(std::string_view type, std::uint32_t default_value,
                                             std::uint32_t minimum, std::uint32_t maximum);
  Result<DataType> parse_decimal_type();

  // parser_query.cc
  Result<ast::QueryPtr> parse_query();
  Result<ast::QueryPtr> parse_union();
  Result<ast::QueryPtr> parse_query_term();
  Result<ast::Select> parse_select();
  Result<ast::SelectItem> parse_select_item();
  Result<ast::Values> parse_values();
  Result<std::vector<ast::CommonTable>> parse_with();
  Result<ast::TableRef> parse_table_ref();
  Result<ast::TableRef> parse_table_primary();
  Status refuse_join() const;
  Status refuse_query_tail() const;

  // parser_group.cc
  using KeySets = std::vector<std::vector<std::size_t>>;
  Status parse_group_by(ast::Select& select);
  bool at_grouping_sets() const;
  Result<KeySets> parse_grouping_element(ast::Select& select);
  Result<KeySets> parse_rollup_or_cube(ast::Select& select);
  Result<KeySets> parse_grouping_set_list(ast::Select& select);
  Result<std::vector<std::size_t>> parse_key_set(ast::Select& select);
  Result<std::size_t> parse_key(ast::Select& select);

  // parser_window.cc
  bool at_window_function() const;
  Result<std::unique_ptr<ast::WindowCall>> parse_window_call();
  Status parse_window_argument(ast::WindowCall& call, std::size_t position);
  Status parse_window_value(ast::WindowCall& call, std::string_view argument, Span span);
  Status check_complete(const ast::WindowCall& call) const;
  Status parse_window_data(ast::WindowCall& call);
  Status parse_partition_by(ast::WindowCall& call);
  Status parse_descriptor(ast::WindowCall& call);

  // parser_expression.cc
  Result<ast::ExprPtr> parse_expression(int binding = 0);
  Result<ast::ExprPtr> parse_prefix();
  Result<ast::ExprPtr> parse_infix(ast::ExprPtr left, int binding, bool& done);
  Result<ast::ExprPtr> parse_is(ast::ExprPtr left);
  Result<ast::ExprPtr> parse_predicate(ast::ExprPtr left);
  Result<ast::ExprPtr> parse_between(ast::ExprPtr left, bool negated);
  Result<ast::ExprPtr> parse_in(ast::ExprPtr left, bool negated);
  Result<ast::ExprPtr> parse_like(ast::ExprPtr left, bool negated);
  Result<ast::ExprPtr> parse_primary();
  Result<ast::ExprPtr> parse_parenthesised();
  Result<ast::ExprPtr> parse_word();
  Result<ast::ExprPtr> parse_column();
  Result<ast::ExprPtr> parse_case();
  Result<ast::ExprPtr> parse_cast(bool try_cast);

  // parser_function.cc
  Result<ast::ExprPtr> parse_call();
  Status parse_arguments(ast::Expr& call);
  Status parse_call_tail(ast::Expr& call);
  /// Functions with keywords between their arguments: EXTRACT(unit FROM x) and its kin. Sets
  /// `done` when the function is one of these.
  Status parse_keyword_function(ast::Expr& call, bool& done);
  Status parse_extract(ast::Expr& call);
  Status parse_trim(ast::Expr& call);
  Status parse_substring(ast::Expr& call);
  Status parse_overlay(ast::Expr& call);
  Status parse_position(ast::Expr& call);
  Status parse_round_to_unit(ast::Expr& call);
  Status parse_unit_first(ast::Expr& call);
  Status parse_argument(ast::Expr& call);
  Result<ast::ExprPtr> parse_unit();

  // parser_literal.cc
  Result<ast::ExprPtr> parse_number(bool negative, Span begin);
  Result<ast::ExprPtr> parse_interval();
  /// DATE '...', TIME '...', TIMESTAMP '...'.
  Result<ast::ExprPtr> parse_time_literal();

  static ast::ExprPtr make_literal(Value value, Span span);
  /// A call of an operator; `function_span` is where its symbol stands.
  Result<ast::ExprPtr> make_call(std::string_view function, Span function_span,
                                 std::vector<ast::ExprPtr> arguments);
  /// Sets `span` and `depth` from the arguments; an error when the tree is too deep.
  Result<ast::ExprPtr> finish(ast::ExprPtr expression);

  const SourceText& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::uint32_t level_ = 0;
};

/// Both steps: the statements of a text. `source` outlives them.
Result<std::vector<ast::Statement>> parse(const SourceText& source);

}  // namespace tidemark::sql
