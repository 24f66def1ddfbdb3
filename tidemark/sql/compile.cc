// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/compile.h"

#include <fmt/format.h>

#include "tidemark/sql/binder_insert.h"
#include "tidemark/sql/catalog.h"
#include "tidemark/sql/describe.h"
#include "tidemark/sql/parser.h"
#include "tidemark/sql/planner.h"
#include "tidemark/sql/table_definition.h"

namespace tidemark::sql {
namespace {

constexpr std::string_view kPipelineName = "pipeline.name";

/// Goes through the statements of a file in order. CREATE, DROP, SET and RESET change what the
/// later ones see.
class Script {
 public:
  Script(const SourceText& source, const ConnectorRegistry& connectors)
      : source_(source), connectors_(connectors) {}

  Result<std::vector<CompiledStatement>> run(const std::vector<ast::Statement>& statements) {
    for (const ast::Statement& statement : statements)
      TIDEMARK_TRY(std::visit([&](const auto& body) { return compile(body); }, statement.body));
    return std::move(results_);
  }

 private:
  Status compile(const ast::CreateTable& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(const bool wanted,
                              check_new(statement.name, statement.if_not_exists));
    if (!wanted) return {};
    TIDEMARK_ASSIGN_OR_RETURN(Table table, define_table(source_, catalog_, statement));
    catalog_.add(std::move(table));
    return {};
  }

  Status compile(const ast::CreateView& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(const bool wanted,
                              check_new(statement.name, statement.if_not_exists));
    if (!wanted) return {};
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, statement.name));
    View view{name.text, name.span, statement.columns, statement.query, statement.temporary};
    QueryBinder binder(source_, catalog_);
    TIDEMARK_TRY(binder.bind_view(view));
    catalog_.add(std::move(view));
    return {};
  }

  /// Whether the name is free; an error when it is not and IF NOT EXISTS does not forgive it.
  Result<bool> check_new(const ast::Path& path, bool if_not_exists) const {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, path));
    if (!catalog_.contains(name.text)) return true;
    if (if_not_exists) return false;
    return source_.error(name.span,
                         fmt::format("there is a {} '{}' already; DROP it first, or write IF NOT "
                                     "EXISTS",
                                     catalog_.find_view(name.text) ? "view" : "table", name.text));
  }

  Status compile(const ast::Drop& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, statement.name));
    const char* const kind = statement.view ? "view" : "table";
    const bool found = statement.view ? catalog_.find_view(name.text) != nullptr
                                      : catalog_.find_table(name.text) != nullptr;
    if (found) {
      catalog_.remove(name.text);
      return {};
    }
    if (catalog_.contains(name.text))
      return source_.error(name.span, fmt::format("'{}' is a {}; use DROP {}", name.text,
                                                  statement.view ? "table" : "view",
                                                  statement.view ? "TABLE" : "VIEW"));
    if (statement.if_exists) return {};
    return source_.error(name.span, fmt::format("there is no {} '{}'{}", kind, name.text,
                                                suggestion(name.text, catalog_.names())));
  }

  Status compile(const ast::Insert& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(proto::JobGraph graph, plan(statement));
    add_job(CompiledStatement::Kind::kInsert, std::move(graph));
    return {};
  }

  Status compile(const ast::StatementSet& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(proto::JobGraph graph, plan(statement));
    add_job(CompiledStatement::Kind::kInsert, std::move(graph));
    return {};
  }

  Status compile(const ast::SelectStatement& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(proto::JobGraph graph, plan(statement));
    add_job(CompiledStatement::Kind::kSelect, std::move(graph));
    return {};
  }

  Status compile(const ast::Explain& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(
        const proto::JobGraph graph,
        std::visit([&](const auto& body) { return plan(body); }, statement.statement));
    add_text(CompiledStatement::Kind::kExplain, explain(graph));
    return {};
  }

  Status compile(const ast::Set& statement) {
    if (!statement.option) {
      add_text(CompiledStatement::Kind::kShow, describe_options(options_));
      return {};
    }
    const ast::Option& option = *statement.option;
    const Status valid = check_option(option.key.text, option.value.text);
    if (!valid.ok())
      return source_.error(option.value.span, valid.error().message, ErrorCode::kInvalidOption);
    options_[option.key.text] = option.value.text;
    return {};
  }

  Status compile(const ast::Reset& statement) {
    if (!statement.key) options_.clear();
    if (statement.key) options_.erase(statement.key->text);
    return {};
  }

  Status compile(const ast::Show& statement) {
    if (statement.what == ast::Show::What::kTables) {
      add_text(CompiledStatement::Kind::kShow, describe_names("table name", catalog_.names()));
      return {};
    }
    if (statement.what == ast::Show::What::kViews) {
      add_text(CompiledStatement::Kind::kShow, describe_names("view name", catalog_.view_names()));
      return {};
    }
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, statement.name));
    const bool wants_view = statement.what == ast::Show::What::kCreateView;
    const auto table = catalog_.find_table(name.text);
    const auto view = catalog_.find_view(name.text);
    if (!wants_view && table) {
      add_text(CompiledStatement::Kind::kShow, create_statement(*table, source_));
    } else if (wants_view && view) {
      add_text(CompiledStatement::Kind::kShow, create_statement(*view, source_));
    } else {
      return source_.error(
          name.span, fmt::format("there is no {} '{}'{}", wants_view ? "view" : "table", name.text,
                                 suggestion(name.text, catalog_.names())));
    }
    return {};
  }

  Status compile(const ast::Describe& statement) {
    TIDEMARK_ASSIGN_OR_RETURN(const ast::Name name, object_name(source_, statement.name));
    if (const auto table = catalog_.find_table(name.text)) {
      add_text(CompiledStatement::Kind::kShow, describe_table(*table));
      return {};
    }
    const auto view = catalog_.find_view(name.text);
    if (!view)
      return source_.error(name.span, fmt::format("there is no table or view '{}'{}", name.text,
                                                  suggestion(name.text, catalog_.names())));
    QueryBinder binder(source_, catalog_);
    TIDEMARK_ASSIGN_OR_RETURN(const RelationPtr relation, binder.bind_view(*view));
    add_text(CompiledStatement::Kind::kShow, describe_view(*relation));
    return {};
  }

  Result<proto::JobGraph> plan(const ast::Insert& insert) {
    QueryBinder queries(source_, catalog_);
    Planner planner(source_, options_, connectors_);
    TIDEMARK_ASSIGN_OR_RETURN(const BoundInsert bound,
                              bind_insert(source_, catalog_, queries, insert));
    TIDEMARK_TRY(planner.add_insert(bound));
    return planner.finish(job_name("insert-into_" + bound.target->name));
  }

  Result<proto::JobGraph> plan(const ast::StatementSet& set) {
    QueryBinder queries(source_, catalog_);
    Planner planner(source_, options_, connectors_);
    std::string targets;
    for (const ast::Insert& insert : set.inserts) {
      TIDEMARK_ASSIGN_OR_RETURN(const BoundInsert bound,
                                bind_insert(source_, catalog_, queries, insert));
      TIDEMARK_TRY(planner.add_insert(bound));
      targets += (targets.empty() ? "" : ",") + bound.target->name;
    }
    return planner.finish(job_name("insert-into_" + targets));
  }

  Result<proto::JobGraph> plan(const ast::SelectStatement& statement) {
    QueryBinder queries(source_, catalog_);
    Planner planner(source_, options_, connectors_);
    TIDEMARK_ASSIGN_OR_RETURN(const RelationPtr query,
                              queries.bind(*statement.query, std::string(kResultTable)));
    TIDEMARK_TRY(planner.add_select(query));
    return planner.finish(job_name("collect"));
  }

  std::string job_name(std::string default_name) const {
    const auto name = options_.find(kPipelineName);
    return name == options_.end() ? default_name : name->second;
  }

  void add_job(CompiledStatement::Kind kind, proto::JobGraph graph) {
    std::string name = graph.name();
    results_.push_back({kind, std::move(name), std::move(graph), {}});
  }

  void add_text(CompiledStatement::Kind kind, std::string text) {
    results_.push_back({kind, {}, {}, std::move(text)});
  }

  const SourceText& source_;
  const ConnectorRegistry& connectors_;
  Catalog catalog_;
  OptionMap options_;
  std::vector<CompiledStatement> results_;
};

}  // namespace

Result<std::vector<CompiledStatement>> compile(std::string_view text, std::string_view file,
                                               const ConnectorRegistry& connectors) {
  const SourceText source(text, file);
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<ast::Statement> statements, parse(source));
  return Script(source, connectors).run(statements);
}

}  // namespace tidemark::sql
