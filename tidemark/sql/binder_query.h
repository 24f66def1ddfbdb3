// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/binder_aggregate.h"
#include "tidemark/sql/catalog.h"
#include "tidemark/sql/relation.h"
#include "tidemark/sql/scope.h"

namespace tidemark::sql {

/// Turns queries into relations. One binder serves the queries that become one job, so that a view
/// they share is one relation and stateful relations are numbered without repeats.
class QueryBinder {
 public:
  /// Both outlive the binder.
  QueryBinder(const SourceText& source, const Catalog& catalog)
      : source_(source), catalog_(catalog) {}

  /// `owner` names the stateful relations of this query: its target.
  Result<RelationPtr> bind(const ast::Query& query, std::string owner);
  /// The relation behind a view, for CREATE VIEW to check and DESCRIBE to show.
  Result<RelationPtr> bind_view(const View& view);

 private:
  struct Source {
    RelationPtr relation;
    std::string name;  // alias or table; empty: none
  };
  struct SelectColumn {
    const ast::Expr* expression = nullptr;  // null: column `column` of the input, from a *
    std::size_t column = 0;
    std::string name;
    Span span;
  };

  Result<RelationPtr> bind_query(const ast::Query& query);
  Result<RelationPtr> bind_union(const ast::UnionAll& node);
  Result<RelationPtr> bind_values(const ast::Values& values);

  // binder_from.cc
  Result<Source> bind_from(const ast::TableRef& table);
  Result<Source> bind_table_ref(const ast::TableRef& table);
  Result<RelationPtr> bind_name(const ast::Path& path);
  RelationPtr scan(const std::shared_ptr<const Table>& table);
  Result<RelationPtr> bind_window(const ast::WindowCall& call);
  Result<std::size_t> bind_time_column(const Source& input, const ast::Path& path,
                                       std::string_view window);
  Result<Millis> bind_interval(const ast::Expr& expression, std::string_view what);
  /// The parts of a window as they were written; those that its kind does not have are null.
  struct WindowParts {
    std::string function;  // TUMBLE, HOP, CUMULATE or SESSION
    const ast::Expr* slide = nullptr;
    const ast::Expr* size = nullptr;  // or a session's gap
    const ast::Expr* offset = nullptr;
  };
  Result<WindowSpec> bind_window_parts(const WindowParts& parts, const DataType& time_type);
  Result<RelationPtr> make_tumble(const Source& input, std::size_t time, const WindowSpec& window);
  Result<RelationPtr> rename(RelationPtr input, const std::vector<ast::Name>& names,
                             std::string_view owner);

  // binder_select.cc
  Result<RelationPtr> bind_select(const ast::Select& select);
  Result<std::vector<SelectColumn>> expand_items(const ast::Select& select, const Scope& scope);
  Result<RelationPtr> project(const Source& input, const std::vector<SelectColumn>& columns,
                              ExpressionBinder& binder);
  Result<RelationPtr> bind_grouped(const ast::Select& select, const Source& input,
                                   const std::vector<SelectColumn>& columns);
  Result<RelationPtr> bind_distinct(const ast::Select& select, RelationPtr input);
  Result<const ast::Expr*> resolve_key(const ast::Expr& key, const Scope& scope,
                                       const std::vector<SelectColumn>& columns);
  struct Grouping {
    std::vector<GroupKey> keys;
    std::vector<std::vector<std::size_t>> sets;  // GROUPING SETS, of the places of keys
    WindowSpec window;
    const ast::Expr* legacy = nullptr;
  };
  Result<std::vector<std::vector<std::size_t>>> bind_sets(
      const ast::Select& select, const std::vector<std::optional<std::size_t>>& places);
  Status check_session_keys(const Source& input, const Grouping& grouping, Span place);

  Result<Grouping> bind_grouping(const ast::Select& select, const Source& input,
                                 const std::vector<SelectColumn>& columns);
  Status bind_legacy_window(const ast::Expr& call, const Source& input, Grouping& grouping);
  RelationPtr finish_aggregate(Relation relation);

  const SourceText& source_;
  const Catalog& catalog_;
  std::string owner_;
  std::map<std::string, std::size_t> numbers_;  // of stateful relations, by owner
  std::map<std::string, RelationPtr> views_;
  std::map<std::string, RelationPtr> scans_;
  std::uint32_t open_views_ = 0;
  std::vector<std::pair<std::string, RelationPtr>> common_tables_;  // in scope, innermost last
};

/// The relation's rows with other expressions; a column that is passed on keeps its role.
RelationPtr make_project(RelationPtr input, std::vector<ExpressionPtr> expressions,
                         const std::vector<std::string>& names);
RelationPtr make_filter(RelationPtr input, ExpressionPtr condition);

}  // namespace tidemark::sql
