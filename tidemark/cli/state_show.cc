// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>

#include "tidemark/base/clock.h"
#include "tidemark/checkpoint/inventory.h"
#include "tidemark/cli/report.h"
#include "tidemark/cli/run_command.h"
#include "tidemark/cli/shown_rows.h"
#include "tidemark/cli/state_command.h"
#include "tidemark/cli/state_rows.h"
#include "tidemark/cli/table_printer.h"
#include "tidemark/connector/builtin.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/proto.h"
#include "tidemark/sql/compile.h"

namespace tidemark {
namespace {

/// The columns of a stored table, and the condition for its rows.
struct StateQuery {
  SchemaPtr schema;
  std::unique_ptr<Evaluator> filter;  // null: all rows
};

/// Lets the SQL compiler read the column types and the condition.
Result<StateQuery> compile_query(const StateDescriptor& state, const std::string& where) {
  std::ostringstream unused;
  ConnectorRegistry connectors = make_builtin_connectors(unused);
  ResultDisplay result(unused);
  connectors.add(result.connector());
  std::string text = fmt::format(
      "CREATE TABLE entries ({}{}) WITH ('connector' = 'datagen'); SELECT * FROM entries",
      key_columns_of(state), StateRows::kValueColumnList);
  if (!where.empty()) text += " WHERE\n" + where;
  TIDEMARK_ASSIGN_OR_RETURN(const auto statements, sql::compile(text, "--where", connectors));
  StateQuery query;
  for (const proto::Node& node : statements.back().graph.nodes()) {
    if (node.has_source()) {
      TIDEMARK_ASSIGN_OR_RETURN(query.schema, from_proto(node.source().physical()));
    } else if (node.has_calc() && node.calc().has_filter()) {
      TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr filter, from_proto(node.calc().filter()));
      TIDEMARK_ASSIGN_OR_RETURN(query.filter, make_evaluator(filter));
    }
  }
  return query;
}

/// Prints the rows that pass, up to the limit.
class Display {
 public:
  Display(StateQuery query, std::size_t limit, std::ostream& out)
      : query_(std::move(query)), limit_(limit), printer_(out, query_.schema) {}

  /// False when no more rows are wanted.
  bool add(const BatchPtr& batch) {
    std::vector<RowIndex> rows(batch->rows());
    for (RowIndex i = 0; i < rows.size(); ++i) rows[i] = i;
    if (query_.filter) {
      EvaluationContext context;
      context.clock = &clock_;
      query_.filter->select(*batch, context, rows);
      if (!context.errors.empty())
        throw Failure(ErrorCode::kEvaluation, "--where: " + context.errors.front().message,
                      /*retryable=*/false);
    }
    more_ = printer_.rows() + rows.size() > limit_;
    if (more_) rows.resize(limit_ - printer_.rows());
    if (!rows.empty()) printer_.print(*gather(*batch, rows));
    return !more_;
  }

  void finish(std::ostream& out) {
    printer_.finish();
    if (more_) out << fmt::format("There are more: --limit is {}\n", limit_);
  }

 private:
  StateQuery query_;
  std::size_t limit_;
  TablePrinter printer_;
  SystemClock clock_;
  bool more_ = false;
};

/// The one keyed table that the command means.
Result<StateInventory> choose_state(const std::vector<StateInventory>& states,
                                    const StateShowCommand& command) {
  std::vector<const StateInventory*> found;
  std::vector<std::string> tables;
  for (const StateInventory& state : states) {
    if (key_columns_of(state.state).empty()) continue;
    tables.push_back(fmt::format("--operator {} --state {}", state.operator_uid, state.state.name));
    if (!command.operator_uid.empty() && command.operator_uid != state.operator_uid) continue;
    if (!command.state.empty() && command.state != state.state.name) continue;
    found.push_back(&state);
  }
  if (found.size() == 1) return *found.front();
  return Error{ErrorCode::kNotFound,
               fmt::format("{}: the keyed states that can be shown are\n  {}",
                           found.empty() ? "there is no such state" : "which state?",
                           tables.empty() ? "none" : fmt::to_string(fmt::join(tables, "\n  ")))};
}

Status show(const StateShowCommand& command, std::ostream& out) {
  const auto files = make_local_file_system();
  const std::vector<std::string> found = find_checkpoints(*files, command.path);
  if (found.empty())
    return Error{ErrorCode::kNotFound,
                 fmt::format("'{}' holds no checkpoint or savepoint: no directory there has a file "
                             "_metadata",
                             command.path)};
  CheckpointStorage storage(*files, found.back(), CheckpointStorage::Layout::kSavepoint);
  TIDEMARK_ASSIGN_OR_RETURN(const std::optional<proto::CheckpointMetadata> metadata,
                            storage.load_latest());
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<StateInventory> states,
                            take_inventory(storage, *metadata, Verification::kIndexes));
  TIDEMARK_ASSIGN_OR_RETURN(const StateInventory state, choose_state(states, command));
  TIDEMARK_ASSIGN_OR_RETURN(StateQuery query, compile_query(state.state, command.where));
  TIDEMARK_ASSIGN_OR_RETURN(const std::unique_ptr<SnapshotReader> reader,
                            storage.open_snapshot(*metadata, state.operator_uid, 0, 1));
  out << fmt::format("{}\n{} of operator {}: {}\n", found.back(), state.state.name,
                     state.operator_uid, state.state.schema);
  StateRows rows(state.state, query.schema);
  Display display(std::move(query), command.limit, out);
  rows.read(*reader, [&](const BatchPtr& batch) { return display.add(batch); });
  display.finish(out);
  return {};
}

}  // namespace

int show_state(const StateShowCommand& command, std::ostream& out, std::ostream& err) {
  Status status;
  try {
    status = show(command, out);
  } catch (const Failure& failure) {
    status = Error{failure.code(), failure.what()};
  }
  if (status.ok()) return kExitOk;
  err << status.error().message << '\n';
  return kExitUserError;
}

}  // namespace tidemark
