// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/data/schema.h"
#include "tidemark/expr/expression.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/source_text.h"

namespace tidemark::sql {

/// What CREATE TABLE said, bound.
struct Table {
  std::string name;
  Span span;           // of the name in CREATE TABLE
  SchemaPtr physical;  // what a connector reads or writes
  std::vector<Field> computed_fields;
  std::vector<ExpressionPtr> computed;  // over the physical columns
  /// Declared position -> index in physical + computed columns.
  std::vector<std::size_t> declared;
  std::optional<std::size_t> rowtime;  // in physical + computed columns
  ExpressionPtr watermark;             // set with `rowtime`, over physical + computed columns
  std::string watermark_text;
  std::vector<std::size_t> primary_key;  // in the physical columns
  OptionMap options;
  std::map<std::string, Span, std::less<>> option_spans;
  bool emit_on_event = false;
  std::optional<Millis> idle_timeout;
  std::vector<std::string> computed_texts;
  std::vector<std::string> comments;  // by declared position
  bool temporary = false;
  /// The statements it is made of: those it is LIKE, then its own. They outlive it.
  std::vector<const ast::CreateTable*> parts;

  /// A column of physical + computed.
  const Field& column(std::size_t index) const {
    return index < physical->size() ? physical->fields[index]
                                    : computed_fields[index - physical->size()];
  }
};

/// What CREATE VIEW said. It is bound where it is used.
struct View {
  std::string name;
  Span span;
  std::vector<ast::Name> columns;
  ast::QueryPtr query;
  bool temporary = false;
};

/// The tables and views that a script has created. One name space, case-sensitive.
class Catalog {
 public:
  std::shared_ptr<const Table> find_table(std::string_view name) const;
  std::shared_ptr<const View> find_view(std::string_view name) const;
  bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }

  void add(Table table);
  void add(View view);
  void remove(std::string_view name);

  std::vector<std::string> names() const;
  std::vector<std::string> view_names() const;

 private:
  struct Entry {
    std::shared_ptr<const Table> table;
    std::shared_ptr<const View> view;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

/// The last part of [default_catalog.][default_database.]name; there are no other catalogs.
Result<ast::Name> object_name(const SourceText& source, const ast::Path& path);

/// "; did you mean 'x'?", with a word on case when only case differs; empty when nothing is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tidemark::sql
