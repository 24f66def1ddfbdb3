// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tidemark/expr/proto.h"
#include "tidemark/sql/expression_tree.h"
#include "tidemark/sql/planner.h"

// Windows as operators. Rows are aggregated by slices: the rows of a window function are not
// repeated for each window that they are in, unless a query asks for them, or reads window_start,
// window_end or window_time before it aggregates.

namespace tidemark::sql {
namespace {

constexpr std::string_view kAllowLateness = "table.exec.emit.allow-lateness";
constexpr std::string_view kEarlyFire = "table.exec.emit.early-fire.enabled";
constexpr std::string_view kEarlyFireDelay = "table.exec.emit.early-fire.delay";
constexpr std::string_view kLateFire = "table.exec.emit.late-fire.enabled";
constexpr std::string_view kLateFireDelay = "table.exec.emit.late-fire.delay";

void describe_window(const WindowSpec& window, proto::WindowSpec* spec) {
  switch (window.kind) {
    case WindowSpec::Kind::kSliding: spec->set_kind(proto::WindowSpec::SLIDING); break;
    case WindowSpec::Kind::kCumulating: spec->set_kind(proto::WindowSpec::CUMULATING); break;
    case WindowSpec::Kind::kSession: spec->set_kind(proto::WindowSpec::SESSION); break;
  }
  spec->set_size_millis(window.size);
  spec->set_slide_millis(window.slide);
  spec->set_offset_millis(window.offset);
  spec->set_gap_millis(window.gap);
}

/// Rows that already are in windows are grouped by them: windows as wide as the distance of bounds,
/// by window_time, each window in the one at whose end it ends.
WindowSpec windows_of_windows(const WindowSpec& window) {
  WindowSpec result{.time_type = window.time_type};
  result.size = window.kind == WindowSpec::Kind::kSession ? 1 : std::gcd(window.size, window.slide);
  result.slide = result.size;
  result.offset = window.offset % result.size;
  return result;
}

std::size_t column_of_role(const Relation& relation, ColumnRole role) {
  const auto found =
      std::find_if(relation.columns.begin(), relation.columns.end(),
                   [role](const RelationColumn& column) { return column.role == role; });
  return static_cast<std::size_t>(found - relation.columns.begin());
}

/// The window function or aggregation whose windows the rows of a relation are in.
const Relation& window_source(const Relation& relation) {
  const Relation* at = &relation;
  while (at->kind == Relation::Kind::kFilter ||
         (at->kind == Relation::Kind::kProject && !at->makes_windows && at->inputs[0]->window))
    at = at->inputs[0].get();
  return *at;
}

/// Whether any of `expressions`, over the columns of `relation`, needs a window column of `call`
/// below it, itself or through a filter.
bool reads_window(const Relation& relation, const Relation& call,
                  const std::vector<ExpressionPtr>& expressions) {
  std::vector<std::size_t> counts(relation.columns.size());
  for (const ExpressionPtr& expression : expressions) count_columns(*expression, counts);
  if (&relation == &call)
    return std::any_of(counts.end() - 3, counts.end(), [](std::size_t n) { return n > 0; });
  std::vector<ExpressionPtr> below;
  if (relation.kind == Relation::Kind::kFilter) below = relation.expressions;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    below.push_back(relation.kind == Relation::Kind::kProject
                        ? relation.expressions[i]
                        : column_expression(i, relation.columns[i].type));
  }
  return reads_window(*relation.inputs[0], call, below);
}

/// What an aggregation computes from its input, its time column aside.
std::vector<ExpressionPtr> read_by(const Relation& aggregate) {
  std::vector<ExpressionPtr> expressions;
  for (const std::size_t key : aggregate.keys) expressions.push_back(aggregate.expressions[key]);
  for (const AggregateCall& call : aggregate.calls) {
    for (const std::size_t argument : call.arguments)
      expressions.push_back(aggregate.expressions[argument]);
    if (call.filter) expressions.push_back(aggregate.expressions[*call.filter]);
  }
  return expressions;
}

}  // namespace

Result<Planner::Stream> Planner::plan_window(const Relation& relation) {
  if (&relation == window_left_out_) {
    window_left_out_ = nullptr;
    Result<Stream> input = plan(relation.inputs.front());
    window_left_out_ = &relation;
    if (!input.ok()) return input;
    // Nobody reads the window columns; the time column stands for them.
    for (std::size_t i = input->columns.size(); i < relation.columns.size(); ++i) {
      input->columns.push_back(input->columns[relation.time_column]);
      input->names.push_back(relation.columns[i].name);
    }
    return input;
  }
  if (relation.window->kind == WindowSpec::Kind::kSession)
    return source_.unsupported(relation.span,
                               "the rows of SESSION are not supported unless they are aggregated, "
                               "without reading window_start or window_end before: GROUP BY "
                               "window_start, window_end");
  TIDEMARK_ASSIGN_OR_RETURN(const Stream stream, plan(relation.inputs.front()));
  const std::size_t input = materialize(stream, relation.owner);
  proto::Node& node = add_node("window-table", unique_uid("window-table", relation.owner),
                               fields_of(relation), facts_[input].parallelism);
  proto::WindowTableSpec& spec = *node.mutable_window_table();
  spec.set_time_column(static_cast<std::uint32_t>(relation.time_column));
  to_proto(relation.window->time_type, spec.mutable_time_type());
  describe_window(*relation.window, spec.mutable_window());
  connect(input, facts_.size() - 1);
  return whole_output(facts_.size() - 1);
}

Result<Planner::Stream> Planner::plan_without_windows(const RelationPtr& relation) {
  const Relation* const outer = window_left_out_;
  window_left_out_ = &window_source(*relation);
  Result<Stream> stream = plan(relation);
  window_left_out_ = outer;
  return stream;
}

// The calc before the window computes keys, arguments and filters as columns.
Result<Planner::Stream> Planner::plan_aggregate(const Relation& relation) {
  const RelationPtr& rows = relation.inputs.front();
  const Relation& source = window_source(*rows);
  // GROUP BY HOP(ts, ...) has its own windows, whatever the rows were in.
  const bool by_window_columns = !relation.own_window;
  const bool is_call = by_window_columns && source.kind == Relation::Kind::kWindow;
  const bool slices = is_call && !reads_window(*rows, source, read_by(relation));
  // Rows that come once for each window, or once for a window and key of an earlier aggregation.
  const bool attached = by_window_columns && !slices && !relation.window->tumbles() &&
                        (is_call || source.kind == Relation::Kind::kAggregate);
  TIDEMARK_ASSIGN_OR_RETURN(Stream stream, slices ? plan_without_windows(rows) : plan(rows));

  std::vector<ExpressionPtr> expressions = relation.expressions;
  std::vector<std::string> names = relation.expression_names;
  std::size_t time_column = relation.time_column;
  // window_start may stand for the time column where a query does not pass that on.
  if (slices) names[time_column] = source.inputs[0]->columns[source.time_column].name;
  if (attached) {
    for (const ColumnRole role : {ColumnRole::kWindowStart, ColumnRole::kWindowRowtime}) {
      const std::size_t column = column_of_role(*rows, role);
      if (column == rows->columns.size())
        return source_.unsupported(source.span,
                                   "rows of windows are aggregated by them only with all of "
                                   "window_start, window_end and window_time among their columns");
      expressions.push_back(column_expression(column, rows->columns[column].type));
      names.push_back(rows->columns[column].name);
    }
    time_column = expressions.size() - 1;
  }
  settle(stream, expressions, relation.owner);
  std::vector<ExpressionPtr> columns;
  for (const ExpressionPtr& expression : expressions)
    columns.push_back(substitute(expression, stream.columns));
  stream.columns = std::move(columns);
  stream.names = std::move(names);
  std::size_t input = materialize(stream, relation.owner);
  return add_aggregate(relation, input, time_column, attached);
}

Planner::AggregateColumns Planner::aggregate_columns(const Relation& relation) const {
  AggregateColumns columns;
  if (relation.grouping_sets.empty()) {
    columns.keys = relation.keys;
    return columns;
  }
  // An expansion puts its own copies of the keys, and the set's number, in front.
  columns.shift = relation.keys.size() + 1;
  for (std::size_t i = 0; i < columns.shift; ++i) columns.keys.push_back(i);
  return columns;
}

Result<Planner::Stream> Planner::add_aggregate(const Relation& relation, std::size_t input,
                                               std::size_t time_column, bool attached) {
  if (facts_[input].gives_changes)
    return source_.unsupported(relation.span,
                               "a window aggregation takes new rows only, and its input changes "
                               "results that it gave before: they come from a window that "
                               "table.exec.emit.* lets fire early or late");
  AggregateColumns columns = aggregate_columns(relation);
  if (!relation.grouping_sets.empty()) input = add_expand(relation, input);
  std::vector<Field> output = fields_of(relation);
  const std::size_t groups = columns.keys.size();
  if (attached) {
    // window_start, which stands before window_time.
    columns.keys.push_back(time_column - 1 + columns.shift);
    output.insert(output.begin() + static_cast<std::ptrdiff_t>(groups),
                  {"$window_start", DataType::timestamp(3).with_nullable(false)});
  }
  std::vector<std::string> keys;
  for (const std::size_t key : relation.keys) keys.push_back(relation.expression_names[key]);
  const std::string name = keys.empty()
                               ? "window-aggregate"
                               : fmt::format("window-aggregate[{}]", fmt::join(keys, ", "));
  proto::Node& node = add_node(name, fmt::format("window-{}-{}", relation.owner, relation.number),
                               std::move(output), columns.keys.empty() ? 1 : 0);
  proto::WindowAggregateSpec& spec = *node.mutable_window_aggregate();
  spec.set_time_column(static_cast<std::uint32_t>(time_column + columns.shift));
  to_proto(relation.window->time_type, spec.mutable_time_type());
  describe_window(attached ? windows_of_windows(*relation.window) : *relation.window,
                  spec.mutable_window());
  for (const std::size_t key : columns.keys) spec.add_keys(static_cast<std::uint32_t>(key));
  for (AggregateCall call : relation.calls) {
    for (std::size_t& argument : call.arguments) argument += columns.shift;
    if (call.filter) *call.filter += columns.shift;
    to_proto(call, spec.add_aggregates());
  }
  TIDEMARK_TRY(set_emission(relation, spec));
  facts_.back().gives_changes = spec.updating();
  hash_connect(input, facts_.size() - 1, columns.keys);
  Stream stream = whole_output(facts_.size() - 1);
  if (!attached) return stream;
  // The window's own start takes the place of that of the slice.
  const std::size_t start = stream.columns.size() - 3;
  stream.columns[start] = stream.columns[groups];
  stream.columns.erase(stream.columns.begin() + static_cast<std::ptrdiff_t>(groups));
  stream.names.erase(stream.names.begin() + static_cast<std::ptrdiff_t>(groups));
  return stream;
}

// Flink's names and meaning (WindowEmitStrategy), for every window that is made of slices.
Status Planner::set_emission(const Relation& relation, proto::WindowAggregateSpec& spec) const {
  OptionReader reader("SET", options_);
  TIDEMARK_ASSIGN_OR_RETURN(const Millis lateness, reader.duration(kAllowLateness, 0));
  TIDEMARK_ASSIGN_OR_RETURN(const bool early, reader.boolean(kEarlyFire, false));
  TIDEMARK_ASSIGN_OR_RETURN(const bool late, reader.boolean(kLateFire, false));
  if (!early && !late && lateness == 0) return {};
  if (relation.window->kind == WindowSpec::Kind::kSession && (early || late))
    return source_.unsupported(relation.span,
                               "sessions have no early results, and late rows change theirs at "
                               "once: RESET table.exec.emit.early-fire.enabled and "
                               "table.exec.emit.late-fire.enabled before this query");
  spec.set_allowed_lateness_millis(lateness);
  spec.set_updating(lateness > 0 || early);
  if (!early) spec.set_early_fire_delay_millis(-1);
  if (!late) spec.set_late_fire_delay_millis(-1);
  const auto delay = [&](std::string_view option, std::string_view enabled) -> Result<Millis> {
    if (options_.find(option) != options_.end()) return reader.duration(option, 0);
    return source_.error(
        relation.span, fmt::format("'{}' needs '{}': SET '{}' = '10 s'", enabled, option, option));
  };
  if (early) {
    TIDEMARK_ASSIGN_OR_RETURN(const Millis early_delay, delay(kEarlyFireDelay, kEarlyFire));
    spec.set_early_fire_delay_millis(early_delay);
  }
  if (late) {
    TIDEMARK_ASSIGN_OR_RETURN(const Millis late_delay, delay(kLateFireDelay, kLateFire));
    if (lateness == 0 || late_delay > lateness)
      return source_.error(
          relation.span,
          fmt::format("'{}' needs '{}' of at least its delay: rows that are later are dropped",
                      kLateFire, kAllowLateness));
    spec.set_late_fire_delay_millis(late_delay);
  }
  return {};
}

std::size_t Planner::add_expand(const Relation& relation, std::size_t input) {
  const std::vector<Field> columns = facts_[input].output;
  const DataType number = DataType::integer().with_nullable(false);
  std::vector<Field> output;
  for (std::size_t i = 0; i < relation.keys.size() + 1; ++i)
    output.push_back({relation.columns[i].name, relation.columns[i].type});
  output.insert(output.end(), columns.begin(), columns.end());
  proto::Node& node =
      add_node("expand", fmt::format("expand-{}-{}", relation.owner, relation.number), output,
               facts_[input].parallelism);
  for (std::size_t set = 0; set < relation.grouping_sets.size(); ++set) {
    const std::vector<std::size_t>& in_set = relation.grouping_sets[set];
    auto& projection = *node.mutable_expand()->add_projections();
    for (std::size_t key = 0; key < relation.keys.size(); ++key) {
      const std::size_t column = relation.keys[key];
      const bool taken = std::find(in_set.begin(), in_set.end(), key) != in_set.end();
      to_proto(taken ? *column_expression(column, columns[column].type)
                     : *literal_expression(Value::null(output[key].type)),
               projection.add_columns());
    }
    to_proto(*literal_expression(Value::of_integer(number, static_cast<std::int64_t>(set))),
             projection.add_columns());
    for (std::size_t i = 0; i < columns.size(); ++i)
      to_proto(*column_expression(i, columns[i].type), projection.add_columns());
  }
  connect(input, facts_.size() - 1);
  return facts_.size() - 1;
}

void Planner::hash_connect(std::size_t from, std::size_t to, const std::vector<std::size_t>& keys) {
  proto::Edge& edge = *graph_.add_edges();
  edge.set_from(static_cast<std::uint32_t>(from + 1));
  edge.set_to(static_cast<std::uint32_t>(to + 1));
  edge.set_partitioning(proto::Edge::HASH);
  for (const std::size_t key : keys) edge.add_key_columns(static_cast<std::uint32_t>(key));
}

}  // namespace tidemark::sql
