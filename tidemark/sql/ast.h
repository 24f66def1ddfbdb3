// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/data/value.h"
#include "tidemark/sql/source_text.h"

// What the parser makes of a text: names are not resolved, types not checked. Every node knows its
// place in the text.

namespace tidemark::sql::ast {

struct Name {
  std::string text;
  Span span;
};

/// `t` or `db`.`t`, and where it stands.
using Path = std::vector<Name>;

inline Span span_of(const Path& path) {
  return cover(path.front().span, path.back().span);
}

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : std::uint8_t {
    kLiteral,  // `literal`
    kColumn,   // `path`
    kStar,     // * or t.*, with t in `path`
    kCall,     // `function` over `arguments`: functions, operators, AND and OR
    kCase,     // `arguments`: [operand,] when1, then1, ..., else
    kCast,     // `arguments[0]` to `type`
    kBetween,  // value, low, high
    kIn,       // value, candidates...
  };

  Kind kind = Kind::kLiteral;
  Span span;
  Value literal;
  Path path;
  Name function;
  std::vector<ExprPtr> arguments;
  bool distinct = false;     // COUNT(DISTINCT x)
  ExprPtr filter;            // FILTER (WHERE ...)
  DataType type;             // kCast
  bool try_cast = false;     // kCast
  bool has_operand = false;  // kCase
  bool negated = false;      // NOT BETWEEN, NOT IN
  bool symmetric = false;    // BETWEEN SYMMETRIC
  std::uint32_t depth = 1;   // of the tree below, this node included
};

struct Query;
using QueryPtr = std::shared_ptr<const Query>;

struct TableRef;

/// TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL ...), and HOP, CUMULATE and SESSION like it.
struct WindowCall {
  Name function;
  Span span;
  std::unique_ptr<TableRef> data;
  Span partition_span;             // of PARTITION BY and what follows it
  std::vector<Path> partition_by;  // SESSION
  Path time_column;
  ExprPtr slide;   // HOP's slide, CUMULATE's step
  ExprPtr size;    // SESSION's gap
  ExprPtr offset;  // null: none
};

/// An item of FROM. One of `table`, `query` and `window` is set.
struct TableRef {
  Span span;
  Path table;
  QueryPtr query;
  std::unique_ptr<WindowCall> window;
  std::optional<Name> alias;
  std::vector<Name> columns;  // AS t (a, b)
};

struct SelectItem {
  ExprPtr expression;
  std::optional<Name> alias;
};

/// GROUPING SETS (...), ROLLUP (...) or CUBE (...): sets of keys, by their places in
/// Select::group_by.
struct GroupingSets {
  Span span;
  std::vector<std::vector<std::size_t>> sets;
};

struct Select {
  Span span;  // of the keyword
  bool distinct = false;
  std::vector<SelectItem> items;
  std::unique_ptr<TableRef> from;  // null: one row without columns
  ExprPtr where;
  Span group_span;  // of GROUP BY
  std::vector<ExprPtr> group_by;
  /// Keys that are in none of them are in every group.
  std::vector<GroupingSets> grouping_sets;
  ExprPtr having;
};

struct Values {
  std::vector<std::vector<ExprPtr>> rows;
};

struct UnionAll {
  Span span;  // of the keyword
  QueryPtr left;
  QueryPtr right;
};

struct CommonTable {
  Name name;
  std::vector<Name> columns;
  QueryPtr query;
};

struct Query {
  Span span;
  std::vector<CommonTable> with;
  std::variant<Select, Values, UnionAll, QueryPtr> body;
};

struct Option {
  Name key;
  Name value;
};

struct ColumnDefinition {
  Name name;
  DataType type;     // of a physical column
  ExprPtr computed;  // set: a computed column
  std::string comment;
};

struct WatermarkDefinition {
  Span span;
  Path column;
  ExprPtr expression;
};

struct PrimaryKey {
  Span span;
  std::vector<Name> columns;
};

struct CreateTable {
  Path name;
  bool temporary = false;
  bool if_not_exists = false;
  std::vector<ColumnDefinition> columns;
  std::optional<WatermarkDefinition> watermark;
  std::optional<PrimaryKey> primary_key;
  std::vector<Option> options;
  std::optional<Path> like;
};

struct CreateView {
  Path name;
  bool temporary = false;
  bool if_not_exists = false;
  std::vector<Name> columns;
  QueryPtr query;
};

struct Drop {
  Path name;
  bool view = false;
  bool if_exists = false;
};

struct Insert {
  Path target;
  std::vector<Name> columns;
  QueryPtr query;
};

struct StatementSet {
  std::vector<Insert> inserts;
};

struct SelectStatement {
  QueryPtr query;
};

struct Explain {
  std::variant<Insert, StatementSet, SelectStatement> statement;
};

struct Set {
  std::optional<Option> option;  // none: list them
};

struct Reset {
  std::optional<Name> key;  // none: all
};

struct Show {
  enum class What : std::uint8_t { kTables, kViews, kCreateTable, kCreateView };
  What what = What::kTables;
  Path name;
};

struct Describe {
  Path name;
};

struct Statement {
  Span span;
  std::variant<CreateTable, CreateView, Drop, Insert, StatementSet, SelectStatement, Explain, Set,
               Reset, Show, Describe>
      body;
};

}  // namespace tidemark::sql::ast
