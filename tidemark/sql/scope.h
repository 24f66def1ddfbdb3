// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/relation.h"
#include "tidemark/sql/source_text.h"

namespace tidemark::sql {

/// What the names in an expression can mean: the columns of one table, under its name or alias.
struct Scope {
  std::string table;                                     // empty: the columns have no qualifier
  const std::vector<RelationColumn>* columns = nullptr;  // null: no columns at all

  std::size_t size() const { return columns == nullptr ? 0 : columns->size(); }
  std::vector<std::string> names() const;
};

/// The column's index. An error when there is none (it names the nearest) or more than one.
Result<std::size_t> resolve_column(const SourceText& source, const Scope& scope,
                                   const ast::Path& path);

/// Whether an unqualified name is one of the scope's columns, case included.
bool has_column(const Scope& scope, std::string_view name);

/// An error unless `qualifier` (of t.a or t.*) is the scope's table.
Status check_qualifier(const SourceText& source, const Scope& scope, const ast::Name& qualifier);

}  // namespace tidemark::sql
