// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/catalog.h"

#include <fmt/format.h>

#include "tidemark/sql/keywords.h"

namespace tidemark::sql {

std::shared_ptr<const Table> Catalog::find_table(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.table;
}

std::shared_ptr<const View> Catalog::find_view(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.view;
}

void Catalog::add(Table table) {
  auto shared = std::make_shared<const Table>(std::move(table));
  entries_[shared->name] = {.table = shared, .view = nullptr};
}

void Catalog::add(View view) {
  auto shared = std::make_shared<const View>(std::move(view));
  entries_[shared->name] = {.table = nullptr, .view = shared};
}

void Catalog::remove(std::string_view name) {
  const auto found = entries_.find(name);
  if (found != entries_.end()) entries_.erase(found);
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::vector<std::string> Catalog::view_names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_)
    if (entry.view) names.push_back(name);
  return names;
}

Result<ast::Name> object_name(const SourceText& source, const ast::Path& path) {
  static constexpr std::string_view kQualifiers[] = {"default_catalog", "default_database"};
  const std::size_t qualifiers = path.size() - 1;
  for (std::size_t i = 0; i < qualifiers; ++i) {
    if (qualifiers <= 2 && path[i].text == kQualifiers[i + 2 - qualifiers]) continue;
    return source.unsupported(path[i].span,
                              fmt::format("there is no catalog or database '{}'; tables live in "
                                          "default_catalog.default_database",
                                          path[i].text));
  }
  return ast::Name{path.back().text, span_of(path)};
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (to_upper(candidate) == to_upper(name) && candidate != name)
      return fmt::format("; did you mean '{}'? Names are case-sensitive", candidate);
  // Any two names of a letter or two are near to each other.
  const std::string near = name.size() < 3 ? "" : nearest_name(name, candidates);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

}  // namespace tidemark::sql
