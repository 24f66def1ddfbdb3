// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/scope.h"

#include <fmt/format.h>

namespace tidemark::sql {

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size(); ++i) names.push_back((*columns)[i].name);
  return names;
}

bool has_column(const Scope& scope, std::string_view name) {
  for (std::size_t i = 0; i < scope.size(); ++i)
    if ((*scope.columns)[i].name == name) return true;
  return false;
}

Status check_qualifier(const SourceText& source, const Scope& scope, const ast::Name& qualifier) {
  if (scope.table == qualifier.text && !scope.table.empty()) return {};
  if (scope.size() == 0)
    return source.error(qualifier.span, fmt::format("there is no table '{}' here", qualifier.text));
  if (scope.table.empty())
    return source.error(qualifier.span,
                        fmt::format("there is no table '{}' here; give what stands after FROM an "
                                    "alias: ... AS {}",
                                    qualifier.text, qualifier.text));
  return source.error(qualifier.span, fmt::format("there is no table '{}' here; FROM names '{}'",
                                                  qualifier.text, scope.table));
}

Result<std::size_t> resolve_column(const SourceText& source, const Scope& scope,
                                   const ast::Path& path) {
  if (path.size() > 2)
    return source.unsupported(span_of(path), "fields of a column (a.b.c) are not supported");
  if (path.size() == 2) TIDEMARK_TRY(check_qualifier(source, scope, path.front()));
  const ast::Name& name = path.back();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < scope.size(); ++i) {
    if ((*scope.columns)[i].name != name.text) continue;
    if (found)
      return source.error(name.span,
                          fmt::format("'{}' is ambiguous: the input has two columns of this name; "
                                      "give them different aliases",
                                      name.text));
    found = i;
  }
  if (found) return *found;
  const std::string where = scope.size() == 0     ? "; there is no FROM"
                            : scope.table.empty() ? ""
                                                  : fmt::format(" in '{}'", scope.table);
  return source.error(name.span, fmt::format("there is no column '{}'{}{}", name.text, where,
                                             suggestion(name.text, scope.names())));
}

}  // namespace tidemark::sql
